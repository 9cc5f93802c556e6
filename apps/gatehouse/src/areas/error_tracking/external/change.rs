//! Changes to errors of an external tracker.

use api_conventions::error::ApiError;
use api_conventions::ids::{ErrorIid, ProjectId};
use error_tracking::external::{ExternalFailure, ExternalIssue};
use error_tracking::flow::change::StatusEdit;
use error_tracking::rules::status::{IgnoreLimits, Resolution, Status};
use error_tracking::wire::ErrorJson;
use gatehouse_core::database::WriteTransaction;
use gatehouse_core::external_tracker::{Connection, Trackers};
use gatehouse_core::flows::errors::ErrorChanges;
use gatehouse_core::flows::external_errors::{changed, link};
use projects::flow::issues::IssueActor;
use projects::{Issue, Project};
use web_conventions::failure::Failure;

use super::super::change::refused;
use super::{ProjectAtTracker, error_json, failed};
use crate::frame::project::InProject;
use crate::frame::scopes::{Developer, WriteApi};

/// Change to an error of an external tracker.
/// The status changes there and a link changes here, so one request does only one of both, and no change is ever half
/// done.
#[derive(Debug, Clone)]
pub(in super::super) enum ExternalErrorChange {
    /// Status of the error.
    Status(StatusEdit),
    /// Linked issue; `None` unlinks it.
    Link(Option<api_conventions::ids::IssueIid>),
}

impl ExternalErrorChange {
    /// Returns the change that a request makes.
    ///
    /// # Errors
    /// 400 for a change that such an error does not support, and for two changes in one request.
    pub(in super::super) fn of(edit: &ErrorChanges) -> Result<Self, ApiError> {
        match (&edit.status, edit.assignee, edit.issue) {
            (_, Some(_), _) => Err(ApiError::bad_request(
                "assign errors of an external tracker in that tracker",
            )),
            (Some(status), None, None) => Ok(Self::Status(status.clone())),
            (None, None, Some(issue)) => Ok(Self::Link(issue)),
            _ => Err(ApiError::bad_request(
                "change the status and the issue of an error of an external tracker in separate requests",
            )),
        }
    }
}

/// Updates the status of an error in the tracker.
/// Returns the error before and after the change.
///
/// # Errors
/// Those of the tracker.
pub(in super::super) async fn update_status(
    trackers: &Trackers,
    connection: &Connection,
    iid: ErrorIid,
    edit: StatusEdit,
    now: api_conventions::time::Timestamp,
) -> Result<(ExternalIssue, ExternalIssue), ExternalFailure> {
    let response = trackers.call(connection, now, move |tracker| {
        let before = tracker.find(iid)?;
        tracker.update(iid, &edit, now)?;
        Ok((before, tracker.find(iid)?))
    });
    response.await
}

/// Returns the status after an edit, in the detail that this server keeps for errors of an external tracker.
pub(in super::super) fn status_of(edit: &StatusEdit) -> Status {
    match edit {
        StatusEdit::Unresolve => Status::Unresolved,
        StatusEdit::Resolve
        | StatusEdit::ResolveInRelease(_)
        | StatusEdit::ResolveInNextRelease => Status::Resolved(Resolution::Now),
        StatusEdit::Ignore(_) => Status::Ignored(IgnoreLimits::default()),
    }
}

/// Records on this server a status change that the tracker has accepted.
/// Returns the issue that was closed.
///
/// # Errors
/// Those of closing the linked issue.
pub(in super::super) fn record_status(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    before: &ExternalIssue,
    status: &Status,
    by: IssueActor,
) -> Result<Option<Issue>, Failure> {
    let before = before.to_tracked(project.id, None);
    changed(tx, project, &before, status, by).map_err(refused)
}

/// Updates an error, and returns it with the issue that was closed.
///
/// # Errors
/// 400 for a change that the tracker does not support; those of the tracker and of the link.
pub(in super::super) async fn update(
    request: &InProject<Developer, WriteApi>,
    at: &ProjectAtTracker,
    iid: ErrorIid,
    edit: &ErrorChanges,
) -> Result<(ErrorJson, Option<Issue>), Failure> {
    let (viewer, user, now) = (request.viewer(), request.actor_id(), request.now());
    let change = ExternalErrorChange::of(edit)?;
    if at.project.archived {
        return Err(ApiError::forbidden_because("the project is archived").into());
    }
    let (trackers, connection) = (request.trackers(), at.connection.clone());
    let (before, after, change) = match change {
        ExternalErrorChange::Status(status) => {
            let response = update_status(trackers, &connection, iid, status.clone(), now);
            let (before, after) = response.await.map_err(failed)?;
            (before, after, ExternalErrorChange::Status(status))
        }
        link @ ExternalErrorChange::Link(_) => {
            let found = trackers.call(&connection, now, move |tracker| tracker.find(iid));
            let found = found.await.map_err(failed)?;
            (found.clone(), found, link)
        }
    };
    let done = request.write_with(move |tx, project, access| {
        let by = IssueActor {
            viewer,
            user,
            access,
            now,
        };
        let closed = apply(tx, project, &connection, iid, &change, &before, by)?;
        Ok((closed, tx.list_external_links(project.id, &[iid])?))
    });
    let ((closed, links), _) = done.await?;
    Ok((error_json(request, at, &after, &links), closed))
}

/// Applies the local part of a change.
pub(in super::super) fn apply(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    connection: &Connection,
    iid: ErrorIid,
    change: &ExternalErrorChange,
    before: &ExternalIssue,
    by: IssueActor,
) -> Result<Option<Issue>, Failure> {
    match change {
        ExternalErrorChange::Status(edit) => {
            record_status(tx, project, before, &status_of(edit), by)
        }
        ExternalErrorChange::Link(issue) => {
            let project: ProjectId = project.id;
            link(tx, project, connection, iid, *issue, by).map_err(refused)?;
            Ok(None)
        }
    }
}
