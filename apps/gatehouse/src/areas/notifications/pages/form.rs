//! Form of a notification channel, as people fill it in.

use gatehouse_core::flows::channels::ChannelValues;
use notifications::flow::ChannelInput;
use notifications::model::{
    Channel, ChannelKind, ChannelSettings, HookTriggers, LocalTime, MessageSeverity, QuietHours,
};

use crate::frame::form::PageForm;
use crate::frame::page::list::sentence_case;

/// Option of a selection.
pub(in crate::areas::notifications) struct FormChoice {
    pub(in crate::areas::notifications) word: &'static str,
    pub(super) name: String,
    pub(super) is_chosen: bool,
}

/// Texts of the form.
#[derive(Debug, Clone)]
pub(in crate::areas::notifications) struct ChannelForm {
    pub(super) name: String,
    pub(super) url: String,
    pub(super) recipient: String,
    pub(super) alert_events: bool,
    pub(super) incident_events: bool,
    pub(super) error_events: bool,
    /// True to send assignments and mentions; `None` for a channel of a project.
    pub(super) assignment_events: Option<bool>,
    pub(super) delay_minutes: String,
    pub(super) repeat_minutes: String,
    minimum_severity: MessageSeverity,
    pub(super) hourly_limit: String,
    pub(super) quiet: QuietForm,
    /// Description of a project hook.
    pub(super) description: String,
    /// Events of a project hook.
    pub(super) triggers: HookTriggers,
    /// Problem of a refused form.
    pub(super) problem: Option<String>,
    token: Option<String>,
}

impl ChannelForm {
    /// Creates the form of a new channel.
    pub(in crate::areas::notifications) fn new() -> Self {
        let mut settings = ChannelSettings::new("");
        settings.incident_events = false;
        settings.error_events = false;
        Self::with(&settings)
    }

    /// Creates the form of a new channel of a user, who gets everything that is handed over.
    pub(in crate::areas::notifications) fn for_user() -> Self {
        let mut form = Self::with(&ChannelSettings::new(""));
        form.assignment_events = Some(true);
        form
    }

    /// Creates the form of a stored channel. A secret URL is not shown; an empty field keeps it.
    pub(in crate::areas::notifications) fn of(channel: &Channel) -> Self {
        let mut form = Self::with(&channel.settings);
        if channel.kind.has_secret_url() {
            form.url.clear();
        }
        let is_of_user = channel.owner.user().is_some();
        form.assignment_events = is_of_user.then_some(channel.settings.assignment_events);
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
            assignment_events: None,
            delay_minutes: settings.delay_minutes.to_string(),
            repeat_minutes: settings.repeat_minutes.to_string(),
            minimum_severity: settings.minimum_severity,
            hourly_limit: settings.hourly_limit.to_string(),
            quiet: QuietForm::of(settings.quiet_hours),
            description: settings.description.clone(),
            triggers: settings.hook_triggers,
            problem: None,
            token: None,
        }
    }

    /// Reads the sent form.
    pub(in crate::areas::notifications) fn read(form: &PageForm) -> Self {
        let text = |name: &str| form.text(name).trim().to_owned();
        let severity = MessageSeverity::parse(form.text("minimum_severity"));
        Self {
            name: text("name"),
            url: text("url"),
            recipient: text("recipient"),
            alert_events: form.is_ticked("alert_events"),
            incident_events: form.is_ticked("incident_events"),
            error_events: form.is_ticked("error_events"),
            assignment_events: form
                .is_ticked("is_for_user")
                .then(|| form.is_ticked("assignment_events")),
            delay_minutes: text("delay_minutes"),
            repeat_minutes: text("repeat_minutes"),
            minimum_severity: severity.unwrap_or(MessageSeverity::Unknown),
            hourly_limit: text("hourly_limit"),
            quiet: QuietForm::read(form),
            description: text("description"),
            triggers: HookTriggers {
                issues: form.is_ticked("issue_events"),
                confidential_issues: form.is_ticked("confidential_issue_events"),
                notes: form.is_ticked("note_events"),
                confidential_notes: form.is_ticked("confidential_note_events"),
            },
            problem: None,
            token: Some(text("token")).filter(|token| !token.is_empty()),
        }
    }

    /// Returns the form with the problem for which it is refused.
    pub(in crate::areas::notifications) fn refused(mut self, problem: String) -> Self {
        self.problem = Some(problem);
        self
    }

    /// Returns the values of a channel of this kind.
    ///
    /// # Errors
    /// A sentence about the field that cannot be read.
    pub(in crate::areas::notifications) fn values(
        &self,
        kind: ChannelKind,
    ) -> Result<ChannelValues, String> {
        let number = |text: &str, name: &str| match text {
            "" => Ok(None),
            text => text
                .parse::<u32>()
                .map(Some)
                .map_err(|_| format!("{name}: write a whole number.")),
        };
        let keeps_url = kind.has_secret_url() && self.url.is_empty();
        let is_hook = kind == ChannelKind::ProjectHook;
        let of_hook = |value| Some(value).filter(|_| is_hook);
        let of_others = |value| Some(value).filter(|_| !is_hook);
        Ok(ChannelValues {
            input: ChannelInput {
                name: Some(self.name.clone()),
                url: Some(self.url.clone()).filter(|_| kind.has_url() && !keeps_url),
                recipient: Some(self.recipient.clone()).filter(|_| kind.recipient().is_some()),
                alert_events: Some(self.alert_events),
                incident_events: of_others(self.incident_events),
                error_events: of_others(self.error_events),
                assignment_events: self.assignment_events,
                delay_minutes: number(&self.delay_minutes, "Delay")?,
                repeat_minutes: number(&self.repeat_minutes, "Reminders")?,
                minimum_severity: Some(self.minimum_severity).filter(|_| !is_hook),
                active: None,
                hourly_limit: number(&self.hourly_limit, "Messages per hour")?,
                quiet_hours: self.quiet.hours()?,
                description: Some(self.description.clone()).filter(|_| is_hook),
                issue_events: of_hook(self.triggers.issues),
                confidential_issue_events: of_hook(self.triggers.confidential_issues),
                note_events: of_hook(self.triggers.notes),
                confidential_note_events: of_hook(self.triggers.confidential_notes),
                secret: None,
            },
            token: self.token.clone(),
        })
    }

    /// Returns the severities to choose from, the most critical first.
    pub(super) fn severities(&self) -> Vec<FormChoice> {
        severities(self.minimum_severity)
    }
}

fn severities(chosen: MessageSeverity) -> Vec<FormChoice> {
    let choice = |severity: &MessageSeverity| FormChoice {
        word: severity.as_str(),
        name: match severity {
            MessageSeverity::Unknown => "All".to_owned(),
            MessageSeverity::Critical => "Critical only".to_owned(),
            other => format!("{} and above", sentence_case(other.as_str())),
        },
        is_chosen: *severity == chosen,
    };
    MessageSeverity::ALL.iter().map(choice).collect()
}

/// Texts of the quiet hours.
#[derive(Debug, Clone)]
pub(super) struct QuietForm {
    pub(super) from: String,
    pub(super) until: String,
    pub(super) time_zone: String,
    severity: MessageSeverity,
    /// False if the form has no such fields, so that the stored quiet hours stay.
    is_given: bool,
}

impl QuietForm {
    fn of(hours: Option<QuietHours>) -> Self {
        let text = |of: fn(QuietHours) -> String| hours.map(of).unwrap_or_default();
        Self {
            from: text(|hours| hours.from.to_string()),
            until: text(|hours| hours.until.to_string()),
            time_zone: text(|hours| hours.time_zone.name().to_owned()),
            severity: hours.map_or(QuietHours::DEFAULT_SEVERITY, |hours| hours.severity),
            is_given: false,
        }
    }

    fn read(form: &PageForm) -> Self {
        let text = |name: &str| form.text(name).trim().to_owned();
        let severity = MessageSeverity::parse(form.text("quiet_severity"));
        Self {
            from: text("quiet_from"),
            until: text("quiet_until"),
            time_zone: text("quiet_time_zone"),
            severity: severity.unwrap_or(QuietHours::DEFAULT_SEVERITY),
            is_given: severity.is_some(),
        }
    }

    /// Returns the quiet hours; `Some(None)` if the fields are empty.
    ///
    /// # Errors
    /// A sentence about the field that cannot be read.
    #[expect(
        clippy::option_option,
        reason = "not given, removed, and set are three cases"
    )]
    fn hours(&self) -> Result<Option<Option<QuietHours>>, String> {
        if !self.is_given {
            return Ok(None);
        }
        if self.from.is_empty() && self.until.is_empty() {
            return Ok(Some(None));
        }
        let time = |text| LocalTime::parse(text).ok_or("Quiet hours: write both times.");
        let zone = QuietHours::parse_time_zone(&self.time_zone)
            .ok_or("Quiet hours: choose a time zone from the list, such as Europe/Berlin.")?;
        Ok(Some(Some(QuietHours {
            from: time(&self.from)?,
            until: time(&self.until)?,
            time_zone: zone,
            severity: self.severity,
        })))
    }

    /// Returns the severities from which messages do not wait, the most critical first.
    pub(super) fn severities(&self) -> Vec<FormChoice> {
        severities(self.severity)
    }
}

/// Returns the kinds to choose from.
pub(in crate::areas::notifications) fn kinds(chosen: Option<ChannelKind>) -> Vec<FormChoice> {
    let choice = |kind: &ChannelKind| FormChoice {
        word: kind.as_str(),
        name: kind_name(*kind).to_owned(),
        is_chosen: Some(*kind) == chosen,
    };
    let kinds = ChannelKind::ALL.iter();
    // Project hooks are created over their own API.
    let kinds = kinds.filter(|kind| **kind != ChannelKind::ProjectHook);
    kinds.map(choice).collect()
}

/// Returns the name of a kind for people.
pub(in crate::areas::notifications) const fn kind_name(kind: ChannelKind) -> &'static str {
    match kind {
        ChannelKind::Email => "E-mail",
        ChannelKind::Webhook => "Webhook",
        ChannelKind::Slack => "Slack, Mattermost or similar",
        ChannelKind::Matrix => "Matrix",
        ChannelKind::Ntfy => "ntfy",
        ChannelKind::ProjectHook => "Project hook",
        ChannelKind::OnCall => "Person on call",
    }
}
