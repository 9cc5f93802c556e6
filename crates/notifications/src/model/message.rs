//! Messages of the outbox.

use api_conventions::ids::{ChannelId, MessageId, NoteId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::HookBody;

use super::ChannelOwner;

api_conventions::named! {
    /// Severity of the subject of a message, in the words of the specification's severity table. Ordered from least to
    /// most critical.
    pub enum MessageSeverity {
        /// Unknown.
        Unknown = 5, "unknown";
        /// Informational.
        Info = 4, "info";
        /// Low.
        Low = 3, "low";
        /// Medium.
        Medium = 2, "medium";
        /// High.
        High = 1, "high";
        /// Critical.
        Critical = 0, "critical";
    }
}

api_conventions::stored_as_number!(MessageSeverity);

api_conventions::named! {
    /// Event that a message reports. The names are the types of webhooks.
    pub enum MessageEvent {
        /// An alert was opened, or became severe enough for the channel.
        AlertOpened = 0, "alert.opened";
        /// An alert was resolved.
        AlertResolved = 1, "alert.resolved";
        /// Many alerts were opened at once; the message describes the most severe one.
        AlertsOpened = 2, "alerts.opened";
        /// An incident was opened.
        IncidentOpened = 3, "incident.opened";
        /// An incident was closed.
        IncidentClosed = 4, "incident.closed";
        /// Messages were dropped because of the channel's limit.
        MessagesDropped = 5, "messages.dropped";
        /// A user tests the channel.
        Test = 6, "test";
        /// An alert is still open, and nobody acknowledged it.
        AlertReminder = 7, "alert.reminder";
        /// A new error was reported.
        ErrorCreated = 8, "error.created";
        /// A resolved error was reported again.
        ErrorRegressed = 9, "error.regressed";
        /// Many new errors were reported at once; the message describes the most severe one.
        ErrorsCreated = 10, "errors.created";
        /// A link to reset the password of an account was requested.
        PasswordReset = 11, "account.password_reset";
        /// The password of an account was changed.
        PasswordChanged = 12, "account.password_changed";
        /// A person is invited to register.
        Invitation = 13, "account.invitation";
        /// An access token expires soon.
        TokenExpiry = 14, "account.token_expiry";
        /// An issue was assigned to a user. For that user only, as the two following ones.
        IssueAssigned = 15, "issue.assigned";
        /// An alert was assigned to a user.
        AlertAssigned = 16, "alert.assigned";
        /// A description or a comment mentions a user.
        Mention = 17, "mention";
        /// An issue was created or changed. For project hooks only, as the following ones.
        IssueHook = 20, "hook.issue";
        /// A comment was created or changed.
        NoteHook = 21, "hook.note";
        /// An alert was opened or changed.
        AlertHook = 22, "hook.alert";
    }
}

impl MessageEvent {
    /// True for a message about an account, an invitation or an access token.
    pub const fn is_about_account(self) -> bool {
        matches!(
            self,
            Self::PasswordReset | Self::PasswordChanged | Self::Invitation | Self::TokenExpiry
        )
    }

    /// True for a message to one user: an assignment or a mention.
    pub const fn is_for_user(self) -> bool {
        matches!(
            self,
            Self::IssueAssigned | Self::AlertAssigned | Self::Mention
        )
    }

    /// True for a message that its subject is open.
    pub const fn is_opening(self) -> bool {
        matches!(
            self,
            Self::AlertOpened | Self::AlertReminder | Self::IncidentOpened
        )
    }
}

api_conventions::named! {
    /// State of a message.
    pub enum MessageState {
        /// The message waits for its first or next attempt.
        Queued = 0, "queued";
        /// An attempt is under way, or was when its process ended.
        Sending = 1, "sending";
        /// The receiver accepted the message.
        Sent = 2, "sent";
        /// The receiver refused the message.
        Failed = 3, "failed";
        /// Cancelled by an administrator, or before the server recorded reasons.
        Cancelled = 4, "cancelled";
        /// Dropped, because it waited for too long.
        Dropped = 5, "dropped";
        /// Cancelled, because its subject is over.
        Resolved = 6, "resolved";
        /// Cancelled, because somebody knows of its subject.
        Acknowledged = 7, "acknowledged";
        /// Cancelled, because a silence hides its subject.
        Silenced = 8, "silenced";
        /// Cancelled, because what it says is no longer so, or the person may no longer hear of it.
        Obsolete = 9, "obsolete";
        /// Cancelled, because its channel was turned off or deleted.
        ChannelOff = 10, "channel_off";
        /// Cancelled, because the server sends no e-mail.
        NoMail = 11, "no_mail";
        /// Dropped, because the channel reached its hourly limit.
        Limited = 12, "limited";
    }
}

impl MessageState {
    /// True while the message may still be sent.
    pub const fn is_pending(self) -> bool {
        matches!(self, Self::Queued | Self::Sending)
    }

    /// Name of the state, without the reason: one of the first six.
    pub const fn group(self) -> &'static str {
        match self {
            Self::Resolved
            | Self::Acknowledged
            | Self::Silenced
            | Self::Obsolete
            | Self::ChannelOff
            | Self::NoMail => Self::Cancelled.as_str(),
            Self::Limited => Self::Dropped.as_str(),
            state => state.as_str(),
        }
    }

    /// Reason for the state, if there is one beside its group.
    pub fn reason(self) -> Option<&'static str> {
        Some(self.as_str()).filter(|name| *name != self.group())
    }
}

api_conventions::named! {
    /// Kind of the subject of a message.
    pub enum MessageSubjectKind {
        /// The channel itself, or several alerts.
        None = 0, "none";
        /// An alert.
        Alert = 1, "alert";
        /// An issue that is an incident.
        Incident = 2, "incident";
        /// An error of a program.
        Error = 3, "error";
        /// The account of a user.
        Account = 4, "account";
        /// An invitation to register.
        Invitation = 5, "invitation";
        /// An access token.
        Token = 6, "token";
        /// An issue of any kind, in messages to users.
        Issue = 7, "issue";
        /// An alert, in messages to users. What cancels messages about an alert, such as an acknowledgement, keeps these.
        AlertOfUser = 8, "alert_of_user";
    }
}

/// Subject of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageSubject {
    /// Kind.
    pub kind: MessageSubjectKind,
    /// Id of the alert, issue, error, user, invitation or token; 0 for none.
    pub id: i64,
}

impl MessageSubject {
    /// No subject.
    pub const NONE: Self = Self {
        kind: MessageSubjectKind::None,
        id: 0,
    };
}

/// Content of a message: its subject at the time of the event. Serialized for the store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageContent {
    /// Title of the subject.
    pub title: String,
    /// Number of the subject in the project, if it has one.
    pub iid: Option<i64>,
    /// Severity, if the subject has one.
    pub severity: Option<MessageSeverity>,
    /// Beginning of the description, at most [`Self::MAX_DESCRIPTION`] characters.
    pub description: String,
    /// Affected service; empty if unknown.
    pub service: String,
    /// Environment, if known.
    pub environment: Option<String>,
    /// Start of the alert or incident.
    #[serde(with = "api_conventions::stored::optional_timestamp")]
    pub started_at: Option<Timestamp>,
    /// End of the alert or incident.
    #[serde(with = "api_conventions::stored::optional_timestamp")]
    pub ended_at: Option<Timestamp>,
    /// Number of alerts or messages that the message is about, if there are several.
    pub count: Option<u32>,
    /// Path of the link of a message about an account, if it contains a secret: encrypted by the caller, in Base64.
    pub sealed_path: Option<String>,
    /// Body of the request of a project hook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<HookBody>,
    /// User for whom the message is, if it is [for one](MessageEvent::is_for_user).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserId>,
    /// Project of the subject of such a message, which is not among the messages of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// Comment that mentions the user, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note_id: Option<NoteId>,
}

impl MessageContent {
    /// Longest title, in characters.
    pub const MAX_TITLE: usize = 500;
    /// Longest description, in characters.
    pub const MAX_DESCRIPTION: usize = 1000;

    /// Returns the content with long texts cut.
    #[must_use]
    pub fn shortened(mut self) -> Self {
        self.title = shortened(self.title, Self::MAX_TITLE);
        self.description = shortened(self.description, Self::MAX_DESCRIPTION);
        self
    }
}

/// Cuts a text to a number of characters, the last of which is an ellipsis.
pub fn shortened(mut text: String, max: usize) -> String {
    let last = max.saturating_sub(1);
    if text.chars().nth(max).is_some()
        && let Some((end, _)) = text.char_indices().nth(last)
    {
        text.truncate(end);
        text.push('\u{2026}');
    }
    text
}

/// A message to be written to the outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// Project in whose list the message is; `None` for a message about an account, and for one to a user.
    pub project_id: Option<ProjectId>,
    /// Channel.
    pub channel_id: ChannelId,
    /// Event.
    pub event: MessageEvent,
    /// Subject.
    pub subject: MessageSubject,
    /// Content.
    pub content: MessageContent,
    /// Time of the event.
    pub created_at: Timestamp,
    /// Earliest time of the first attempt.
    pub send_at: Timestamp,
}

impl NewMessage {
    /// Returns the message as stored under an id.
    pub fn stored(&self, id: MessageId) -> OutboxMessage {
        OutboxMessage {
            id,
            project_id: self.project_id,
            channel_id: self.channel_id,
            event: self.event,
            subject: self.subject,
            content: self.content.clone(),
            state: MessageState::Queued,
            attempts: 0,
            created_at: self.created_at,
            send_at: self.send_at,
            finished_at: None,
        }
    }
}

/// A message of the outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxMessage {
    /// Id. A channel sends in the order of `send_at` and of ids.
    pub id: MessageId,
    /// Project in whose list the message is; `None` for a message about an account, and for one to a user.
    pub project_id: Option<ProjectId>,
    /// Channel, which may be deleted by now.
    pub channel_id: ChannelId,
    /// Event.
    pub event: MessageEvent,
    /// Subject.
    pub subject: MessageSubject,
    /// Content.
    pub content: MessageContent,
    /// State.
    pub state: MessageState,
    /// Attempts that were started.
    pub attempts: u32,
    /// Time of the event.
    pub created_at: Timestamp,
    /// Earliest time of the first attempt.
    pub send_at: Timestamp,
    /// Time from which on the message is not sent (again).
    pub finished_at: Option<Timestamp>,
}

impl OutboxMessage {
    /// Project of the subject; `None` for a message about an account.
    pub fn subject_project(&self) -> Option<ProjectId> {
        self.project_id.or(self.content.project_id)
    }

    /// Key by which receivers recognize a message that arrives again: the same in all attempts, and different on every
    /// server. It contains no period (Standard Webhooks).
    pub fn key(&self) -> String {
        let text = format!(
            "{} {} {}",
            self.channel_id,
            self.id,
            self.created_at.as_micros()
        );
        let digest = Sha256::digest(text.as_bytes());
        let (kept, _) = digest.split_at(18);
        format!("msg_{}", URL_SAFE_NO_PAD.encode(kept))
    }
}

/// Messages of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageScope {
    /// Messages about subjects in a project, to channels of the project and of users.
    Project(ProjectId),
    /// Messages to a channel of this owner. The channel of a project may be deleted.
    Channel(ChannelOwner, ChannelId),
}

/// Filter for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageFilter {
    /// Messages of the list.
    pub scope: MessageScope,
    /// Only messages with smaller ids.
    pub before: Option<MessageId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_end_with_an_ellipsis() {
        let content = MessageContent {
            title: "\u{e4}".repeat(501),
            description: "x".repeat(1000),
            ..MessageContent::default()
        };
        let short = content.shortened();
        assert_eq!(short.title.chars().count(), 500);
        assert!(short.title.ends_with('\u{2026}'));
        assert_eq!(short.description, "x".repeat(1000));
    }

    #[test]
    fn content_is_read_as_it_was_stored() {
        let content = MessageContent {
            title: "Disk full".to_owned(),
            iid: Some(7),
            severity: Some(MessageSeverity::High),
            started_at: Some(Timestamp::MAX),
            ended_at: None,
            count: Some(3),
            ..MessageContent::default()
        };
        let stored = serde_json::to_string(&content).unwrap();
        assert_eq!(
            serde_json::from_str::<MessageContent>(&stored).unwrap(),
            content
        );
    }

    #[test]
    fn a_key_depends_on_channel_message_and_time() {
        let of = |channel, id, micros| {
            let new = NewMessage {
                project_id: Some(ProjectId::new(1)),
                channel_id: ChannelId::new(channel),
                event: MessageEvent::Test,
                subject: MessageSubject::NONE,
                content: MessageContent::default(),
                created_at: Timestamp::from_micros(micros).unwrap(),
                send_at: Timestamp::MIN,
            };
            new.stored(MessageId::new(id)).key()
        };
        let keys = [
            of(1, 1, 1),
            of(1, 1, 2),
            of(1, 2, 1),
            of(2, 1, 1),
            of(11, 1, 1),
            of(1, 11, 1),
        ];
        let distinct: std::collections::BTreeSet<&String> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len());
        assert_eq!(of(1, 1, 1), of(1, 1, 1));
        assert!(
            keys.iter()
                .all(|key| key.starts_with("msg_") && !key.contains('.'))
        );
    }
}
