//! Projects.

use api_conventions::access::Visibility;
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::reference::{FullPath, is_slug};
use api_conventions::time::Timestamp;
use api_conventions::validation::{SLUG_RULE, failure, failure_of, not_blank, slug};
use validator::{Validate, ValidationError};

use super::Namespace;

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
    /// Who makes it.
    pub creator_id: UserId,
    /// Now.
    pub created_at: Timestamp,
}

impl NewProject {
    /// The full path that it will have.
    pub fn full_path(&self) -> Option<FullPath> {
        FullPath::parse(&format!(
            "{}/{}",
            self.namespace.full_path.as_str(),
            self.path
        ))
    }
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
