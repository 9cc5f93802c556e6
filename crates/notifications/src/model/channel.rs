//! Channels of projects and users, and mailboxes of the server.

use api_conventions::ids::{ChannelId, ProjectId, UserId};
use api_conventions::time::Timestamp;

use super::{ChannelSettings, MessageEvent, MessageSeverity};

api_conventions::named! {
    /// Kind of a channel. It never changes.
    pub enum ChannelKind {
        /// E-mail to addresses.
        Email = 0, "email";
        /// A POST that is signed as Standard Webhooks defines.
        Webhook = 1, "webhook";
        /// An incoming webhook of Slack, or of a chat server with the same format.
        Slack = 2, "slack";
        /// A room on a Matrix homeserver.
        Matrix = 3, "matrix";
        /// A topic on an ntfy server.
        Ntfy = 4, "ntfy";
        /// A hook of a project, which reports events as v4 clients expect them.
        ProjectHook = 5, "hook";
        /// The channels of the person who is on call in a schedule of the project.
        OnCall = 6, "on_call";
    }
}

impl ChannelKind {
    /// True if a URL is part of the settings.
    pub const fn has_url(self) -> bool {
        !matches!(self, Self::Email | Self::OnCall)
    }

    /// True if the URL contains a credential, so that it is not shown to users.
    pub const fn has_secret_url(self) -> bool {
        matches!(self, Self::Slack)
    }

    /// Name of the recipient, if the settings have one.
    pub const fn recipient(self) -> Option<&'static str> {
        match self {
            Self::Email => Some("addresses"),
            Self::Matrix => Some("room id"),
            Self::Ntfy => Some("topic"),
            Self::OnCall => Some("on-call schedule"),
            Self::Webhook | Self::Slack | Self::ProjectHook => None,
        }
    }
}

/// Owner of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChannelOwner {
    /// A project, whose Maintainers configure the channel.
    Project(ProjectId),
    /// A user, who gets what is for this user.
    User(UserId),
    /// The server. The channel is a mailbox: its name and its recipient are the address, and it gets messages about an
    /// account or an invitation.
    Server,
}

impl ChannelOwner {
    /// Returns the project, if the owner is one.
    pub const fn project(self) -> Option<ProjectId> {
        match self {
            Self::Project(id) => Some(id),
            Self::User(_) | Self::Server => None,
        }
    }

    /// Returns the user, if the owner is one.
    pub const fn user(self) -> Option<UserId> {
        match self {
            Self::User(id) => Some(id),
            Self::Project(_) | Self::Server => None,
        }
    }
}

impl From<ProjectId> for ChannelOwner {
    fn from(id: ProjectId) -> Self {
        Self::Project(id)
    }
}

impl From<UserId> for ChannelOwner {
    fn from(id: UserId) -> Self {
        Self::User(id)
    }
}

/// Secret of a channel, encrypted by the caller: a signing key, an access token, or a URL that is a credential.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedSecret(pub Vec<u8>);

impl std::fmt::Debug for SealedSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealedSecret")
    }
}

/// State of the delivery of a channel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelLane {
    /// Time of the next look at the queue; `None` while the queue is empty. While a message is under way, the time after
    /// which another process may send it.
    pub due_at: Option<Timestamp>,
    /// True if `due_at` is the time of a message that waits for it, so that an earlier message comes first. False while the
    /// channel is reserved, and while it waits for another reason.
    pub is_waiting: bool,
    /// Failures since the last message that was accepted.
    pub failures: u32,
    /// Messages that were dropped since the last message that gave their number.
    pub dropped: u32,
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// Id.
    pub id: ChannelId,
    /// Owner.
    pub owner: ChannelOwner,
    /// Kind.
    pub kind: ChannelKind,
    /// Settings.
    pub settings: ChannelSettings,
    /// Secret, if there is one.
    pub secret: Option<SealedSecret>,
    /// State of the delivery.
    pub lane: ChannelLane,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change to the settings.
    pub updated_at: Timestamp,
}

impl Channel {
    /// True if the channel sends messages of this kind about something of this severity.
    pub fn wants(&self, event: MessageEvent, severity: Option<MessageSeverity>) -> bool {
        let settings = &self.settings;
        let is_selected = match event {
            MessageEvent::AlertOpened
            | MessageEvent::AlertsOpened
            | MessageEvent::AlertReminder
            | MessageEvent::AlertResolved => settings.alert_events,
            MessageEvent::IncidentOpened | MessageEvent::IncidentClosed => settings.incident_events,
            MessageEvent::ErrorCreated
            | MessageEvent::ErrorRegressed
            | MessageEvent::ErrorsCreated => settings.error_events,
            MessageEvent::MessagesDropped
            | MessageEvent::Test
            | MessageEvent::PasswordReset
            | MessageEvent::PasswordChanged
            | MessageEvent::Invitation
            | MessageEvent::TokenExpiry => true,
            MessageEvent::IssueAssigned | MessageEvent::AlertAssigned | MessageEvent::Mention => {
                return settings.is_active && settings.assignment_events;
            }
            MessageEvent::IssueHook | MessageEvent::NoteHook | MessageEvent::AlertHook => false,
        };
        let severity = severity.unwrap_or(MessageSeverity::Unknown);
        settings.is_active && is_selected && severity >= settings.minimum_severity
    }
}

/// A channel to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChannel {
    /// Owner.
    pub owner: ChannelOwner,
    /// Kind.
    pub kind: ChannelKind,
    /// Settings.
    pub settings: ChannelSettings,
    /// Secret, if there is one.
    pub secret: Option<SealedSecret>,
    /// Current time.
    pub created_at: Timestamp,
}

impl NewChannel {
    /// Returns the channel as stored under an id.
    pub fn stored(&self, id: ChannelId) -> Channel {
        Channel {
            id,
            owner: self.owner,
            kind: self.kind,
            settings: self.settings.clone(),
            secret: self.secret.clone(),
            lane: ChannelLane::default(),
            created_at: self.created_at,
            updated_at: self.created_at,
        }
    }
}

/// A channel with something to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueChannel {
    /// Channel.
    pub id: ChannelId,
    /// Time since which it is due.
    pub due_at: Timestamp,
}
