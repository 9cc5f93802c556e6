//! Parameters of operations on notification channels.

use api_conventions::error::ApiError;
use api_conventions::params::{ParamReader, Params};
use gatehouse_core::flows::channels::ChannelValues;
use notifications::flow::ChannelInput;
use notifications::model::{ChannelKind, ChannelSettings, LocalTime, MessageSeverity, QuietHours};
use web_conventions::operations::{Parameter, ParameterKind};

const MAX_MINUTES: i64 = ChannelSettings::MAX_MINUTES as i64;
const MAX_LIMIT: i64 = ChannelSettings::MAX_HOURLY_LIMIT as i64;

pub(super) const KIND: Parameter = Parameter::body(
    "kind",
    ParameterKind::Word(&["email", "webhook", "slack", "matrix", "ntfy", "on_call"]),
    "Kind of the channel. It never changes. Project hooks have an API of their own.",
);

pub(super) const NAME: Parameter = Parameter::body(
    "name",
    ParameterKind::Text { min: 1, max: 255 },
    "Name of the channel, unique in the project.",
)
.example("On call");

pub(super) const URL: Parameter = Parameter::body(
    "url",
    ParameterKind::Text { min: 1, max: 2048 },
    "URL of the webhook, of the Matrix homeserver or of the ntfy server. The URL of a `slack` channel is stored \
     encrypted and not shown again.",
)
.example("https://hooks.example.com/alerts");

pub(super) const RECIPIENT: Parameter = Parameter::body(
    "recipient",
    ParameterKind::Text { min: 1, max: 5000 },
    "E-mail addresses separated by commas, id of a Matrix room, topic of ntfy, or id or name of an on-call schedule of the project.",
);

pub(super) const TOKEN: Parameter = Parameter::body(
    "token",
    ParameterKind::Text { min: 0, max: 2048 },
    "Access token for Matrix or ntfy. It is stored encrypted and not shown again.",
);

pub(super) const ALERT_EVENTS: Parameter = Parameter::body(
    "alert_events",
    ParameterKind::Boolean,
    "True to send messages about alerts (default: true).",
);

pub(super) const INCIDENT_EVENTS: Parameter = Parameter::body(
    "incident_events",
    ParameterKind::Boolean,
    "True to send messages about incidents (default: false).",
);

pub(super) const ERROR_EVENTS: Parameter = Parameter::body(
    "error_events",
    ParameterKind::Boolean,
    "True to send messages about new errors and regressions that open no alert (default: false).",
);

pub(super) const DELAY: Parameter = Parameter::body(
    "delay_minutes",
    ParameterKind::Integer {
        min: 0,
        max: MAX_MINUTES,
    },
    "Minutes for which a message that an alert or incident opened waits (default: 0). Nothing is sent if it is acknowledged or \
     over by then, so the channel escalates.",
);

pub(super) const REPEAT: Parameter = Parameter::body(
    "repeat_minutes",
    ParameterKind::Integer {
        min: 0,
        max: MAX_MINUTES,
    },
    "Minutes after which an alert that nobody acknowledged is sent again, at least 5; 0 for never (default).",
);

pub(super) const MINIMUM_SEVERITY: Parameter = Parameter::body(
    "minimum_severity",
    ParameterKind::Word(MessageSeverity::NAMES),
    "Lowest severity of alerts and incidents of which messages are sent (default: `unknown`, which is all).",
);

pub(super) const ACTIVE: Parameter = Parameter::body(
    "active",
    ParameterKind::Boolean,
    "True if messages are sent (default: true). Turning a channel off cancels the messages that wait.",
);

pub(super) const HOURLY_LIMIT: Parameter = Parameter::body(
    "hourly_limit",
    ParameterKind::Integer {
        min: 1,
        max: MAX_LIMIT,
    },
    "Largest number of messages in an hour (default: 60). Messages that wait for more than an hour are dropped, and the \
     next message says how many.",
);

pub(super) const QUIET_FROM: Parameter = Parameter::body(
    "quiet_from",
    ParameterKind::Text { min: 0, max: 5 },
    "Local time from which less severe messages wait, such as `22:00`; with `quiet_until` and `quiet_time_zone`. Empty or \
     `null` for no quiet hours (default).",
)
.example("22:00");

pub(super) const QUIET_UNTIL: Parameter = Parameter::body(
    "quiet_until",
    ParameterKind::Text { min: 0, max: 5 },
    "Local time at which the quiet hours end, on the next day unless it is later than `quiet_from`.",
)
.example("07:00");

pub(super) const QUIET_TIME_ZONE: Parameter = Parameter::body(
    "quiet_time_zone",
    ParameterKind::Text { min: 0, max: 64 },
    "Time zone of the quiet hours, a name of the IANA database.",
)
.example("Europe/Berlin");

pub(super) const QUIET_SEVERITY: Parameter = Parameter::body(
    "quiet_severity",
    ParameterKind::Word(MessageSeverity::NAMES),
    "Severity from which messages are sent in quiet hours too (default: `critical`).",
);

/// Parameters that both creation and updates take.
pub(super) const FIELDS: [Parameter; 15] = [
    URL,
    RECIPIENT,
    TOKEN,
    ALERT_EVENTS,
    INCIDENT_EVENTS,
    ERROR_EVENTS,
    DELAY,
    REPEAT,
    MINIMUM_SEVERITY,
    ACTIVE,
    HOURLY_LIMIT,
    QUIET_FROM,
    QUIET_UNTIL,
    QUIET_TIME_ZONE,
    QUIET_SEVERITY,
];

/// Parses the values of a channel. A value that is not given is `None`.
///
/// # Errors
/// 400 for an invalid value.
fn read_values(params: &Params) -> Result<ChannelValues, ApiError> {
    let mut read = params.reader();
    let limit = read.integer_within(HOURLY_LIMIT.name, 1..=MAX_LIMIT);
    let delay = read.integer_within(DELAY.name, 0..=MAX_MINUTES);
    let repeat = read.integer_within(REPEAT.name, 0..=MAX_MINUTES);
    let number = |value: Option<i64>| value.and_then(|value| u32::try_from(value).ok());
    let values = ChannelValues {
        input: ChannelInput {
            name: read.text(NAME.name),
            url: read.text(URL.name),
            recipient: read.text(RECIPIENT.name),
            alert_events: read.boolean(ALERT_EVENTS.name),
            incident_events: read.boolean(INCIDENT_EVENTS.name),
            error_events: read.boolean(ERROR_EVENTS.name),
            delay_minutes: number(delay),
            repeat_minutes: number(repeat),
            minimum_severity: read.word(MINIMUM_SEVERITY.name, MessageSeverity::parse),
            active: read.boolean(ACTIVE.name),
            hourly_limit: number(limit),
            quiet_hours: read_quiet_hours(params, &mut read),
            ..ChannelInput::default()
        },
        token: read.text(TOKEN.name),
    };
    read.finish()?;
    Ok(values)
}

/// Parses the quiet hours; `Some(None)` to remove them.
#[expect(
    clippy::option_option,
    reason = "not given, removed, and set are three cases"
)]
fn read_quiet_hours(params: &Params, read: &mut ParamReader<'_>) -> Option<Option<QuietHours>> {
    let names = [QUIET_FROM.name, QUIET_UNTIL.name, QUIET_TIME_ZONE.name];
    let given = names.map(|name| {
        params.get(name)?;
        Some(read.text(name).filter(|text| !text.is_empty()))
    });
    let severity = read.word(QUIET_SEVERITY.name, MessageSeverity::parse);
    match given {
        [None, None, None] if severity.is_none() => None,
        [Some(None), Some(None) | None, Some(None) | None] => Some(None),
        [Some(Some(from)), Some(Some(until)), Some(Some(zone))] => {
            let mut time = |name, text: &str| {
                let time = LocalTime::parse(text);
                if time.is_none() {
                    read.fault(name, "must be a local time such as 22:00");
                }
                time
            };
            let (from, until) = (time(QUIET_FROM.name, &from), time(QUIET_UNTIL.name, &until));
            let zone = QuietHours::parse_time_zone(&zone);
            if zone.is_none() {
                let text = "must be a time zone of the IANA database such as Europe/Berlin";
                read.fault(QUIET_TIME_ZONE.name, text);
            }
            Some(Some(QuietHours {
                from: from?,
                until: until?,
                time_zone: zone?,
                severity: severity.unwrap_or(QuietHours::DEFAULT_SEVERITY),
            }))
        }
        _ => {
            let text =
                "needs quiet_until and quiet_time_zone; send all three, or an empty quiet_from";
            read.fault(QUIET_FROM.name, text);
            None
        }
    }
}

/// Parses the kind of a new channel. Project hooks are created over their own API.
pub(super) fn parse_kind(word: &str) -> Option<ChannelKind> {
    ChannelKind::parse(word).filter(|kind| *kind != ChannelKind::ProjectHook)
}

/// Parses a channel to create.
///
/// # Errors
/// 400 for a missing or invalid value.
pub(super) fn read_new(params: &Params) -> Result<(ChannelKind, ChannelValues), ApiError> {
    let mut read = params.reader();
    read.demand(&[KIND.name, NAME.name]);
    let kind = read.word(KIND.name, parse_kind);
    read.finish()?;
    let unusable = || ApiError::invalid_parameters(&[format!("{} is invalid", KIND.name)]);
    Ok((kind.ok_or_else(unusable)?, read_values(params)?))
}

/// Parses the values of an update, for which one of them or of further parameters is needed.
///
/// # Errors
/// 400 for an invalid value, or if there is none.
pub(super) fn read_update(
    params: &Params,
    further: &[&'static str],
) -> Result<ChannelValues, ApiError> {
    let mut read = params.reader();
    let mut names = vec![NAME.name];
    names.extend(further);
    names.extend(FIELDS.iter().map(|field| field.name));
    read.demand_one_of(&names);
    read.finish()?;
    read_values(params)
}
