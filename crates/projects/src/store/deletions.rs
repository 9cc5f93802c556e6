//! The repository traits of deletions.

use api_conventions::ids::{DeletionId, NamespaceId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use storage::{Locked, StoreError};

use crate::model::{DeletionTarget, Group, Project, ScheduledDeletion};

/// Read queries on deletions, in read and write transactions.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::queries]
pub trait DeletionQueries {
    /// Returns the deletion that was requested for this project or group itself.
    fn find_deletion(
        &mut self,
        target: DeletionTarget,
    ) -> Result<Option<ScheduledDeletion>, StoreError>;

    /// Returns a project that is pending deletion, by itself or with a group.
    fn find_project_pending_deletion(
        &mut self,
        id: ProjectId,
    ) -> Result<Option<Project>, StoreError>;

    /// Returns a group that is pending deletion, by itself or with an ancestor.
    fn find_group_pending_deletion(&mut self, id: NamespaceId)
    -> Result<Option<Group>, StoreError>;

    /// Returns the deletions that are due at the time `now`, the longest overdue first, at most `limit`.
    fn list_due_deletions(
        &mut self,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<ScheduledDeletion>, StoreError>;

    /// True if a user still has a personal namespace, also one that is pending deletion.
    fn has_namespace_of_user(&mut self, user: UserId) -> Result<bool, StoreError>;

    /// Returns a project of a deletion that still exists.
    fn find_project_to_delete(
        &mut self,
        deletion: DeletionId,
    ) -> Result<Option<ProjectId>, StoreError>;
}

/// A deletion to be scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewDeletion {
    /// User who requests the deletion.
    pub requested_by: UserId,
    /// Current time.
    pub requested_at: Timestamp,
    /// Earliest time at which the deletion may be carried out.
    pub due_at: Timestamp,
}

/// Outcome of cancelling a deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelDeletion {
    /// The deletion was cancelled, and everything restored.
    Cancelled,
    /// A previous path belongs to another resource now.
    /// Nothing was written.
    PathTaken,
    /// A job has started the deletion, or there is no such deletion.
    TooLate,
}

/// Write operations on deletions.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::repository(
    revokes(
        schedule_project_deletion,
        schedule_group_deletion,
        schedule_namespace_deletion
    ),
    keeps(
        cancel_deletion,
        start_deletion,
        delete_rows_of_project,
        delete_groups_of,
        release_rows_of_user
    )
)]
pub trait DeletionRepository: DeletionQueries {
    /// Schedules the deletion of a project.
    /// From then on no other query finds it, and its path and its name are free.
    fn schedule_project_deletion(
        &mut self,
        project: Locked<Project>,
        new: &NewDeletion,
    ) -> Result<ScheduledDeletion, StoreError>;

    /// Schedules the deletion of a group with everything in it, as [`Self::schedule_project_deletion`] does for a project.
    fn schedule_group_deletion(
        &mut self,
        group: Locked<Group>,
        new: &NewDeletion,
    ) -> Result<ScheduledDeletion, StoreError>;

    /// Schedules the deletion of the personal namespace of a user, with all projects in it, as
    /// [`Self::schedule_group_deletion`] does. The deletion counts as started: it cannot be cancelled. Returns `None` if the
    /// user has no personal namespace.
    fn schedule_namespace_deletion(
        &mut self,
        user: UserId,
        new: &NewDeletion,
    ) -> Result<Option<ScheduledDeletion>, StoreError>;

    /// Makes `successor` the author, creator or owner of rows of a user who is deleted, and deletes the user's roles,
    /// assignments and spam logs: at most `limit` rows in all. Returns the number of rows updated or deleted; 0 when nothing
    /// was left. The personal namespace stays.
    fn release_rows_of_user(
        &mut self,
        user: UserId,
        successor: UserId,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Cancels a deletion and restores its resources under their previous paths.
    /// Resources with a deletion of their own stay pending.
    fn cancel_deletion(&mut self, id: DeletionId) -> Result<CancelDeletion, StoreError>;

    /// Marks a deletion as started, after which it cannot be cancelled.
    /// Returns `false` if there is no such deletion, or it is not due at the time `now`.
    fn start_deletion(&mut self, id: DeletionId, now: Timestamp) -> Result<bool, StoreError>;

    /// Deletes at most `limit` rows of a project that is pending deletion, and the project itself as the last one.
    /// Returns the number of rows deleted; 0 when nothing was left.
    fn delete_rows_of_project(
        &mut self,
        project: ProjectId,
        limit: usize,
    ) -> Result<usize, StoreError>;

    /// Deletes at most `limit` groups of a deletion, the innermost first, and the deletion itself with the last one.
    /// The groups must contain no projects. Returns the ids of the deleted groups; none when nothing was left.
    fn delete_groups_of(
        &mut self,
        deletion: DeletionId,
        limit: usize,
    ) -> Result<Vec<NamespaceId>, StoreError>;
}
