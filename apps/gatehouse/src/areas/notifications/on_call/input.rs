//! Parameters of operations on on-call schedules.

use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::params::Params;
use api_conventions::time::Timestamp;
use gatehouse_core::flows::on_call::OverrideValues;
use notifications::flow::ScheduleInput;
use notifications::model::{LocalTime, QuietHours, ScheduleSettings};
use web_conventions::operations::{Parameter, ParameterKind};

/// Longest period of a list of shifts, in seconds: 90 days.
const MAX_PERIOD: i64 = 90 * 86_400;
/// Period of a list of shifts without an end, in seconds: eight weeks.
pub(super) const USUAL_PERIOD: i64 = 8 * 7 * 86_400;
const MAX_WEEKS: i64 = ScheduleSettings::MAX_TURN_WEEKS as i64;

pub(super) const NAME: Parameter = Parameter::body(
    "name",
    ParameterKind::Text { min: 1, max: 255 },
    "Name of the schedule, unique in the project.",
)
.example("Primary");

pub(super) const TIME_ZONE: Parameter = Parameter::body(
    "time_zone",
    ParameterKind::Text { min: 1, max: 64 },
    "Time zone of the handoffs, a name of the IANA database.",
)
.example("Europe/Berlin");

pub(super) const FIRST_HANDOFF: Parameter = Parameter::body(
    "first_handoff",
    ParameterKind::Date,
    "Date of the first handoff, from 2000-01-01 to 2099-12-31. All handoffs are on the same day of the week.",
)
.example("2026-11-30");

pub(super) const HANDOFF_TIME: Parameter = Parameter::body(
    "handoff_time",
    ParameterKind::Text { min: 5, max: 5 },
    "Local time of the handoffs, such as `09:00`.",
)
.example("09:00");

pub(super) const TURN_WEEKS: Parameter = Parameter::body(
    "turn_weeks",
    ParameterKind::Integer {
        min: 1,
        max: MAX_WEEKS,
    },
    "Length of a turn in weeks (default: 1).",
);

pub(super) const PARTICIPANTS: Parameter = Parameter::body(
    "participant_ids",
    ParameterKind::Numbers,
    "IDs of 1 to 50 users in the order of their turns. They must be active members of the project with at least the Developer role.",
);

/// Parameters that both creation and updates take.
pub(super) const FIELDS: [Parameter; 6] = [
    NAME,
    TIME_ZONE,
    FIRST_HANDOFF,
    HANDOFF_TIME,
    TURN_WEEKS,
    PARTICIPANTS,
];

pub(super) const USER: Parameter = Parameter::body(
    "user_id",
    ParameterKind::ID,
    "ID of the user who is on call.",
);

pub(super) const FROM: Parameter = Parameter::body(
    "from",
    ParameterKind::Timestamp,
    "First instant of the override (default: now). One in the past is now.",
);

pub(super) const UNTIL: Parameter = Parameter::body(
    "until",
    ParameterKind::Timestamp,
    "End of the override, at most 90 days after its start.",
);

pub(super) const SHIFTS_FROM: Parameter = Parameter::query(
    "from",
    ParameterKind::Timestamp,
    "Start of the period (default: now).",
);

pub(super) const SHIFTS_UNTIL: Parameter = Parameter::query(
    "until",
    ParameterKind::Timestamp,
    "End of the period, at most 90 days after its start (default: eight weeks after it).",
);

/// Parses the values of a schedule. A value that is not given is `None`.
fn read_values(params: &Params) -> Result<ScheduleInput, ApiError> {
    let mut read = params.reader();
    let weeks = read.integer_within(TURN_WEEKS.name, 1..=MAX_WEEKS);
    let time = read.text(HANDOFF_TIME.name);
    let handoff_time = time.as_deref().and_then(LocalTime::parse);
    if time.is_some() && handoff_time.is_none() {
        read.fault(HANDOFF_TIME.name, "must be a local time such as 09:00");
    }
    let zone = read.text(TIME_ZONE.name);
    let time_zone = zone.as_deref().and_then(QuietHours::parse_time_zone);
    if zone.is_some() && time_zone.is_none() {
        let text = "must be a time zone of the IANA database such as Europe/Berlin";
        read.fault(TIME_ZONE.name, text);
    }
    let are_given = read.is_given(PARTICIPANTS.name);
    let ids: Vec<i64> = read.words(PARTICIPANTS.name, |text| text.parse().ok());
    let input = ScheduleInput {
        name: read.text(NAME.name),
        time_zone,
        handoff_time,
        first_handoff: read.date(FIRST_HANDOFF.name),
        turn_weeks: weeks.and_then(|weeks| u32::try_from(weeks).ok()),
        participants: are_given.then(|| ids.into_iter().map(UserId::new).collect()),
    };
    read.finish()?;
    Ok(input)
}

/// Parses a schedule to create.
///
/// # Errors
/// 400 for a missing or invalid value.
pub(super) fn read_new(params: &Params) -> Result<ScheduleSettings, ApiError> {
    let mut read = params.reader();
    read.demand(&[
        NAME.name,
        TIME_ZONE.name,
        FIRST_HANDOFF.name,
        HANDOFF_TIME.name,
        PARTICIPANTS.name,
    ]);
    read.finish()?;
    let input = read_values(params)?;
    let invalid = |name: &str| ApiError::invalid_parameters(&[format!("{name} is invalid")]);
    let name = input.name.as_deref().map(str::trim).map(str::to_owned);
    Ok(ScheduleSettings {
        name: name.ok_or_else(|| invalid(NAME.name))?,
        time_zone: input.time_zone.ok_or_else(|| invalid(TIME_ZONE.name))?,
        handoff_time: input
            .handoff_time
            .ok_or_else(|| invalid(HANDOFF_TIME.name))?,
        first_handoff: input
            .first_handoff
            .ok_or_else(|| invalid(FIRST_HANDOFF.name))?,
        turn_weeks: input.turn_weeks.unwrap_or(1),
        participants: input.participants.unwrap_or_default(),
    })
}

/// Parses the values of an update.
///
/// # Errors
/// 400 for an invalid value, or if there is none.
pub(super) fn read_update(params: &Params) -> Result<ScheduleInput, ApiError> {
    let mut read = params.reader();
    read.demand_one_of(&FIELDS.map(|field| field.name));
    read.finish()?;
    read_values(params)
}

/// Parses an override to create at `now`.
///
/// # Errors
/// 400 for a missing or invalid value.
pub(super) fn read_override(params: &Params, now: Timestamp) -> Result<OverrideValues, ApiError> {
    let mut read = params.reader();
    read.demand(&[USER.name, UNTIL.name]);
    let user = read.integer_within(USER.name, 1..=i64::MAX);
    let user = read.required(USER.name, user);
    let from = read.timestamp(FROM.name);
    let until = read.timestamp(UNTIL.name);
    let until = read.required(UNTIL.name, until);
    read.finish()?;
    Ok(OverrideValues {
        user_id: UserId::new(user.value()?),
        from: from.unwrap_or(now),
        until: until.value()?,
    })
}

/// Parses the period of a list of shifts.
///
/// # Errors
/// 400 for an invalid value, and for a period that is too long or has no end after its start.
pub(super) fn read_period(
    params: &Params,
    now: Timestamp,
) -> Result<(Timestamp, Timestamp), ApiError> {
    let mut read = params.reader();
    let from = read.timestamp(SHIFTS_FROM.name).unwrap_or(now);
    let until = read.timestamp(SHIFTS_UNTIL.name);
    let until = until.unwrap_or_else(|| from.plus_seconds(USUAL_PERIOD));
    if until <= from || until > from.plus_seconds(MAX_PERIOD) {
        read.fault(
            SHIFTS_UNTIL.name,
            "must be later than from, by at most 90 days",
        );
    }
    read.finish()?;
    Ok((from, until))
}
