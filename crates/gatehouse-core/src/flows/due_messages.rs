//! Messages that are due: those of no use any more are not sent.

use accounts::User;
use alert_intake::model::{Alert, AlertStatus};
use api_conventions::ids::{AlertIid, IssueId, NoteId};
use api_conventions::time::Timestamp;
use notifications::model::{
    Channel, ChannelKind, ChannelOwner, MessageEvent, MessageState, MessageSubjectKind,
    OutboxMessage,
};
use projects::{Issue, IssueState};
use storage::StoreError;

use super::account_mail::is_reachable;
use super::silences::is_silenced;
use super::user_messages::UserSubject;
use crate::database::ReadTransaction;

/// Returns the state of a message that is of no use any more, which says why. `None` for a message that is to be sent.
///
/// A message that something is open needs an alert that is open, that nobody acknowledged and no silence hides, or an open
/// incident. A message to a user needs a user who may read its subject, and who is still the assignee.
///
/// # Errors
/// Failures of the store.
pub(crate) fn find_end<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    message: &OutboxMessage,
    channel: &Channel,
    now: Timestamp,
) -> Result<Option<MessageState>, StoreError> {
    if message.event.is_for_user() {
        return find_end_for_user(tx, message, channel, now);
    }
    match message.subject.kind {
        _ if !message.event.is_opening() => Ok(None),
        MessageSubjectKind::Alert => match find_alert(tx, message)? {
            Some(alert) => end_of_alert(tx, &alert, now),
            None => Ok(Some(MessageState::Obsolete)),
        },
        MessageSubjectKind::Incident => Ok(end_of_issue(find_issue(tx, message)?.as_ref())),
        _ => Ok(None),
    }
}

/// True if the alert of a message is open, nobody acknowledged it, and no silence hides it.
///
/// # Errors
/// Failures of the store.
pub(crate) fn needs_reminder<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    message: &OutboxMessage,
    now: Timestamp,
) -> Result<bool, StoreError> {
    match find_alert(tx, message)? {
        Some(alert) => Ok(end_of_alert(tx, &alert, now)?.is_none()),
        None => Ok(false),
    }
}

fn find_alert<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    message: &OutboxMessage,
) -> Result<Option<Alert>, StoreError> {
    match (message.subject_project(), message.content.iid) {
        (Some(project), Some(iid)) => tx.find_alert(project, AlertIid::new(iid)),
        _ => Ok(None),
    }
}

fn find_issue<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    message: &OutboxMessage,
) -> Result<Option<Issue>, StoreError> {
    tx.find_issue_by_id(IssueId::new(message.subject.id))
}

fn end_of_alert<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    alert: &Alert,
    now: Timestamp,
) -> Result<Option<MessageState>, StoreError> {
    Ok(match alert.summary.status {
        AlertStatus::Triggered if is_silenced(tx, alert, now)? => Some(MessageState::Silenced),
        AlertStatus::Triggered => None,
        AlertStatus::Resolved { .. } => Some(MessageState::Resolved),
        AlertStatus::Acknowledged | AlertStatus::Ignored => Some(MessageState::Acknowledged),
    })
}

fn end_of_issue(issue: Option<&Issue>) -> Option<MessageState> {
    match issue.map(Issue::state) {
        Some(IssueState::Opened) => None,
        Some(IssueState::Closed) => Some(MessageState::Resolved),
        None => Some(MessageState::Obsolete),
    }
}

fn find_end_for_user<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    message: &OutboxMessage,
    channel: &Channel,
    now: Timestamp,
) -> Result<Option<MessageState>, StoreError> {
    const OBSOLETE: Option<MessageState> = Some(MessageState::Obsolete);
    let Some(user) = find_user(tx, message, channel)? else {
        return Ok(OBSOLETE);
    };
    let is_mention = message.event == MessageEvent::Mention;
    let note = message.content.note_id;
    let is_alert = message.subject.kind == MessageSubjectKind::AlertOfUser;
    let (end, is_assigned, is_read) = if is_alert {
        let Some(Alert { summary, .. }) = find_alert(tx, message)? else {
            return Ok(OBSOLETE);
        };
        // Of several alerts, one is described, and the others may still be open and assigned.
        let is_one = message.content.count.is_none();
        let is_over = is_one && !summary.status.is_open();
        let is_read = reads(tx, UserSubject::Alert(&summary), &user, note, now)?;
        let end = Some(MessageState::Resolved).filter(|_| is_over);
        (
            end,
            !is_one || summary.assignee_id == Some(user.id),
            is_read,
        )
    } else {
        let Some(issue) = find_issue(tx, message)? else {
            return Ok(OBSOLETE);
        };
        let is_read = reads(tx, UserSubject::Issue(&issue), &user, note, now)?;
        let is_assigned = issue.body.assignees.contains(&user.id);
        (end_of_issue(Some(&issue)), is_assigned, is_read)
    };
    Ok(match end {
        _ if !is_read || !(is_mention || is_assigned) => OBSOLETE,
        end => end.filter(|_| !is_mention),
    })
}

/// Returns the user for whom a message is. `None` for one with another address or without an active account.
fn find_user<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    message: &OutboxMessage,
    channel: &Channel,
) -> Result<Option<User>, StoreError> {
    let Some(id) = message.content.user_id else {
        return Ok(None);
    };
    let is_mailbox = channel.owner == ChannelOwner::Server && channel.kind == ChannelKind::Email;
    let is_addressed = |user: &User| !is_mailbox || user.email == channel.settings.recipient;
    let user = tx.find_user(id)?.filter(is_reachable);
    Ok(user.filter(is_addressed))
}

/// True if a user may read a subject, and the comment that the message is about.
fn reads<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    subject: UserSubject<'_>,
    user: &User,
    note: Option<NoteId>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let ids: Vec<NoteId> = note.into_iter().collect();
    let notes = tx.list_notes_by_id(&ids)?;
    // The comment may have been deleted.
    if notes.len() < ids.len() {
        return Ok(false);
    }
    let is_internal = notes.iter().any(|note| note.internal);
    match subject.find_project(tx)? {
        Some(project) => subject.is_read_by(tx, &project, (user, is_internal), now),
        None => Ok(false),
    }
}
