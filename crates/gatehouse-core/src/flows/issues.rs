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
    IssueActor, IssueChange, IssueEdit, IssueError, create_issue, delete_issue, update_issue,
};
use projects::{Issue, IssueState, Project};
use storage::{Locked, StoreError};

use super::errors::{lock_error_about, resolve_with_issue};
use super::incidents::closing::{lock_for_closing, resolve_alerts};
use super::notes::{move_notes, note_changes};
use super::notifications::announce_issue;
use super::user_messages::announce_issue_to_users;
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
    let change = create_issue(tx, project.id, edit, created_at, by)?;
    Ok(record(tx, change, by)?.0)
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
    let change = update_issue(tx, project.id, iid, edit, by)?;
    let (after, action) = record(tx, change, by)?;
    if action == Some(Action::Closed) {
        resolve_alerts(tx, &after, by)?;
        if let Some(error) = error {
            resolve_with_issue(tx, error, by)?;
        }
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

/// Records a change of an issue: in the visibility of what is known of it, in system notes, in the feed, in the activity of
/// its project, and in the outbox. Returns the issue, and the action in the feed if it has one.
pub(super) fn record(
    tx: &mut dyn WriteTransaction,
    change: IssueChange,
    by: IssueActor,
) -> Result<(Issue, Option<Action>), StoreError> {
    let mut action = None;
    let issue = change.record(|before, after| {
        if before == Some(after) {
            return Ok(());
        }
        if let Some(before) = before {
            move_audience(tx, before, after)?;
            note_changes(tx, &before.body, after, by)?;
        }
        action = match (before.map(Issue::state), after.state()) {
            (None, _) => Some(Action::Created),
            (Some(IssueState::Opened), IssueState::Closed) => Some(Action::Closed),
            (Some(IssueState::Closed), IssueState::Opened) => Some(Action::Reopened),
            _ => None,
        };
        if let Some(action) = action {
            add_to_feed(tx, after, action, by)?;
        }
        announce_issue(tx, before, after, by)?;
        announce_issue_to_users(tx, before, after, by)
    })?;
    Ok((issue, action))
}

/// Gives the feed entries about an issue and its notes the audience that the issue has now.
fn move_audience(
    tx: &mut dyn WriteTransaction,
    before: &Issue,
    after: &Issue,
) -> Result<(), StoreError> {
    if audience(before) == audience(after) {
        return Ok(());
    }
    let id = [after.id.get()];
    tx.change_audience(after.project_id, TargetType::Issue, &id, audience(after))?;
    move_notes(tx, after)
}

fn add_to_feed(
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
    }])
}
