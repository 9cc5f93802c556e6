//! Changes to issues of projects, with their entries in the feed.

use std::collections::BTreeSet;

use accounts::UserState;
use api_conventions::access::Visibility;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::{IssueIid, UserId};
use api_conventions::time::Timestamp;
use error_tracking::model::TrackedError;
use events::{Action, Audience, EventTarget, NewEvent, TargetType};
use projects::flow::issues::{
    IssueActor, IssueEdit, IssueError, create_issue, delete_issue, update_issue,
};
use projects::{Issue, IssueState, Project};
use storage::{Locked, StoreError};

use super::errors::{lock_error_about, resolve_with_issue};
use super::incidents::closing::{lock_for_closing, resolve_alerts};
use super::notes::{move_notes, note_changes};
use super::notifications::announce_incident;
use crate::database::WriteTransaction;
use crate::spam::ClearedEdit;

/// Creates an issue.
///
/// # Errors
/// See [`IssueError`].
pub fn create(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    edit: ClearedEdit,
    created_at: Option<Timestamp>,
    by: IssueActor,
) -> Result<Issue, IssueError> {
    let edit = edit.0;
    check_assignees(tx, project, &edit, &BTreeSet::new(), by)?;
    let issue = create_issue(tx, project.id, edit, created_at, by)?;
    record(tx, &issue, Action::Created, by)?;
    Ok(issue)
}

/// Updates an issue.
/// The feed gets an entry when an issue is closed or reopened. Closing an issue resolves the linked error, and its open
/// alerts if the user is a Reporter or higher. When an issue becomes confidential, or is no longer, the visibility of its
/// feed entries follows.
///
/// # Errors
/// See [`IssueError`].
pub fn update(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    iid: IssueIid,
    edit: ClearedEdit,
    by: IssueActor,
) -> Result<Issue, IssueError> {
    // Errors and alerts are locked before issues, as when resolving an error or an alert closes its issue.
    let closes = edit.0.state == Some(IssueState::Closed);
    let error = closes.then(|| lock_error_about(tx, project.id, iid));
    let error = error.transpose()?.flatten();
    update_with_error(tx, project, iid, edit, error, by)
}

/// Updates an issue whose linked error is locked, or stays as it is if it is not given: the only place where the state of
/// an issue changes.
///
/// # Errors
/// See [`IssueError`].
pub(super) fn update_with_error(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    iid: IssueIid,
    edit: ClearedEdit,
    error: Option<Locked<TrackedError>>,
    by: IssueActor,
) -> Result<Issue, IssueError> {
    let edit = edit.0;
    let there = tx.find_issue(project.id, iid)?;
    if edit.state == Some(IssueState::Closed) {
        lock_for_closing(tx, there.as_ref())?;
    }
    let there = there.map_or_else(BTreeSet::new, |issue| issue.body.assignees);
    check_assignees(tx, project, &edit, &there, by)?;
    let (before, after) = update_issue(tx, project.id, iid, edit, by)?;
    if audience(&before) != audience(&after) {
        let id = [after.id.get()];
        tx.change_audience(project.id, TargetType::Issue, &id, audience(&after))?;
        move_notes(tx, &after)?;
    }
    note_changes(tx, &before.body, &after, by)?;
    match (before.state(), after.state()) {
        (IssueState::Opened, IssueState::Closed) => {
            record(tx, &after, Action::Closed, by)?;
            resolve_alerts(tx, &after, by)?;
            if let Some(error) = error {
                resolve_with_issue(tx, error, by)?;
            }
        }
        (IssueState::Closed, IssueState::Opened) => record(tx, &after, Action::Reopened, by)?,
        _ => {}
    }
    Ok(after)
}

/// Deletes an issue. The feed gets no entry for it, and keeps the existing ones.
///
/// # Errors
/// See [`IssueError`].
pub fn delete(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    iid: IssueIid,
    unmodified_since: Option<Timestamp>,
    by: IssueActor,
) -> Result<(), IssueError> {
    // The linked error is locked before the issue.
    lock_error_about(tx, project.id, iid)?;
    let issue = delete_issue(tx, project.id, iid, unmodified_since, by)?;
    tx.unlink_issue(issue.id)?;
    tx.delete_links_of_incident(issue.id)?;
    Ok(())
}

/// Returns the audience of the feed entries about an issue.
pub(super) fn audience(issue: &Issue) -> Audience {
    if issue.body.content.confidential {
        Audience::Reporters
    } else {
        Audience::Everyone
    }
}

/// Refuses assignees who do not exist, are not active or may not read the project, all with the same message.
/// Current assignees may stay.
fn check_assignees(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    edit: &IssueEdit,
    there: &BTreeSet<UserId>,
    by: IssueActor,
) -> Result<(), IssueError> {
    let wanted = edit.assignees.iter().flatten().copied();
    let mut unfit: BTreeSet<UserId> = wanted.filter(|user| !there.contains(user)).collect();
    let ids: Vec<UserId> = unfit.iter().copied().collect();
    for user in tx.list_users_by_id(&ids)? {
        let role = tx.find_membership(user.id, project.id, by.now.date())?;
        let reads =
            project.visibility >= Visibility::Internal || role.highest().is_some() || user.is_admin;
        if reads && user.state == UserState::Active {
            unfit.remove(&user.id);
        }
    }
    if unfit.is_empty() {
        return Ok(());
    }
    let mut failures = ValidationFailures::default();
    failures.add(
        "assignees",
        "include a user who does not exist or cannot access the project",
    );
    Err(IssueError::Invalid(failures))
}

/// Records a change of an issue in the feed, the activity of its project, and the outbox.
pub(super) fn record(
    tx: &mut dyn WriteTransaction,
    issue: &Issue,
    action: Action,
    by: IssueActor,
) -> Result<(), StoreError> {
    tx.touch_projects(&[(issue.project_id, by.now)])?;
    tx.insert_events(&[NewEvent {
        project_id: issue.project_id,
        author_id: by.user,
        action,
        target: Some(EventTarget {
            kind: TargetType::Issue,
            id: issue.id.get(),
            iid: issue.iid.get(),
            title: Some(issue.body.content.title.clone()),
        }),
        audience: audience(issue),
        push: None,
        created_at: by.now,
    }])?;
    announce_incident(tx, issue, action, by.now)
}
