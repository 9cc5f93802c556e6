//! Form of a notification channel, as people fill it in.

use gatehouse_core::flows::channels::ChannelValues;
use notifications::flow::ChannelInput;
use notifications::model::{Channel, ChannelKind, ChannelSettings, MessageSeverity};

use crate::frame::form::PageForm;
use crate::frame::page::list::sentence_case;

/// Option of a selection.
pub(super) struct FormChoice {
    pub(super) word: &'static str,
    pub(super) name: String,
    pub(super) is_chosen: bool,
}

/// Texts of the form.
#[derive(Debug, Clone)]
pub(super) struct ChannelForm {
    pub(super) name: String,
    pub(super) url: String,
    pub(super) recipient: String,
    pub(super) alert_events: bool,
    pub(super) incident_events: bool,
    pub(super) error_events: bool,
    pub(super) delay_minutes: String,
    pub(super) repeat_minutes: String,
    minimum_severity: MessageSeverity,
    pub(super) hourly_limit: String,
    /// Problem of a refused form.
    pub(super) problem: Option<String>,
    token: Option<String>,
}

impl ChannelForm {
    /// Creates the form of a new channel.
    pub(super) fn new() -> Self {
        let mut settings = ChannelSettings::new("");
        settings.incident_events = false;
        settings.error_events = false;
        Self::with(&settings)
    }

    /// Creates the form of a stored channel. A secret URL is not shown; an empty field keeps it.
    pub(super) fn of(channel: &Channel) -> Self {
        let mut form = Self::with(&channel.settings);
        if channel.kind.has_secret_url() {
            form.url.clear();
        }
        form
    }

    fn with(settings: &ChannelSettings) -> Self {
        Self {
            name: settings.name.clone(),
            url: settings.url.clone(),
            recipient: settings.recipient.clone(),
            alert_events: settings.alert_events,
            incident_events: settings.incident_events,
            error_events: settings.error_events,
            delay_minutes: settings.delay_minutes.to_string(),
            repeat_minutes: settings.repeat_minutes.to_string(),
            minimum_severity: settings.minimum_severity,
            hourly_limit: settings.hourly_limit.to_string(),
            problem: None,
            token: None,
        }
    }

    /// Reads the sent form.
    pub(super) fn read(form: &PageForm) -> Self {
        let text = |name: &str| form.text(name).trim().to_owned();
        let severity = MessageSeverity::parse(form.text("minimum_severity"));
        Self {
            name: text("name"),
            url: text("url"),
            recipient: text("recipient"),
            alert_events: form.is_ticked("alert_events"),
            incident_events: form.is_ticked("incident_events"),
            error_events: form.is_ticked("error_events"),
            delay_minutes: text("delay_minutes"),
            repeat_minutes: text("repeat_minutes"),
            minimum_severity: severity.unwrap_or(MessageSeverity::Unknown),
            hourly_limit: text("hourly_limit"),
            problem: None,
            token: Some(text("token")).filter(|token| !token.is_empty()),
        }
    }

    /// Returns the form with the problem for which it is refused.
    pub(super) fn refused(mut self, problem: String) -> Self {
        self.problem = Some(problem);
        self
    }

    /// Returns the values of a channel of this kind.
    ///
    /// # Errors
    /// A sentence about the field that cannot be read.
    pub(super) fn values(&self, kind: ChannelKind) -> Result<ChannelValues, String> {
        let number = |text: &str, name: &str| match text {
            "" => Ok(None),
            text => text
                .parse::<u32>()
                .map(Some)
                .map_err(|_| format!("{name}: write a whole number.")),
        };
        let keeps_url = kind.has_secret_url() && self.url.is_empty();
        Ok(ChannelValues {
            input: ChannelInput {
                name: Some(self.name.clone()),
                url: Some(self.url.clone()).filter(|_| kind.has_url() && !keeps_url),
                recipient: Some(self.recipient.clone()).filter(|_| kind.recipient().is_some()),
                alert_events: Some(self.alert_events),
                incident_events: Some(self.incident_events),
                error_events: Some(self.error_events),
                delay_minutes: number(&self.delay_minutes, "Delay")?,
                repeat_minutes: number(&self.repeat_minutes, "Reminders")?,
                minimum_severity: Some(self.minimum_severity),
                active: None,
                hourly_limit: number(&self.hourly_limit, "Messages per hour")?,
                secret: None,
            },
            token: self.token.clone(),
        })
    }

    /// Returns the severities to choose from, the most critical first.
    pub(super) fn severities(&self) -> Vec<FormChoice> {
        let choice = |severity: &MessageSeverity| FormChoice {
            word: severity.as_str(),
            name: match severity {
                MessageSeverity::Unknown => "All".to_owned(),
                MessageSeverity::Critical => "Critical only".to_owned(),
                other => format!("{} and above", sentence_case(other.as_str())),
            },
            is_chosen: *severity == self.minimum_severity,
        };
        MessageSeverity::ALL.iter().map(choice).collect()
    }
}

/// Returns the kinds to choose from.
pub(super) fn kinds(chosen: Option<ChannelKind>) -> Vec<FormChoice> {
    let choice = |kind: &ChannelKind| FormChoice {
        word: kind.as_str(),
        name: kind_name(*kind).to_owned(),
        is_chosen: Some(*kind) == chosen,
    };
    ChannelKind::ALL.iter().map(choice).collect()
}

/// Returns the name of a kind for people.
pub(super) const fn kind_name(kind: ChannelKind) -> &'static str {
    match kind {
        ChannelKind::Email => "E-mail",
        ChannelKind::Webhook => "Webhook",
        ChannelKind::Slack => "Slack, Mattermost or similar",
        ChannelKind::Matrix => "Matrix",
        ChannelKind::Ntfy => "ntfy",
    }
}
