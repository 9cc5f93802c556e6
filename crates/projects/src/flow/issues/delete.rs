//! Deletion of an issue.

use api_conventions::access::AccessLevel;
use api_conventions::ids::{IssueIid, ProjectId};
use api_conventions::time::Timestamp;

use super::{IssueActor, IssueError, IssueTx};
use crate::model::Issue;
use crate::rules::issues::sees_issue;

/// Deletes an issue with its dependent data, unless it changed in a later second than `unmodified_since`.
/// Requires the Owner role.
///
/// # Errors
/// See [`IssueError`].
pub fn delete_issue<R: IssueTx + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    iid: IssueIid,
    unmodified_since: Option<Timestamp>,
    by: IssueActor,
) -> Result<Issue, IssueError> {
    let locked = repos.lock_issue(project, iid)?;
    let locked = locked.filter(|issue| sees_issue(issue, by.viewer, by.access));
    let locked = locked.ok_or(IssueError::Unknown)?;
    if !by.access.allows(AccessLevel::Owner) {
        return Err(IssueError::Forbidden);
    }
    let seconds = locked.updated_at.as_unix_seconds();
    if unmodified_since.is_some_and(|since| seconds > since.as_unix_seconds()) {
        return Err(IssueError::Changed);
    }
    Ok(repos.delete_issue(locked)?)
}
