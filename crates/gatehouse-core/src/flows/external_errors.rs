//! What is done here about errors of an external tracker: the issue that is about one, and the entries in the feed. That the actor
//! may is the caller's question, and what the tracker itself keeps is changed [there](crate::external_tracker).

use api_conventions::ids::{ErrorIid, IssueIid, ProjectId};
use error_tracking::model::TrackedError;
use error_tracking::rules::life::Status;
use events::Action;
use projects::flow::issues::Actor;
use projects::{Issue, Project};
use storage::StoreErrorKind;

use super::errors::{ErrorRefusal, close_issue, note_resolution, record, visible_issue};
use crate::database::WriteTransaction;
use crate::external_tracker::Connection;

/// Says which issue is about an error; `None` for no issue.
///
/// # Errors
/// [`ErrorRefusal::NotFound`] where the project has another tracker by now, [`ErrorRefusal::NoIssue`],
/// [`ErrorRefusal::IssueTaken`].
pub fn link(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    (connection, error): (&Connection, ErrorIid),
    issue: Option<IssueIid>,
    by: Actor,
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

/// Notes what was done about an error in its tracker. Where it was resolved, the issue that is about it gets a system note and is
/// closed, if it is open and the actor may close it.
///
/// # Errors
/// Those of closing an issue, and of the store.
pub fn changed(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    error: &TrackedError,
    status: &Status,
    by: Actor,
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
    // The errors are locked before the issue is, as wherever an issue is closed.
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
