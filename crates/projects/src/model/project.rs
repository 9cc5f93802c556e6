//! Projects.

use api_conventions::access::Visibility;
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::reference::{FullPath, is_slug};
use api_conventions::time::Timestamp;
use api_conventions::validation::{SLUG_RULE, failure, failure_of, not_blank, slug};
use validator::{Validate, ValidationError};

use super::{Namespace, ProjectSettings};

/// A project, together with the namespace that it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// Where it is.
    pub namespace: Namespace,
    /// The name to show.
    pub name: String,
    /// The last segment of the full path.
    pub path: String,
    /// The full path.
    pub full_path: FullPath,
    /// What it is for; may be empty.
    pub description: String,
    /// Who may see it.
    pub visibility: Visibility,
    /// What it is about, in the order in which it was given.
    pub topics: Vec<String>,
    /// Its settings.
    pub settings: ProjectSettings,
    /// Whether nothing in it may be written.
    pub archived: bool,
    /// Who made it.
    pub creator_id: UserId,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its own fields last changed.
    pub updated_at: Timestamp,
    /// When something last happened in it, within an hour.
    pub last_activity_at: Timestamp,
}

/// The longest name, in characters.
pub const MAX_NAME: u64 = 255;
/// The longest description, in characters.
pub const MAX_DESCRIPTION: u64 = 2000;

/// Last segments that no project may have, because a URL below another project begins with them: `a/b/prometheus`
/// would share the address of its alerts with `a/b`.
pub const RESERVED: [&str; 1] = ["prometheus"];

/// The most topics of a project.
pub const MAX_TOPICS: usize = 100;

records::content! {
    /// What people write of a project.
    #[derive(Debug, Clone, PartialEq, Eq, Validate)]
    pub struct ProjectContent, edited by ProjectEdit {
        /// The name to show, taken once in a namespace. White space around it is not kept.
        #[validate(custom(function = "not_blank"), length(max = "MAX_NAME"))]
        name: String,
        /// The last segment of the full path.
        #[validate(custom(function = "slug"), custom(function = "not_reserved"))]
        path: String,
        /// What it is for; may be empty.
        #[validate(length(max = "MAX_DESCRIPTION"))]
        description: String,
        /// Who may see it.
        visibility: Visibility,
        /// What it is about.
        #[validate(custom(function = "topics"))]
        topics: Vec<String>,
        /// Its settings.
        settings: ProjectSettings,
    }
}

impl Default for ProjectContent {
    fn default() -> Self {
        Self {
            name: String::new(),
            path: String::new(),
            description: String::new(),
            visibility: Visibility::Private,
            topics: Vec::new(),
            settings: ProjectSettings::default(),
        }
    }
}

impl ProjectContent {
    /// The content with a path that is made of the name where there is none, and the other way round.
    #[must_use]
    pub fn completed(mut self) -> Self {
        if self.path.is_empty() {
            self.path = slug_of(&self.name);
        } else if self.name.is_empty() {
            self.name.clone_from(&self.path);
        }
        self
    }

    /// The content as it is stored: nothing around the name, and each topic once in any case.
    #[must_use]
    pub fn normalized(mut self) -> Self {
        self.name = self.name.trim().to_owned();
        let mut seen = std::collections::BTreeSet::new();
        self.topics
            .retain(|topic| seen.insert(topic.to_lowercase()));
        self.settings = self.settings.normalized();
        self
    }
}

impl Project {
    /// What people wrote of it.
    pub fn content(&self) -> ProjectContent {
        ProjectContent {
            name: self.name.clone(),
            path: self.path.clone(),
            description: self.description.clone(),
            visibility: self.visibility,
            topics: self.topics.clone(),
            settings: self.settings.clone(),
        }
    }
}

/// A project to be made.
#[derive(Debug, Clone, Validate)]
#[validate(schema(function = "has_full_path", skip_on_field_errors = false))]
pub struct NewProject {
    /// Where to put it.
    pub namespace: Namespace,
    /// The name to show.
    #[validate(custom(function = "not_blank"), length(max = "MAX_NAME"))]
    pub name: String,
    /// The last segment of the full path.
    #[validate(custom(function = "slug"), custom(function = "not_reserved"))]
    pub path: String,
    /// What it is for.
    #[validate(length(max = "MAX_DESCRIPTION"))]
    pub description: String,
    /// Who may see it.
    pub visibility: Visibility,
    /// What it is about.
    #[validate(custom(function = "topics"))]
    pub topics: Vec<String>,
    /// Its settings.
    pub settings: ProjectSettings,
    /// Who makes it.
    pub creator_id: UserId,
    /// Now.
    pub created_at: Timestamp,
}

impl NewProject {
    /// A project of this content.
    pub fn new(
        namespace: Namespace,
        content: ProjectContent,
        creator_id: UserId,
        created_at: Timestamp,
    ) -> Self {
        let content = content.normalized();
        Self {
            namespace,
            name: content.name,
            path: content.path,
            description: content.description,
            visibility: content.visibility,
            topics: content.topics,
            settings: content.settings,
            creator_id,
            created_at,
        }
    }

    /// The full path that it will have.
    pub fn full_path(&self) -> Option<FullPath> {
        FullPath::parse(&format!(
            "{}/{}",
            self.namespace.full_path.as_str(),
            self.path
        ))
    }
}

fn topics(topics: &[String]) -> Result<(), ValidationError> {
    if topics.len() > MAX_TOPICS {
        return Err(failure(format!(
            "is too long (maximum is {MAX_TOPICS} topics)"
        )));
    }
    let too_long = |topic: &&String| topic.chars().count() > 255;
    if topics
        .iter()
        .any(|topic| too_long(&topic) || topic.chars().any(char::is_control))
    {
        return Err(failure(
            "can hold topics of up to 255 characters, without control characters",
        ));
    }
    Ok(())
}

/// The segment of a path that is closest to a name: its ASCII letters in lower case and its digits, with single hyphens for
/// what is between them.
fn slug_of(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    words.join("-")
}

fn not_reserved(path: &str) -> Result<(), ValidationError> {
    if RESERVED.contains(&path.to_lowercase().as_str()) {
        return Err(failure(format!("'{path}' is a reserved name")));
    }
    Ok(())
}

/// A segment that is sound by itself may make a full path that is too long.
fn has_full_path(project: &NewProject) -> Result<(), ValidationError> {
    if is_slug(&project.path) && project.full_path().is_none() {
        return Err(failure_of("path", SLUG_RULE));
    }
    Ok(())
}
