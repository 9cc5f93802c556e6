//! Scheduled deletions.

use api_conventions::ids::{DeletionId, NamespaceId, ProjectId, UserId};
use api_conventions::time::Timestamp;

/// Resource that is pending deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeletionTarget {
    /// A project.
    Project(ProjectId),
    /// A group with all its contents.
    Group(NamespaceId),
}

/// A requested deletion.
/// From the request on, no user sees the resource, and its path is free. The deletion is cancelled, or a job carries it
/// out once it is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScheduledDeletion {
    /// Id.
    pub id: DeletionId,
    /// Resource that is pending deletion.
    pub target: DeletionTarget,
    /// User who requested the deletion.
    pub requested_by: UserId,
    /// Time of the request.
    pub requested_at: Timestamp,
    /// Earliest time at which the deletion may be carried out.
    pub due_at: Timestamp,
    /// True if a job has started the deletion, which can then no longer be cancelled.
    pub started: bool,
}
