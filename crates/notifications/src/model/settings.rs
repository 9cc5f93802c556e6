//! Settings of a channel.

use url::Url;

use super::{ChannelKind, HookTriggers, MessageSeverity, QuietHours};

/// Settings of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct ChannelSettings {
    /// Display name, unique in the project, 1 to [`Self::MAX_NAME`] characters.
    pub name: String,
    /// URL of the receiver; empty for e-mail. For [`ChannelKind::Slack`] the origin alone: the whole URL is the secret.
    pub url: String,
    /// Addresses separated by commas, room id, topic, or id of an on-call schedule. Empty for kinds without.
    pub recipient: String,
    /// True if messages about alerts are sent.
    pub alert_events: bool,
    /// True if messages about incidents are sent.
    pub incident_events: bool,
    /// True if messages about new errors and regressions are sent.
    pub error_events: bool,
    /// True if a channel of a user gets what is assigned to the user, and what mentions the user. Of any severity.
    pub assignment_events: bool,
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
    /// Description of a project hook, at most [`Self::MAX_DESCRIPTION`] characters. Empty for other kinds.
    pub description: String,
    /// Events that a project hook reports besides alerts. None for other kinds.
    pub hook_triggers: HookTriggers,
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
    /// The recipient is no on-call schedule of the project.
    #[error("recipient must be the id or the name of an on-call schedule of the project")]
    Schedule,
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
    /// The description is too long.
    #[error(
        "description must have at most {} characters",
        ChannelSettings::MAX_DESCRIPTION
    )]
    Description,
    /// A project hook reports every event at once, and only events of hooks.
    #[error(
        "a project hook has no incident_events, error_events, delay, reminders, minimum_severity and quiet hours"
    )]
    HookSettings,
    /// Only users are assigned something, or mentioned.
    #[error("assignment_events are for channels of users")]
    NoUser,
    /// Only project hooks have a description and report these events.
    #[error("issue and note events are reported by project hooks only; use the hooks API")]
    NoHook,
    /// The token cannot be sent in a header.
    #[error(
        "token must be printable ASCII characters, at most {}",
        ChannelSettings::MAX_TOKEN
    )]
    Token,
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
    /// Longest description of a project hook, in characters.
    pub const MAX_DESCRIPTION: usize = 1000;
    /// Longest token of a project hook, in characters.
    pub const MAX_TOKEN: usize = 2048;
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
            assignment_events: false,
            minimum_severity: MessageSeverity::Unknown,
            is_active: true,
            delay_minutes: 0,
            repeat_minutes: 0,
            hourly_limit: Self::DEFAULT_HOURLY_LIMIT,
            quiet_hours: None,
            description: String::new(),
            hook_triggers: HookTriggers::default(),
        }
    }

    /// Returns the settings of a project hook that reports nothing yet.
    pub fn of_hook() -> Self {
        Self {
            alert_events: false,
            incident_events: false,
            error_events: false,
            hourly_limit: Self::MAX_HOURLY_LIMIT,
            ..Self::new("")
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
        self.check_hook(kind)
    }

    /// Refuses settings of hooks for other kinds, and those of other kinds for hooks.
    fn check_hook(&self, kind: ChannelKind) -> Result<(), ChannelSettingsError> {
        if self.description.chars().count() > Self::MAX_DESCRIPTION {
            return Err(ChannelSettingsError::Description);
        }
        let of_hook = Self {
            name: self.name.clone(),
            url: self.url.clone(),
            is_active: self.is_active,
            alert_events: self.alert_events,
            hourly_limit: self.hourly_limit,
            description: self.description.clone(),
            hook_triggers: self.hook_triggers,
            ..Self::of_hook()
        };
        let is_plain = self.description.is_empty() && self.hook_triggers == HookTriggers::default();
        match kind {
            ChannelKind::ProjectHook if *self != of_hook => Err(ChannelSettingsError::HookSettings),
            ChannelKind::ProjectHook => Ok(()),
            _ if !is_plain => Err(ChannelSettingsError::NoHook),
            _ => Ok(()),
        }
    }

    /// Checks the token of a project hook, which is sent in a header. An empty one stands for none.
    ///
    /// # Errors
    /// [`ChannelSettingsError::Token`].
    pub fn check_hook_token(token: &str) -> Result<(), ChannelSettingsError> {
        let is_sendable = token
            .bytes()
            .all(|byte| byte == b' ' || byte.is_ascii_graphic());
        let is_right = is_sendable && token.len() <= Self::MAX_TOKEN;
        is_right.then_some(()).ok_or(ChannelSettingsError::Token)
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
            ChannelKind::OnCall => recipient
                .parse::<i64>()
                .is_ok_and(|id| id > 0)
                .then_some(())
                .ok_or(ChannelSettingsError::Schedule),
            ChannelKind::Webhook | ChannelKind::Slack | ChannelKind::ProjectHook => recipient
                .is_empty()
                .then_some(())
                .ok_or(ChannelSettingsError::UnusedRecipient),
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
        use ChannelKind::{Email, Matrix, Ntfy, OnCall, Slack, Webhook};
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
            (OnCall, "", "7", Ok(())),
            (OnCall, "", "0", Err(ChannelSettingsError::Schedule)),
            (OnCall, "", "Team", Err(ChannelSettingsError::Schedule)),
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

    #[test]
    fn hooks_and_channels_have_settings_of_their_own() {
        let hook = ChannelSettings {
            name: "Bot".to_owned(),
            url: "https://example.com".to_owned(),
            ..ChannelSettings::of_hook()
        };
        let triggers = HookTriggers {
            notes: true,
            ..HookTriggers::default()
        };
        for (edit, of_hook, of_webhook) in [
            (hook.clone(), Ok(()), Ok(())),
            (
                ChannelSettings {
                    hook_triggers: triggers,
                    ..hook.clone()
                },
                Ok(()),
                Err(ChannelSettingsError::NoHook),
            ),
            (
                ChannelSettings {
                    description: "x".repeat(1001),
                    ..hook.clone()
                },
                Err(ChannelSettingsError::Description),
                Err(ChannelSettingsError::Description),
            ),
            (
                ChannelSettings {
                    delay_minutes: 5,
                    ..hook.clone()
                },
                Err(ChannelSettingsError::HookSettings),
                Ok(()),
            ),
            (
                ChannelSettings {
                    minimum_severity: MessageSeverity::High,
                    ..hook
                },
                Err(ChannelSettingsError::HookSettings),
                Ok(()),
            ),
        ] {
            assert_eq!(edit.check(ChannelKind::ProjectHook), of_hook, "{edit:?}");
            assert_eq!(edit.check(ChannelKind::Webhook), of_webhook, "{edit:?}");
        }
        let of_token = ChannelSettings::check_hook_token;
        assert_eq!((of_token(""), of_token("a b~")), (Ok(()), Ok(())));
        for token in ["a\nb", "\u{e4}", &"x".repeat(2049)] {
            assert_eq!(of_token(token), Err(ChannelSettingsError::Token));
        }
    }
}
