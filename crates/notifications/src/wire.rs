//! The JSON of channels, messages and attempts.

mod hook;

pub use hook::ProjectHookJson;

use api_conventions::ids::{ChannelId, MessageId, ProjectId};
use api_conventions::time::Timestamp;
use serde::Serialize;

use crate::model::{Channel, DeliveryAttempt, MessageSeverity, OutboxMessage};

/// Channel of a project. Secrets are not shown.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "NotificationChannel"))]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the fields of the API's resource"
)]
pub struct ChannelJson {
    id: ChannelId,
    /// Project of the channel; `null` for a channel of a user.
    project_id: Option<ProjectId>,
    /// Kind: `email`, `webhook`, `slack`, `matrix`, `ntfy`, `on_call` or `hook` (a project hook).
    kind: &'static str,
    name: String,
    /// URL of the receiver; of a `slack` channel the origin alone.
    url: Option<String>,
    /// Addresses separated by commas (`email`), room id (`matrix`), topic (`ntfy`) or id of an on-call schedule (`on_call`).
    recipient: Option<String>,
    /// True if messages about alerts are sent.
    alert_events: bool,
    /// True if messages about incidents are sent.
    incident_events: bool,
    /// True if messages about new errors and regressions are sent.
    error_events: bool,
    /// True if a channel of a user gets what is assigned to the user, and what mentions the user.
    assignment_events: bool,
    /// Minutes for which a message that an alert or incident opened waits.
    delay_minutes: u32,
    /// Minutes after which an alert that nobody acknowledged is sent again; 0 for never.
    repeat_minutes: u32,
    /// Lowest severity of alerts, incidents and errors of which messages are sent.
    minimum_severity: &'static str,
    active: bool,
    /// Largest number of messages in an hour.
    hourly_limit: u32,
    /// Local time (`HH:MM`) from which less severe messages wait; `null` without quiet hours.
    quiet_from: Option<String>,
    /// Local time (`HH:MM`) at which the quiet hours end.
    quiet_until: Option<String>,
    /// Time zone of the quiet hours, a name of the IANA database.
    quiet_time_zone: Option<&'static str>,
    /// Severity from which messages do not wait.
    quiet_severity: Option<&'static str>,
    /// True if a signing secret, an access token or a secret URL is stored.
    has_secret: bool,
    /// Number of failures since the last message that was accepted.
    failures: u32,
    /// Time of the next attempt, if messages wait.
    next_attempt_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl ChannelJson {
    /// Creates the JSON of a channel.
    pub fn new(channel: Channel) -> Self {
        let settings = channel.settings;
        let quiet = settings.quiet_hours;
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        Self {
            id: channel.id,
            project_id: channel.owner.project(),
            kind: channel.kind.as_str(),
            name: settings.name,
            url: some(settings.url),
            recipient: some(settings.recipient),
            alert_events: settings.alert_events,
            incident_events: settings.incident_events,
            error_events: settings.error_events,
            assignment_events: settings.assignment_events,
            delay_minutes: settings.delay_minutes,
            repeat_minutes: settings.repeat_minutes,
            minimum_severity: settings.minimum_severity.as_str(),
            active: settings.is_active,
            hourly_limit: settings.hourly_limit,
            quiet_from: quiet.map(|quiet| quiet.from.to_string()),
            quiet_until: quiet.map(|quiet| quiet.until.to_string()),
            quiet_time_zone: quiet.map(|quiet| quiet.time_zone.name()),
            quiet_severity: quiet.map(|quiet| quiet.severity.as_str()),
            has_secret: channel.secret.is_some(),
            failures: channel.lane.failures,
            next_attempt_at: channel.lane.due_at,
            created_at: channel.created_at,
            updated_at: channel.updated_at,
        }
    }
}

/// Channel with a new signing secret.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "NewNotificationChannel"))]
pub struct NewChannelJson {
    /// The channel.
    #[serde(flatten)]
    pub channel: ChannelJson,
    /// Signing secret of a `webhook`, shown only once. Other kinds have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// Message of the outbox.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "NotificationMessage"))]
pub struct MessageJson {
    id: MessageId,
    /// Key that the receiver gets with each attempt, as `webhook-id`.
    key: String,
    /// Channel, which may be deleted by now.
    channel_id: ChannelId,
    /// Event, such as `alert.opened`.
    event: &'static str,
    /// Number of the alert or incident in the project.
    iid: Option<i64>,
    title: String,
    severity: Option<&'static str>,
    /// State: `queued`, `sending`, `sent`, `failed`, `cancelled` or `dropped`.
    state: &'static str,
    /// Reason why the message was cancelled or dropped, if it is known: `resolved`, `acknowledged`, `silenced`, `obsolete`,
    /// `channel_off`, `no_mail` or `limited`.
    reason: Option<&'static str>,
    created_at: Timestamp,
    /// Earliest time of the first attempt.
    send_at: Timestamp,
    /// Time from which on the message is not sent (again).
    finished_at: Option<Timestamp>,
    attempts: Vec<AttemptJson>,
}

impl MessageJson {
    /// Creates the JSON of a message and its attempts.
    pub fn new(message: OutboxMessage, attempts: Vec<AttemptJson>) -> Self {
        Self {
            id: message.id,
            key: message.key(),
            channel_id: message.channel_id,
            event: message.event.as_str(),
            iid: message.content.iid,
            severity: message.content.severity.map(MessageSeverity::as_str),
            title: message.content.title,
            state: message.state.group(),
            reason: message.state.reason(),
            created_at: message.created_at,
            send_at: message.send_at,
            finished_at: message.finished_at,
            attempts,
        }
    }
}

/// Attempt to deliver a message.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "NotificationAttempt"))]
pub struct AttemptJson {
    number: u32,
    at: Timestamp,
    /// Outcome: `delivered`, `failed` (sent again), `rejected` or `gone`.
    outcome: &'static str,
    /// Status of the response, if there was one.
    status: Option<u16>,
    /// Response or failure in words.
    detail: String,
    duration_ms: u32,
}

impl From<DeliveryAttempt> for AttemptJson {
    fn from(attempt: DeliveryAttempt) -> Self {
        Self {
            number: attempt.number,
            at: attempt.at,
            outcome: attempt.outcome.as_str(),
            status: attempt.status,
            detail: attempt.detail,
            duration_ms: attempt.millis,
        }
    }
}
