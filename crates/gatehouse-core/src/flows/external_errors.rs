//! Changes on this side to errors of an external tracker: the linked issue and the entries in the feed.
//! The caller must check that the actor may make them. Changes to the tracker itself are made in
//! [`external_tracker`](crate::external_tracker).

use api_conventions::ids::{ErrorIid, IssueIid, ProjectId};
use error_tracking::model::TrackedError;
use error_tracking::rules::status::Status;
use events::Action;
use projects::flow::issues::IssueActor;
use projects::{Issue, Project};
use storage::StoreErrorKind;

use super::errors::{ErrorRefusal, close_issue, note_resolution, record, visible_issue};
use crate::database::WriteTransaction;
use crate::external_tracker::Connection;

/// Links an issue to an error; `None` removes the link.
///
/// # Errors
/// [`ErrorRefusal::NotFound`] if the project has switched to another tracker, [`ErrorRefusal::NoIssue`],
/// [`ErrorRefusal::IssueTaken`].
pub fn link(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    connection: &Connection,
    error: ErrorIid,
    issue: Option<IssueIid>,
    by: IssueActor,
) -> Result<(), ErrorRefusal> {
    let (settings, _) = tx.lock_error_settings(project)?;
    if Connection::of(&settings).as_ref() != Some(connection) {
        return Err(ErrorRefusal::NotFound);
    }
    let issue = match issue {
        Some(issue) => Some(visible_issue(tx, project, issue, by)?),
        None => None,
    };
    let linked = tx.put_external_link(&settings, error, issue);
    linked.map_err(|error| match error.kind() {
        StoreErrorKind::Conflict => ErrorRefusal::IssueTaken,
        _ => error.into(),
    })
}

/// Records a status change that was made to an error in its tracker.
/// If the error was resolved, the linked issue gets a system note and is closed, if it is open and the actor may close
/// it.
///
/// # Errors
/// Those of closing an issue, and of the store.
pub fn changed(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    error: &TrackedError,
    status: &Status,
    by: IssueActor,
) -> Result<Option<Issue>, ErrorRefusal> {
    let action = match status {
        Status::Resolved(_) => Action::Closed,
        Status::Ignored(_) => Action::Updated,
        Status::Unresolved => Action::Reopened,
    };
    let is_change = error.state.status.as_str() != status.as_str();
    if is_change {
        record(tx, error, action, by)?;
    }
    if !matches!(status, Status::Resolved(_)) {
        return Ok(None);
    }
    // Errors are locked before the issue, as everywhere an issue is closed.
    tx.lock_error_settings(project.id)?;
    let links = tx.list_external_links(project.id, &[error.iid])?;
    let Some((_, issue)) = links.first() else {
        return Ok(None);
    };
    if is_change {
        note_resolution(tx, project.id, *issue, by)?;
    }
    close_issue(tx, project, *issue, by)
}
