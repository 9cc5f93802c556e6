//! What is to be deleted.

use api_conventions::ids::{DeletionId, NamespaceId, ProjectId, UserId};
use api_conventions::time::Timestamp;

/// What a deletion takes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doomed {
    /// A project.
    Project(ProjectId),
    /// A group with everything in it.
    Group(NamespaceId),
}

/// A deletion that was asked for. What it takes away is seen by nobody from then on, and its path is free. It is cancelled, or
/// a job carries it out once it is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deletion {
    /// Its id.
    pub id: DeletionId,
    /// What it takes away.
    pub doomed: Doomed,
    /// Who asked for it.
    pub requested_by: UserId,
    /// When.
    pub requested_at: Timestamp,
    /// When it may be carried out.
    pub due_at: Timestamp,
    /// Whether a job has begun with it. It cannot be cancelled then.
    pub started: bool,
}
