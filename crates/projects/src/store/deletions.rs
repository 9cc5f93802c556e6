//! The repository traits of deletions.

use api_conventions::ids::{DeletionId, NamespaceId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use storage::{Locked, StoreError};

use crate::model::{Deletion, Doomed, Group, Project};

/// What a transaction of either kind can tell about deletions.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait DeletionQueries {
    /// The deletion that was asked for of this project or group itself.
    fn find_deletion(&mut self, doomed: Doomed) -> Result<Option<Deletion>, StoreError>;

    /// A project that waits for a deletion, its own or that of a group.
    fn find_doomed_project(&mut self, id: ProjectId) -> Result<Option<Project>, StoreError>;

    /// A group that waits for a deletion, its own or that of a group above it.
    fn find_doomed_group(&mut self, id: NamespaceId) -> Result<Option<Group>, StoreError>;

    /// The deletions that are due at the time `now`, those that were due first before the others, at most `limit`.
    fn list_due_deletions(
        &mut self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<Deletion>, StoreError>;

    /// A project that is still there of what a deletion takes away.
    fn find_project_to_delete(
        &mut self,
        deletion: DeletionId,
    ) -> Result<Option<ProjectId>, StoreError>;
}

/// A deletion to be carried out later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewDeletion {
    /// Who asks for it.
    pub requested_by: UserId,
    /// Now.
    pub requested_at: Timestamp,
    /// When it may be carried out.
    pub due_at: Timestamp,
}

/// What happened to a deletion that was to be cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelDeletion {
    /// All is as it was before.
    Cancelled,
    /// A path that it had belongs to something else now. Nothing was written.
    PathTaken,
    /// A job has begun with it, or there is no such deletion.
    TooLate,
}

/// What a write transaction can change about deletions.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(
    revokes(doom_project, doom_group),
    keeps(
        cancel_deletion,
        start_deletion,
        delete_rows_of_project,
        delete_groups_of
    )
)]
pub trait DeletionRepository: DeletionQueries {
    /// Notes that a project is to be deleted. From then on no other query finds it, and its path and its name are free.
    fn doom_project(
        &mut self,
        project: Locked<Project>,
        new: &NewDeletion,
    ) -> Result<Deletion, StoreError>;

    /// Notes that a group is to be deleted, with everything in it, as [`Self::doom_project`] does.
    fn doom_group(
        &mut self,
        group: Locked<Group>,
        new: &NewDeletion,
    ) -> Result<Deletion, StoreError>;

    /// Cancels a deletion: what it was to take away is there again, under the paths that it had. What waits for a deletion of
    /// its own goes on waiting.
    fn cancel_deletion(&mut self, id: DeletionId) -> Result<CancelDeletion, StoreError>;

    /// Notes that a job begins with a deletion, which cannot be cancelled from then on. `false` when there is none, or it is not
    /// due at the time `now`.
    fn start_deletion(&mut self, id: DeletionId, now: Timestamp) -> Result<bool, StoreError>;

    /// Deletes at most `limit` rows that belong to a project that waits for a deletion, and the project itself as the last one.
    /// Gives how many rows went; 0 when nothing was left.
    fn delete_rows_of_project(
        &mut self,
        project: ProjectId,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Deletes at most `limit` groups of a deletion, the innermost first, and the deletion itself with the last one. No project is
    /// left in them. Gives how many went; 0 when nothing was left.
    fn delete_groups_of(&mut self, deletion: DeletionId, limit: usize)
    -> Result<usize, StoreError>;
}
