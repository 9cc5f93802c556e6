//! Deletion of a user: the name and the access end at once, and a job deletes or reassigns the rest.

use accounts::flow::find_user::find_present_user;
use accounts::{AuditEventName, UserDeletion, UserKind, UserState};
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::page::OffsetPage;
use api_conventions::time::Timestamp;
use notifications::flow::delete_channels_of;
use oauth_provider::ApplicationOwner;
use projects::NewDeletion;
use projects::flow::error::NamespaceError;
use storage::StoreError;

use super::account::change_user_state;
use super::create_user::ensure_ghost;
use super::deletion::{DeletionSchedule, LEAST_DELAY_SECONDS, delete_group};
use super::errors::lock_error_about;
use super::groups::Actor;
use super::users::{AccountEditor, StateChangeError, check_power, record};
use crate::database::WriteTransaction;

/// Most groups that are deleted with their only Owner.
pub const MAX_GROUPS: usize = 100;

/// Reasons why a user is not deleted. Nothing is stored then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeleteUserError {
    /// There is no such user.
    #[error("the user does not exist")]
    Unknown,
    /// The user is a bot, or the caller; the text says which.
    #[error("{0}")]
    Refused(&'static str),
    /// The caller is no administrator any more.
    #[error("the caller is not an administrator")]
    Forbidden,
    /// The user is the only Owner of groups, and the contributions were to be kept.
    #[error("the user is the only Owner of a group")]
    OnlyOwner,
    /// The user is the only Owner of more than [`MAX_GROUPS`] groups.
    #[error("the user is the only Owner of too many groups")]
    TooManyGroups,
    /// The user was created after the time of the request's condition.
    #[error("the user was changed")]
    Changed,
    /// A group cannot be deleted.
    #[error(transparent)]
    Group(#[from] NamespaceError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<StateChangeError> for DeleteUserError {
    fn from(error: StateChangeError) -> Self {
        match error {
            StateChangeError::Unknown => Self::Unknown,
            StateChangeError::Refused(reason) => Self::Refused(reason),
            StateChangeError::Forbidden => Self::Forbidden,
            StateChangeError::Store(error) => Self::Store(error),
        }
    }
}

impl From<DeleteUserError> for ApiError {
    fn from(error: DeleteUserError) -> Self {
        match error {
            DeleteUserError::Unknown => Self::not_found("User"),
            DeleteUserError::Refused(reason) => Self::forbidden_because(reason),
            DeleteUserError::Forbidden => Self::forbidden(),
            DeleteUserError::OnlyOwner => {
                Self::conflict("User cannot be removed when is the sole-owner of a group")
            }
            DeleteUserError::TooManyGroups => Self::conflict(
                "the user is the only Owner of too many groups: delete or hand over some of them first",
            ),
            DeleteUserError::Changed => Self::precondition_failed(),
            DeleteUserError::Group(error) => error.into(),
            DeleteUserError::Store(error) => Self::storage_failure(error.is_retryable()),
        }
    }
}

/// Begins the deletion of a user. The user loses the name and all access at once; the personal namespace with its projects
/// is deleted by the job of deletions, and the rest by [`run_user_deletion_step`]. `with_contributions` also deletes what the
/// user wrote, and the groups of which the user is the only Owner.
///
/// # Errors
/// See [`DeleteUserError`].
pub fn delete_user(
    tx: &mut dyn WriteTransaction,
    id: UserId,
    with_contributions: bool,
    unmodified_since: Option<Timestamp>,
    actor: Actor,
) -> Result<(), DeleteUserError> {
    let by = AccountEditor {
        id: Some(actor.id),
        now: actor.now,
    };
    let user = find_present_user(tx, id)?.ok_or(DeleteUserError::Unknown)?;
    check_power(tx, id, true, by)?;
    if user.kind != UserKind::Human {
        return Err(DeleteUserError::Refused(
            "An internal user cannot be deleted",
        ));
    }
    let seconds = user.created_at.as_unix_seconds();
    if unmodified_since.is_some_and(|since| seconds > since.as_unix_seconds()) {
        return Err(DeleteUserError::Changed);
    }
    end_groups(tx, id, with_contributions, actor)?;
    let deletion = UserDeletion {
        user_id: id,
        with_contributions,
    };
    start(tx, deletion, actor)?;
    let kept = if with_contributions { "false" } else { "true" };
    let fields = [
        ("username", user.username.as_str()),
        ("contributions_kept", kept),
    ];
    let name = AuditEventName::UserDeletionStarted;
    Ok(record(tx, id, name, &fields, by)?)
}

/// Deletes the groups of which the user is the only Owner, or refuses if they are to stay.
fn end_groups(
    tx: &mut dyn WriteTransaction,
    user: UserId,
    with_contributions: bool,
    actor: Actor,
) -> Result<(), DeleteUserError> {
    let groups = tx.list_groups_owned_alone(user, MAX_GROUPS + 1)?;
    if !groups.is_empty() && !with_contributions {
        return Err(DeleteUserError::OnlyOwner);
    }
    if groups.len() > MAX_GROUPS {
        return Err(DeleteUserError::TooManyGroups);
    }
    let schedule = DeletionSchedule {
        delay_seconds: LEAST_DELAY_SECONDS,
        at_once: true,
    };
    for group in groups {
        delete_group(tx, group, schedule, actor)?;
    }
    Ok(())
}

fn start(
    tx: &mut dyn WriteTransaction,
    deletion: UserDeletion,
    actor: Actor,
) -> Result<(), StoreError> {
    let (id, now) = (deletion.user_id, actor.now);
    change_user_state(tx, id, UserState::Blocked { at: now }, now)?;
    let namespace = NewDeletion {
        requested_by: actor.id,
        requested_at: now,
        due_at: now.plus_seconds(LEAST_DELAY_SECONDS),
    };
    tx.schedule_namespace_deletion(id, &namespace)?;
    delete_channels_of(tx, id.into(), now)?;
    tx.start_user_deletion(deletion, now)?;
    // The audit log has the entry of the administrator; the ghost must exist when the job begins.
    ensure_ghost(tx, now).map(drop)
}

/// Progress of the deletion of a user after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserDeletionProgress {
    /// There is more to delete or to reassign.
    Incomplete,
    /// The deletion of the personal namespace has to end first.
    Waiting,
    /// Everything is deleted.
    Done,
}

/// Step of a deletion, which changes at most this number of rows and returns how many.
type DeletionStep<'s> = dyn Fn(&mut dyn WriteTransaction, usize) -> Result<usize, StoreError> + 's;

/// Carries out one step of the deletion of a user, which changes at most `limit` rows and some rows that depend on them.
/// Repeat until it returns another progress than [`UserDeletionProgress::Incomplete`]. Nothing is lost if the process stops in
/// between, and two may run side by side.
///
/// # Errors
/// Failures of the store.
pub fn run_user_deletion_step(
    tx: &mut dyn WriteTransaction,
    deletion: UserDeletion,
    limit: usize,
    now: Timestamp,
) -> Result<UserDeletionProgress, StoreError> {
    let id = deletion.user_id;
    let ghost = ensure_ghost(tx, now)?;
    let mut left = limit;
    if deletion.with_contributions {
        left -= delete_contributions(tx, id, left)?;
    }
    let author = (!deletion.with_contributions).then_some(ghost);
    let steps: [&DeletionStep<'_>; 9] = [
        &|tx, left| tx.delete_access_of_user(id, ghost, left),
        &|tx, left| delete_applications(tx, id, left),
        &|tx, left| tx.delete_grants_of_user(id, left),
        &|tx, left| tx.release_events_of(id, author, left),
        &|tx, left| tx.unassign_errors_of(id, left),
        &|tx, left| tx.unassign_alerts_of(id, left),
        &|tx, left| tx.release_reports_of(id, ghost, left),
        &|tx, left| tx.release_runners_of(id, ghost, left),
        &|tx, left| tx.delete_uses_of(id, left),
    ];
    for step in steps {
        if left > 0 {
            left -= step(tx, left)?.min(left);
        }
    }
    if left > 0 {
        left -= tx.release_rows_of_user(id, ghost, left)?;
    }
    if left < limit {
        return Ok(UserDeletionProgress::Incomplete);
    }
    if tx.has_namespace_of_user(id)? {
        return Ok(UserDeletionProgress::Waiting);
    }
    if tx.finish_user_deletion(id)? {
        let by = AccountEditor { id: None, now };
        record(tx, id, AuditEventName::UserDeleted, &[], by)?;
    }
    Ok(UserDeletionProgress::Done)
}

/// Deletes notes, snippets and issues of an author, at most `limit`, with what depends on them.
fn delete_contributions(
    tx: &mut dyn WriteTransaction,
    author: UserId,
    limit: usize,
) -> Result<usize, StoreError> {
    let mut deleted = 0;
    for note in tx.list_notes_of_author(author, limit)? {
        deleted += usize::from(tx.delete_note(note.on, note.id)?);
    }
    deleted += tx.delete_snippets_of_author(author, limit - deleted)?;
    for (project, iid) in tx.list_issues_of_author(author, limit - deleted)? {
        // The linked error is locked before the issue.
        lock_error_about(tx, project, iid)?;
        let Some(issue) = tx.lock_issue(project, iid)? else {
            continue;
        };
        let issue = tx.delete_issue(issue)?;
        tx.unlink_issue(issue.id)?;
        tx.delete_links_of_incident(issue.id)?;
        deleted += 1;
    }
    Ok(deleted)
}

/// Deletes applications of a user, at most `limit`, with their grants.
fn delete_applications(
    tx: &mut dyn WriteTransaction,
    user: UserId,
    limit: usize,
) -> Result<usize, StoreError> {
    let page = OffsetPage::new(1, limit.min(100) as u64);
    let found = tx.list_applications(ApplicationOwner::User(user), page)?;
    let found: Vec<_> = found.items.into_iter().take(limit).collect();
    for application in &found {
        tx.delete_application(application.id)?;
    }
    Ok(found.len())
}
