//! Projects.

use api_conventions::access::Visibility;
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::reference::FullPath;
use api_conventions::time::Timestamp;

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

/// A project to be made.
#[derive(Debug, Clone)]
pub struct NewProject {
    /// Where to put it.
    pub namespace: Namespace,
    /// The name to show.
    pub name: String,
    /// The last segment of the full path.
    pub path: String,
    /// What it is for.
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
