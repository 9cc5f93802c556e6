//! Channels of a project.

use api_conventions::ids::{ChannelId, ProjectId};
use api_conventions::time::Timestamp;
use url::Url;

use super::{MessageEvent, MessageSeverity};

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
    }
}

impl ChannelKind {
    /// True if a URL is part of the settings.
    pub const fn has_url(self) -> bool {
        !matches!(self, Self::Email)
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
            Self::Webhook | Self::Slack => None,
        }
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

/// Settings of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSettings {
    /// Display name, unique in the project, 1 to [`Self::MAX_NAME`] characters.
    pub name: String,
    /// URL of the receiver; empty for e-mail. For [`ChannelKind::Slack`] the origin alone: the whole URL is the secret.
    pub url: String,
    /// Addresses separated by commas, room id, or topic. Empty for kinds without.
    pub recipient: String,
    /// True if messages about alerts are sent.
    pub alert_events: bool,
    /// True if messages about incidents are sent.
    pub incident_events: bool,
    /// Alerts and incidents below this severity send no message.
    pub minimum_severity: MessageSeverity,
    /// True if messages are sent.
    pub is_active: bool,
    /// Largest number of messages in an hour, 1 to [`Self::MAX_HOURLY_LIMIT`].
    pub hourly_limit: u32,
}

/// Reason to refuse settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChannelSettingsError {
    /// The name is blank or too long.
    #[error("name must have 1 to {} characters", ChannelSettings::MAX_NAME)]
    Name,
    /// The URL is missing or not one of HTTP.
    #[error("url must be an absolute http or https URL without user name and fragment")]
    Url,
    /// The kind has no URL.
    #[error("url is not used by this kind of channel")]
    UnusedUrl,
    /// The addresses are missing, too many, or malformed.
    #[error(
        "recipient must be 1 to {} e-mail addresses, separated by commas",
        ChannelSettings::MAX_ADDRESSES
    )]
    Addresses,
    /// The room is not a room id.
    #[error("recipient must be the id of a room, such as !abc:example.com")]
    Room,
    /// The topic is not one of ntfy.
    #[error("recipient must be a topic of 1 to 64 letters, digits, - and _")]
    Topic,
    /// The kind has no recipient.
    #[error("recipient is not used by this kind of channel")]
    UnusedRecipient,
    /// The limit is out of range.
    #[error(
        "hourly_limit must be between 1 and {}",
        ChannelSettings::MAX_HOURLY_LIMIT
    )]
    HourlyLimit,
}

impl ChannelSettings {
    /// Longest name, in characters.
    pub const MAX_NAME: usize = 255;
    /// Longest URL, in bytes.
    pub const MAX_URL: usize = 2048;
    /// Largest number of e-mail addresses.
    pub const MAX_ADDRESSES: usize = 20;
    /// Longest e-mail address, in bytes (RFC 5321, section 4.5.3.1.3).
    pub const MAX_ADDRESS: usize = 254;
    /// Largest number of messages in an hour.
    pub const MAX_HOURLY_LIMIT: u32 = 1000;
    /// Number of messages in an hour if none is given.
    pub const DEFAULT_HOURLY_LIMIT: u32 = 60;

    /// Returns the settings of a channel that sends everything.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            url: String::new(),
            recipient: String::new(),
            alert_events: true,
            incident_events: true,
            minimum_severity: MessageSeverity::Unknown,
            is_active: true,
            hourly_limit: Self::DEFAULT_HOURLY_LIMIT,
        }
    }

    /// Checks the settings of a channel of this kind.
    ///
    /// # Errors
    /// See [`ChannelSettingsError`].
    pub fn check(&self, kind: ChannelKind) -> Result<(), ChannelSettingsError> {
        if self.name.trim().is_empty() || self.name.chars().count() > Self::MAX_NAME {
            return Err(ChannelSettingsError::Name);
        }
        match (kind.has_url(), self.url.is_empty()) {
            (true, _) => check_url(&self.url)?,
            (false, false) => return Err(ChannelSettingsError::UnusedUrl),
            (false, true) => (),
        }
        self.check_recipient(kind)?;
        if !(1..=Self::MAX_HOURLY_LIMIT).contains(&self.hourly_limit) {
            return Err(ChannelSettingsError::HourlyLimit);
        }
        Ok(())
    }

    fn check_recipient(&self, kind: ChannelKind) -> Result<(), ChannelSettingsError> {
        let recipient = self.recipient.as_str();
        let is_topic = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let is_room = || {
            recipient.strip_prefix('!').is_some_and(|rest| {
                (1..255).contains(&rest.len()) && rest.bytes().all(|byte| byte.is_ascii_graphic())
            })
        };
        match kind {
            ChannelKind::Email => {
                let addresses: Vec<&str> = self.addresses().collect();
                let are_valid = addresses.iter().all(|address| is_address(address));
                let is_right = (1..=Self::MAX_ADDRESSES).contains(&addresses.len()) && are_valid;
                is_right
                    .then_some(())
                    .ok_or(ChannelSettingsError::Addresses)
            }
            ChannelKind::Matrix => is_room().then_some(()).ok_or(ChannelSettingsError::Room),
            ChannelKind::Ntfy => {
                let is_right =
                    (1..=64).contains(&recipient.len()) && recipient.bytes().all(is_topic);
                is_right.then_some(()).ok_or(ChannelSettingsError::Topic)
            }
            ChannelKind::Webhook | ChannelKind::Slack if recipient.is_empty() => Ok(()),
            ChannelKind::Webhook | ChannelKind::Slack => Err(ChannelSettingsError::UnusedRecipient),
        }
    }

    /// Returns the addresses of an e-mail channel.
    pub fn addresses(&self) -> impl Iterator<Item = &str> {
        let parts = self.recipient.split(',').map(str::trim);
        parts.filter(|part| !part.is_empty())
    }
}

/// Checks a URL that messages are sent to.
fn check_url(text: &str) -> Result<(), ChannelSettingsError> {
    let url = Url::parse(text).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.fragment().is_none()
    });
    let is_short = text.len() <= ChannelSettings::MAX_URL;
    url.filter(|_| is_short)
        .map(drop)
        .ok_or(ChannelSettingsError::Url)
}

/// True for an address with one `@`, without white space, quotes and control characters. The mail server knows the rest.
fn is_address(address: &str) -> bool {
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !"\"(),:;<>[\\]".contains(c);
    let parts = address.split_once('@');
    address.len() <= ChannelSettings::MAX_ADDRESS
        && parts.is_some_and(|(local, domain)| {
            !local.is_empty() && !domain.is_empty() && !domain.contains('@')
        })
        && address.chars().all(is_plain)
}

/// State of the delivery of a channel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelLane {
    /// Time of the next look at the queue; `None` while the queue is empty. While a message is under way, the time after
    /// which another process may send it.
    pub due_at: Option<Timestamp>,
    /// Failures since the last message that was accepted.
    pub failures: u32,
    /// Messages that were dropped and of which the channel was not told.
    pub dropped: u32,
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// Id.
    pub id: ChannelId,
    /// Project.
    pub project_id: ProjectId,
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
            | MessageEvent::AlertResolved => settings.alert_events,
            MessageEvent::IncidentOpened | MessageEvent::IncidentClosed => settings.incident_events,
            MessageEvent::MessagesDropped | MessageEvent::Test => true,
        };
        let severity = severity.unwrap_or(MessageSeverity::Unknown);
        settings.is_active && is_selected && severity >= settings.minimum_severity
    }
}

/// A channel to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChannel {
    /// Project.
    pub project_id: ProjectId,
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
            project_id: self.project_id,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(url: &str, recipient: &str) -> ChannelSettings {
        ChannelSettings {
            url: url.to_owned(),
            recipient: recipient.to_owned(),
            ..ChannelSettings::new("On call")
        }
    }

    #[test]
    fn settings_are_valid_for_their_kind() {
        use ChannelKind::{Email, Matrix, Ntfy, Slack, Webhook};
        let many = vec!["a@example.com"; 21].join(",");
        for (kind, url, recipient, expected) in [
            (Webhook, "https://example.com/x?y=1", "", Ok(())),
            (Webhook, "http://127.0.0.1:8080/", "", Ok(())),
            (Webhook, "", "", Err(ChannelSettingsError::Url)),
            (
                Webhook,
                "ftp://example.com/",
                "",
                Err(ChannelSettingsError::Url),
            ),
            (
                Webhook,
                "https://u:p@example.com/",
                "",
                Err(ChannelSettingsError::Url),
            ),
            (
                Webhook,
                "https://example.com/#x",
                "",
                Err(ChannelSettingsError::Url),
            ),
            (Webhook, "/relative", "", Err(ChannelSettingsError::Url)),
            (
                Webhook,
                "https://example.com/",
                "x",
                Err(ChannelSettingsError::UnusedRecipient),
            ),
            (Slack, "https://hooks.example.com", "", Ok(())),
            (Email, "", "a@example.com, b@example.com", Ok(())),
            (
                Email,
                "https://example.com/",
                "a@example.com",
                Err(ChannelSettingsError::UnusedUrl),
            ),
            (Email, "", "", Err(ChannelSettingsError::Addresses)),
            (Email, "", "a@b@c", Err(ChannelSettingsError::Addresses)),
            (
                Email,
                "",
                "a b@example.com",
                Err(ChannelSettingsError::Addresses),
            ),
            (
                Email,
                "",
                "a@example.com\r\nBcc: x@example.com",
                Err(ChannelSettingsError::Addresses),
            ),
            (
                Email,
                "",
                many.as_str(),
                Err(ChannelSettingsError::Addresses),
            ),
            (
                Matrix,
                "https://matrix.example.com",
                "!abc:example.com",
                Ok(()),
            ),
            (
                Matrix,
                "https://matrix.example.com",
                "#abc:example.com",
                Err(ChannelSettingsError::Room),
            ),
            (Ntfy, "https://ntfy.example.com", "on-call_1", Ok(())),
            (
                Ntfy,
                "https://ntfy.example.com",
                "a/b",
                Err(ChannelSettingsError::Topic),
            ),
        ] {
            let checked = settings(url, recipient).check(kind);
            assert_eq!(checked, expected, "{kind:?} {url} {recipient}");
        }
    }

    #[test]
    fn names_and_limits_have_bounds() {
        let of = |name: &str, hourly_limit| ChannelSettings {
            hourly_limit,
            ..ChannelSettings {
                name: name.to_owned(),
                ..settings("https://example.com", "")
            }
        };
        let check = |settings: ChannelSettings| settings.check(ChannelKind::Webhook);
        assert_eq!(check(of(" ", 1)), Err(ChannelSettingsError::Name));
        assert_eq!(
            check(of(&"x".repeat(256), 1)),
            Err(ChannelSettingsError::Name)
        );
        assert_eq!(check(of(&"\u{e4}".repeat(255), 1000)), Ok(()));
        assert_eq!(check(of("x", 0)), Err(ChannelSettingsError::HourlyLimit));
        assert_eq!(check(of("x", 1001)), Err(ChannelSettingsError::HourlyLimit));
    }
}
