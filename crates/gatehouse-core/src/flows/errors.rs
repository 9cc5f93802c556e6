//! Changes of users to errors, with the linked issue and the entries in the feed.

use accounts::UserState;
use alert_intake::flow::set_status::RequestedStatus;
use api_conventions::access::AccessLevel;
use api_conventions::ids::{ErrorIid, ErrorKeyId, IssueId, IssueIid, ProjectId, UserId};
use error_tracking::flow::change::{
    ErrorEdit, MoveOutcome, StatusEdit, change_error, merge, split_error,
};
use error_tracking::model::{ErrorState, TrackedError};
use error_tracking::rules::status::{Resolution, Status};
use error_tracking::store::MergedErrorRef;
use events::{Action, Audience, EventTarget, NewEvent, TargetType};
use projects::flow::issues::{IssueActor, IssueError, find_issue};
use projects::{Issue, IssueState, Project};
use storage::{Locked, StoreError};

use super::change_alert::{ChangeAlertError, change_alert};
use super::collect_errors::identity;
use super::issues;
use super::notes::note;
use crate::database::WriteTransaction;
use crate::spam::ClearedEdit;

/// Text of the system note on the issue of a resolved error.
const RESOLVED: &str = "resolved the corresponding error";

/// Reason why an operation on an error is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorRefusal {
    /// The error does not exist.
    #[error("the error does not exist")]
    NotFound,
    /// The error was merged into another one.
    #[error("the error was merged into another error")]
    Merged,
    /// The errors of the project are in an external tracker.
    #[error("the project uses an external error tracker; do this in that tracker")]
    External,
    /// The issue does not exist in the project.
    #[error("the issue does not exist")]
    NoIssue,
    /// The issue is already linked to another error.
    #[error("the issue is already linked to another error")]
    IssueTaken,
    /// The assignee cannot see the errors of the project.
    #[error("the assignee cannot see the errors of the project")]
    NoAssignee,
    /// The linked issue cannot be changed.
    #[error(transparent)]
    Issue(#[from] IssueError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Result of a change.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorChangeResult {
    /// The error after the change.
    pub error: TrackedError,
    /// The issue that was closed because the error was resolved.
    pub closed_issue: Option<Issue>,
}

/// The requested changes.
#[derive(Debug, Clone, Default)]
pub struct ErrorChanges {
    /// New status of the error.
    pub status: Option<StatusEdit>,
    /// New assignee; `Some(None)` removes the assignee.
    pub assignee: Option<Option<UserId>>,
    /// Issue of the project to link; `Some(None)` removes the link.
    pub issue: Option<Option<IssueIid>>,
}

/// Updates an error.
/// Resolving it writes a system note on the linked issue, closes that issue if the actor may, and resolves its alert.
/// The caller must check that the actor may change errors.
///
/// # Errors
/// See [`ErrorRefusal`].
pub fn change(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    iid: ErrorIid,
    changes: &ErrorChanges,
    by: IssueActor,
) -> Result<ErrorChangeResult, ErrorRefusal> {
    // Errors are locked before issues and alerts, here and wherever an issue is closed.
    let locked = lock_here(tx, project.id, iid)?;
    if let Some(Some(user)) = changes.assignee {
        check_assignee(tx, project.id, user, by)?;
    }
    let issue_id = match changes.issue {
        Some(Some(issue)) => Some(Some(issue_for(tx, &locked, issue, by)?)),
        Some(None) => Some(None),
        None => None,
    };
    let before = locked.state.clone();
    let edit = ErrorEdit {
        status: changes.status.clone(),
        assignee_id: changes.assignee,
        issue_id,
    };
    let error = change_error(tx, locked, &edit)?;
    let closed_issue = follow(tx, project, &before, &error, by)?;
    Ok(ErrorChangeResult {
        error,
        closed_issue,
    })
}

/// Locks an error of a project. Errors collected before the project switched to an external tracker cannot be changed.
fn lock_here(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    iid: ErrorIid,
) -> Result<Locked<TrackedError>, ErrorRefusal> {
    refuse_external(tx, project)?;
    match tx.lock_error(project, iid)? {
        Some(error) => Ok(error),
        None => Err(missing(tx, project, iid)?),
    }
}

/// Returns the reason why there is no error with this number.
fn missing(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    iid: ErrorIid,
) -> Result<ErrorRefusal, StoreError> {
    let merged = tx.find_merged_error(MergedErrorRef::Iid(project, iid))?;
    Ok(merged.map_or(ErrorRefusal::NotFound, |_| ErrorRefusal::Merged))
}

fn refuse_external(tx: &mut dyn WriteTransaction, project: ProjectId) -> Result<(), ErrorRefusal> {
    let settings = tx.find_error_settings(project)?;
    let is_external = settings.is_some_and(|settings| settings.is_external());
    (!is_external).then_some(()).ok_or(ErrorRefusal::External)
}

/// Applies the consequences of a status change: the feed entry, the end of the alert, and the closing of the issue.
fn follow(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    before: &ErrorState,
    error: &TrackedError,
    by: IssueActor,
) -> Result<Option<Issue>, ErrorRefusal> {
    let action = match (&before.status, &error.state.status) {
        (old, new) if old == new => return Ok(None),
        (_, Status::Resolved(_)) => Action::Closed,
        (_, Status::Ignored(_)) => Action::Updated,
        (_, Status::Unresolved) => Action::Reopened,
    };
    record(tx, error, action, by)?;
    let is_resolved = matches!(error.state.status, Status::Resolved(_));
    let was_resolved = matches!(before.status, Status::Resolved(_));
    if !is_resolved || was_resolved {
        return Ok(None);
    }
    resolve_alert(tx, error, by)?;
    let Some(issue) = error.state.issue_id else {
        return Ok(None);
    };
    note_resolution(tx, project.id, issue, by)?;
    close_issue(tx, project, issue, by)
}

/// Writes the system note about a resolved error on its issue, even if the issue is already closed or stays open.
pub(super) fn note_resolution(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    issue: IssueId,
    by: IssueActor,
) -> Result<(), StoreError> {
    tx.lock_issues(project)?;
    match tx.find_issue_by_id(issue)? {
        Some(issue) => note(tx, &issue, [RESOLVED.to_owned()], by),
        None => Ok(()),
    }
}

/// Closes the issue linked to a resolved error, if it is open and the actor may close it.
pub(super) fn close_issue(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    issue: IssueId,
    by: IssueActor,
) -> Result<Option<Issue>, ErrorRefusal> {
    let found = tx.find_issue_by_id(issue)?;
    let open = found.filter(|issue| issue.state() == IssueState::Opened);
    let Some(issue) = open else {
        return Ok(None);
    };
    let close = ClearedEdit::of_state(IssueState::Closed);
    match issues::update(tx, project, issue.iid, close, by) {
        Ok(closed) => Ok(Some(closed)),
        Err(IssueError::Forbidden | IssueError::Unknown) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Resolves the alert opened by an error, if it is open.
fn resolve_alert(
    tx: &mut dyn WriteTransaction,
    error: &TrackedError,
    by: IssueActor,
) -> Result<(), StoreError> {
    let identity = identity(error.project_id, error.id);
    tx.lock_alerts(&[error.project_id])?;
    let known = tx.list_latest_by_identity(&[(error.project_id, identity)])?;
    let open = known.into_iter().find(|alert| alert.status.is_open());
    let Some(alert) = open else {
        return Ok(());
    };
    let end = RequestedStatus::Resolved;
    match change_alert(tx, error.project_id, alert.iid, end, by.user, by.now) {
        Ok(_) => Ok(()),
        Err(ChangeAlertError::Store(error)) => Err(error),
        // The alert was just found open, under its lock.
        Err(refused) => Err(StoreError::inconsistent(
            "alerts",
            alert.id.get(),
            &refused.to_string(),
        )),
    }
}

fn check_assignee(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    user: UserId,
    by: IssueActor,
) -> Result<(), ErrorRefusal> {
    let role = tx.find_membership(user, project, by.now.date())?;
    let found = tx.list_users_by_id(&[user])?.into_iter().next();
    let is_active = |user: &accounts::User| user.state == UserState::Active;
    let found = found.filter(is_active).ok_or(ErrorRefusal::NoAssignee)?;
    if found.is_admin || role.highest() >= Some(AccessLevel::Reporter) {
        return Ok(());
    }
    Err(ErrorRefusal::NoAssignee)
}

/// Returns the issue to link to an error, unless another error is linked to it.
fn issue_for(
    tx: &mut dyn WriteTransaction,
    error: &TrackedError,
    issue: IssueIid,
    by: IssueActor,
) -> Result<IssueId, ErrorRefusal> {
    let issue = visible_issue(tx, error.project_id, issue, by)?;
    let linked = tx.lock_error_of_issue(error.project_id, issue)?;
    if linked.is_some_and(|other| other.id != error.id) {
        return Err(ErrorRefusal::IssueTaken);
    }
    Ok(issue)
}

/// Finds an issue of the project that the actor can see.
pub(super) fn visible_issue(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    issue: IssueIid,
    by: IssueActor,
) -> Result<IssueId, ErrorRefusal> {
    let found = find_issue(tx, project, issue, by.viewer, by.access);
    let issue = found.map_err(|error| match error {
        IssueError::Unknown => ErrorRefusal::NoIssue,
        other => ErrorRefusal::Issue(other),
    })?;
    Ok(issue.id)
}

/// Locks the error linked to an issue. Call it before locking the issue.
///
/// # Errors
/// Failures of the store.
pub(super) fn lock_error_about(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    issue: IssueIid,
) -> Result<Option<Locked<TrackedError>>, StoreError> {
    match tx.find_issue(project, issue)? {
        Some(issue) => tx.lock_error_of_issue(project, issue.id),
        None => Ok(None),
    }
}

/// Resolves the error linked to a closed issue, unless it is already resolved.
///
/// # Errors
/// Failures of the store.
pub(super) fn resolve_with_issue(
    tx: &mut dyn WriteTransaction,
    error: Locked<TrackedError>,
    by: IssueActor,
) -> Result<(), StoreError> {
    if matches!(error.state.status, Status::Resolved(_)) {
        return Ok(());
    }
    let resolved = ErrorState {
        status: Status::Resolved(Resolution::Now),
        ..error.state.clone()
    };
    let error = tx.update_error(error, &resolved)?;
    record(tx, &error, Action::Closed, by)?;
    resolve_alert(tx, &error, by)
}

/// Merges one error into another.
///
/// # Errors
/// [`ErrorRefusal::External`], [`ErrorRefusal::NotFound`], [`ErrorRefusal::Merged`] if the error was already merged,
/// and failures of the store.
pub fn merge_into(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    from: ErrorIid,
    into: ErrorIid,
    by: IssueActor,
) -> Result<MoveOutcome, ErrorRefusal> {
    refuse_external(tx, project)?;
    let moved = merge(tx, project, from, into)?;
    match &moved {
        MoveOutcome::To(error) => record(tx, error, Action::Updated, by)?,
        MoveOutcome::NotFound => return Err(missing(tx, project, from)?),
        _ => {}
    }
    Ok(moved)
}

/// Splits a grouping key off an error, as an error of its own.
///
/// # Errors
/// As [`merge_into`].
pub fn split_off(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    error: ErrorIid,
    key: ErrorKeyId,
    by: IssueActor,
) -> Result<MoveOutcome, ErrorRefusal> {
    refuse_external(tx, project)?;
    let moved = split_error(tx, project, error, key)?;
    match &moved {
        MoveOutcome::To(error) => record(tx, error, Action::Created, by)?,
        MoveOutcome::NotFound => return Err(missing(tx, project, error)?),
        _ => {}
    }
    Ok(moved)
}

/// Deletes an error with all its events.
///
/// # Errors
/// [`ErrorRefusal::NotFound`]; otherwise as [`merge_into`].
pub fn delete(
    tx: &mut dyn WriteTransaction,
    project: ProjectId,
    iid: ErrorIid,
    by: IssueActor,
) -> Result<TrackedError, ErrorRefusal> {
    let error = lock_here(tx, project, iid)?;
    record(tx, &error, Action::Destroyed, by)?;
    let deleted = TrackedError::clone(&error);
    tx.delete_error(error)?;
    Ok(deleted)
}

pub(super) fn record(
    tx: &mut dyn WriteTransaction,
    error: &TrackedError,
    action: Action,
    by: IssueActor,
) -> Result<(), StoreError> {
    tx.touch_projects(&[(error.project_id, by.now)])?;
    tx.insert_events(&[NewEvent {
        project_id: error.project_id,
        author_id: by.user,
        action,
        target: Some(EventTarget {
            kind: TargetType::Error,
            id: error.id.get(),
            iid: error.iid.get(),
            title: Some(error.facts.title.clone()),
        }),
        audience: Audience::Reporters,
        push: None,
        created_at: by.now,
    }])
}
