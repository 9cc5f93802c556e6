//! Rows of messages with their attempts.

use api_conventions::time::Timestamp;
use notifications::model::{
    AttemptOutcome, Channel, DeliveryAttempt, MessageEvent, MessageState, OutboxMessage,
};

use crate::frame::page::display_name::DisplayName;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::ProjectContext;

/// Row of a message.
pub(super) struct MessageEntry {
    pub(super) state: Pill,
    /// Subject of the message, in words.
    pub(super) text: DisplayName,
    /// Path of the page of the subject, if there is one.
    pub(super) path: Option<String>,
    pub(super) event: &'static str,
    /// Reason why the message was not sent, as a sentence.
    pub(super) reason: Option<&'static str>,
    pub(super) channel: DisplayName,
    pub(super) created: DisplayTime,
    pub(super) attempts: Vec<AttemptEntry>,
}

/// Row of an attempt.
pub(super) struct AttemptEntry {
    pub(super) number: u32,
    pub(super) at: DisplayTime,
    /// Outcome in words.
    pub(super) text: String,
}

impl MessageEntry {
    /// Creates the row of a message, with a link in a list of a project.
    pub(super) fn new(
        found: Option<&ProjectContext>,
        channels: &[Channel],
        (message, attempts): (OutboxMessage, Vec<DeliveryAttempt>),
        now: Timestamp,
    ) -> Self {
        let name = channels
            .iter()
            .find(|channel| channel.id == message.channel_id)
            .map_or("Deleted channel or channel of a user", |channel| {
                &channel.settings.name
            });
        Self {
            state: state(message.state),
            path: found.and_then(|found| path(found, &message)),
            text: DisplayName::of(&text(&message)),
            event: event(message.event),
            reason: reason(message.state),
            channel: DisplayName::of(name),
            created: DisplayTime::at(message.created_at, now),
            attempts: attempts
                .into_iter()
                .map(|attempt| AttemptEntry {
                    number: attempt.number,
                    at: DisplayTime::at(attempt.at, now),
                    text: outcome(&attempt),
                })
                .collect(),
        }
    }
}

fn path(found: &ProjectContext, message: &OutboxMessage) -> Option<String> {
    let iid = message.content.iid?;
    let place = found.path();
    match message.event {
        MessageEvent::AlertOpened
        | MessageEvent::AlertReminder
        | MessageEvent::AlertResolved
        | MessageEvent::AlertHook => Some(format!("{place}/-/alert_management/{iid}/details")),
        MessageEvent::IncidentOpened
        | MessageEvent::IncidentClosed
        | MessageEvent::IssueHook
        | MessageEvent::NoteHook => Some(format!("{place}/-/issues/{iid}")),
        MessageEvent::ErrorCreated | MessageEvent::ErrorRegressed => {
            Some(format!("{place}/-/error_tracking/{iid}/details"))
        }
        MessageEvent::AlertsOpened
        | MessageEvent::ErrorsCreated
        | MessageEvent::MessagesDropped
        | MessageEvent::Test
        | MessageEvent::PasswordReset
        | MessageEvent::PasswordChanged
        | MessageEvent::Invitation
        | MessageEvent::TokenExpiry
        | MessageEvent::IssueAssigned
        | MessageEvent::AlertAssigned
        | MessageEvent::Mention => None,
    }
}

fn text(message: &OutboxMessage) -> String {
    let count = message.content.count.unwrap_or_default();
    match message.event {
        MessageEvent::AlertsOpened => format!("{count} alerts: {}", message.content.title),
        MessageEvent::ErrorsCreated => format!("{count} errors: {}", message.content.title),
        MessageEvent::MessagesDropped => format!("{count} messages dropped"),
        MessageEvent::Test => "Test message".to_owned(),
        _ => message.content.title.clone(),
    }
}

const fn event(event: MessageEvent) -> &'static str {
    match event {
        MessageEvent::AlertOpened => "Alert opened",
        MessageEvent::AlertReminder => "Reminder",
        MessageEvent::AlertResolved => "Alert resolved",
        MessageEvent::AlertsOpened => "Alerts opened",
        MessageEvent::ErrorCreated => "New error",
        MessageEvent::ErrorRegressed => "Regression",
        MessageEvent::ErrorsCreated => "New errors",
        MessageEvent::IncidentOpened => "Incident opened",
        MessageEvent::IncidentClosed => "Incident closed",
        MessageEvent::MessagesDropped => "Limit reached",
        MessageEvent::Test => "Test",
        MessageEvent::PasswordReset => "Forgotten password",
        MessageEvent::PasswordChanged => "Password changed",
        MessageEvent::Invitation => "Invitation",
        MessageEvent::TokenExpiry => "Token expires",
        MessageEvent::IssueHook => "Issue event",
        MessageEvent::NoteHook => "Comment",
        MessageEvent::AlertHook => "Alert event",
        MessageEvent::IssueAssigned => "Issue assigned",
        MessageEvent::AlertAssigned => "Alert assigned",
        MessageEvent::Mention => "Mention",
    }
}

const fn state(state: MessageState) -> Pill {
    match state {
        MessageState::Queued => Pill::WAITING,
        MessageState::Sending => Pill::SENDING,
        MessageState::Sent => Pill::SENT,
        MessageState::Failed => Pill::FAILED,
        MessageState::Dropped | MessageState::Limited => Pill::DROPPED,
        MessageState::Cancelled
        | MessageState::Resolved
        | MessageState::Acknowledged
        | MessageState::Silenced
        | MessageState::Obsolete
        | MessageState::ChannelOff
        | MessageState::NoMail => Pill::CANCELLED,
    }
}

/// Returns the reason for which a message was cancelled or dropped.
const fn reason(state: MessageState) -> Option<&'static str> {
    match state {
        MessageState::Queued
        | MessageState::Sending
        | MessageState::Sent
        | MessageState::Failed
        | MessageState::Cancelled => None,
        MessageState::Dropped => Some("It waited for too long"),
        MessageState::Resolved => Some("It was over before it was sent"),
        MessageState::Acknowledged => Some("Somebody knew of it before it was sent"),
        MessageState::Silenced => Some("A silence hides it"),
        MessageState::Obsolete => Some("It was no longer of use"),
        MessageState::ChannelOff => Some("The channel was turned off or deleted"),
        MessageState::NoMail => Some("This server sends no e-mail"),
        MessageState::Limited => Some("The channel reached its limit"),
    }
}

/// Returns the outcome of an attempt in words.
fn outcome(attempt: &DeliveryAttempt) -> String {
    let status = attempt
        .status
        .map_or_else(String::new, |status| format!(" with status {status}"));
    let detail = attempt.detail.trim();
    let detail = if detail.is_empty() {
        String::new()
    } else {
        format!(": {detail}")
    };
    let word = match attempt.outcome {
        AttemptOutcome::Delivered => "accepted",
        AttemptOutcome::Failed => "failed",
        AttemptOutcome::Rejected => "refused",
        AttemptOutcome::Gone => "refused, the channel was turned off",
    };
    format!("{word}{status}{detail} ({} ms)", attempt.millis)
}
