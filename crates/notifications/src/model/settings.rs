//! Settings of a channel.

use url::Url;

use super::{ChannelKind, MessageSeverity, QuietHours};

/// Settings of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
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
    /// True if messages about new errors and regressions are sent.
    pub error_events: bool,
    /// Alerts, incidents and errors below this severity send no message.
    pub minimum_severity: MessageSeverity,
    /// True if messages are sent.
    pub is_active: bool,
    /// Minutes for which a message about an alert or incident that opens waits, 0 to [`Self::MAX_MINUTES`]. Nothing is sent if
    /// somebody knows of it by then, so the channel escalates.
    pub delay_minutes: u32,
    /// Minutes after which an alert that nobody knows of is sent again, up to [`Self::MAX_MINUTES`]; 0 for never.
    pub repeat_minutes: u32,
    /// Largest number of messages in an hour, 1 to [`Self::MAX_HOURLY_LIMIT`].
    pub hourly_limit: u32,
    /// Quiet hours, in which less severe messages wait.
    pub quiet_hours: Option<QuietHours>,
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
    /// The delay is out of range.
    #[error("delay_minutes must be between 0 and {}", ChannelSettings::MAX_MINUTES)]
    Delay,
    /// The interval of reminders is out of range.
    #[error(
        "repeat_minutes must be 0, or between {} and {}",
        ChannelSettings::MIN_REPEAT,
        ChannelSettings::MAX_MINUTES
    )]
    Repeat,
    /// The quiet hours start when they end.
    #[error("quiet_from and quiet_until must be different times")]
    QuietHours,
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
    /// Longest delay and interval, in minutes: a day.
    pub const MAX_MINUTES: u32 = 24 * 60;
    /// Shortest interval of reminders, in minutes.
    pub const MIN_REPEAT: u32 = 5;
    /// Number of messages in an hour if none is given.
    pub const DEFAULT_HOURLY_LIMIT: u32 = 60;

    /// Returns the settings of a channel that sends everything, at once and without reminders.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            url: String::new(),
            recipient: String::new(),
            alert_events: true,
            incident_events: true,
            error_events: true,
            minimum_severity: MessageSeverity::Unknown,
            is_active: true,
            delay_minutes: 0,
            repeat_minutes: 0,
            hourly_limit: Self::DEFAULT_HOURLY_LIMIT,
            quiet_hours: None,
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
        if self.delay_minutes > Self::MAX_MINUTES {
            return Err(ChannelSettingsError::Delay);
        }
        let is_interval = (Self::MIN_REPEAT..=Self::MAX_MINUTES).contains(&self.repeat_minutes);
        if self.repeat_minutes != 0 && !is_interval {
            return Err(ChannelSettingsError::Repeat);
        }
        if self
            .quiet_hours
            .is_some_and(|hours| hours.from == hours.until)
        {
            return Err(ChannelSettingsError::QuietHours);
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
        let waits = |delay_minutes, repeat_minutes| ChannelSettings {
            delay_minutes,
            repeat_minutes,
            ..of("x", 1)
        };
        assert_eq!(check(waits(1440, 1440)), Ok(()));
        assert_eq!(check(waits(0, 5)), Ok(()));
        assert_eq!(check(waits(1441, 0)), Err(ChannelSettingsError::Delay));
        for minutes in [1, 4, 1441] {
            assert_eq!(check(waits(0, minutes)), Err(ChannelSettingsError::Repeat));
        }
    }
}
