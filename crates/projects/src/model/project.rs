//! Projects.

use api_conventions::access::Visibility;
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::reference::{FullPath, is_slug};
use api_conventions::time::Timestamp;
use api_conventions::validation::{SLUG_RULE, failure, failure_of, not_blank, slug};
use validator::{Validate, ValidationError};

use super::{Namespace, ProjectSettings};

/// A project with its namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Id.
    pub id: ProjectId,
    /// Namespace.
    pub namespace: Namespace,
    /// Display name.
    pub name: String,
    /// The last segment of the full path.
    pub path: String,
    /// The full path.
    pub full_path: FullPath,
    /// Description; may be empty.
    pub description: String,
    /// Visibility.
    pub visibility: Visibility,
    /// Topics, in the order in which they were given.
    pub topics: Vec<String>,
    /// Settings.
    pub settings: ProjectSettings,
    /// True if the project is archived and therefore read-only.
    pub archived: bool,
    /// Creator.
    pub creator_id: UserId,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change to the project's own fields.
    pub updated_at: Timestamp,
    /// Time of the last activity, to within an hour.
    pub last_activity_at: Timestamp,
}

/// The longest name, in characters.
pub const MAX_NAME: u64 = 255;
/// The longest description, in characters.
pub const MAX_DESCRIPTION: u64 = 2000;

/// Last path segments that no project may have, because a URL below another project begins with them.
/// `a/b/prometheus` would share the URL of the alerts of `a/b`.
pub const RESERVED: [&str; 1] = ["prometheus"];

/// Maximum number of topics of a project.
pub const MAX_TOPICS: usize = 100;

records::content! {
    /// Editable content of a project.
    #[derive(Debug, Clone, PartialEq, Eq, Validate)]
    pub struct ProjectContent, edited by ProjectEdit {
        /// Display name, unique in the namespace.
        /// Surrounding white space is trimmed.
        #[validate(custom(function = "not_blank"), length(max = "MAX_NAME"))]
        name: String,
        /// The last segment of the full path.
        #[validate(custom(function = "slug"), custom(function = "not_reserved"))]
        path: String,
        /// Description; may be empty.
        #[validate(length(max = "MAX_DESCRIPTION"))]
        description: String,
        /// Visibility.
        visibility: Visibility,
        /// Topics.
        #[validate(custom(function = "topics"))]
        topics: Vec<String>,
        /// Settings.
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
    /// Derives a missing path from the name, and a missing name from the path.
    #[must_use]
    pub fn completed(mut self) -> Self {
        if self.path.is_empty() {
            self.path = slug_of(&self.name);
        } else if self.name.is_empty() {
            self.name.clone_from(&self.path);
        }
        self
    }

    /// The content in its stored form: a trimmed name, and each topic once regardless of case.
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
    /// Editable content of the project.
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

/// A project to be created.
#[derive(Debug, Clone, Validate)]
#[validate(schema(function = "has_full_path", skip_on_field_errors = false))]
pub struct NewProject {
    /// Namespace of the project.
    pub namespace: Namespace,
    /// Display name.
    #[validate(custom(function = "not_blank"), length(max = "MAX_NAME"))]
    pub name: String,
    /// The last segment of the full path.
    #[validate(custom(function = "slug"), custom(function = "not_reserved"))]
    pub path: String,
    /// Description.
    #[validate(length(max = "MAX_DESCRIPTION"))]
    pub description: String,
    /// Visibility.
    pub visibility: Visibility,
    /// Topics.
    #[validate(custom(function = "topics"))]
    pub topics: Vec<String>,
    /// Settings.
    pub settings: ProjectSettings,
    /// Creator.
    pub creator_id: UserId,
    /// Current time.
    pub created_at: Timestamp,
}

impl NewProject {
    /// New project with this content.
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

    /// Full path that the project will have.
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
            "can contain only topics of up to 255 characters, without control characters",
        ));
    }
    Ok(())
}

/// Derives a path segment from a name: ASCII letters in lower case, digits and underscores, with single hyphens for
/// everything between them.
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

/// Rejects a full path that is too long, although its last segment is valid.
fn has_full_path(project: &NewProject) -> Result<(), ValidationError> {
    if is_slug(&project.path) && project.full_path().is_none() {
        return Err(failure_of("path", SLUG_RULE));
    }
    Ok(())
}
