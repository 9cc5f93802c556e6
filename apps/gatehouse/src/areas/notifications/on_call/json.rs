//! The JSON of on-call schedules, overrides and shifts.

use accounts::wire::UserSummary;
use api_conventions::ids::{OverrideId, ProjectId, ScheduleId, UserId};
use api_conventions::time::{CalendarDate, Timestamp};
use gatehouse_core::flows::on_call::{OnCallUsers, ScheduleWithOverrides};
use notifications::model::{OnCallShift, ScheduleOverride};
use schemars::JsonSchema;
use serde::Serialize;

use super::weekday_word;

/// On-call schedule of a project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OnCallSchedule")]
pub(super) struct ScheduleJson {
    id: ScheduleId,
    project_id: ProjectId,
    name: String,
    /// Time zone of `first_handoff` and `handoff_time`, a name of the IANA database.
    time_zone: &'static str,
    /// Date of the first handoff.
    first_handoff: CalendarDate,
    /// Day of the week of all handoffs, such as `monday`.
    handoff_weekday: &'static str,
    /// Local time of all handoffs (`HH:MM`).
    handoff_time: String,
    /// Length of a turn in weeks.
    turn_weeks: u32,
    /// Participants in the order of their turns.
    participants: Vec<UserSummary>,
    /// IDs of the participants who cannot be on call at present. The next participant takes their turns.
    unavailable_ids: Vec<UserId>,
    /// User who is on call; `null` before the first handoff, and if no participant is available.
    on_call: Option<UserSummary>,
    /// Time of the next handoff. Overrides do not change it.
    next_handoff_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl ScheduleJson {
    /// Creates the JSON of a schedule at `now`, with links below `base_url`.
    pub(super) fn new(
        of: &ScheduleWithOverrides,
        users: &OnCallUsers,
        now: Timestamp,
        base_url: &str,
    ) -> Self {
        let (schedule, settings) = (&of.schedule, &of.schedule.settings);
        let summary = |id| summary(users, id, base_url);
        let participants = settings.participants.iter().copied();
        let rota = users.rota(of);
        Self {
            id: schedule.id,
            project_id: schedule.project_id,
            name: settings.name.clone(),
            time_zone: settings.time_zone.name(),
            first_handoff: settings.first_handoff,
            handoff_weekday: weekday_word(settings.handoff_weekday()),
            handoff_time: settings.handoff_time.to_string(),
            turn_weeks: settings.turn_weeks,
            participants: participants.clone().filter_map(summary).collect(),
            unavailable_ids: participants.filter(|id| !users.is_available(*id)).collect(),
            on_call: rota.on_call_at(now).and_then(summary),
            next_handoff_at: rota.next_handoff(now),
            created_at: schedule.created_at,
            updated_at: schedule.updated_at,
        }
    }
}

/// Override of an on-call schedule.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OnCallOverride")]
pub(super) struct OverrideJson {
    id: OverrideId,
    schedule_id: ScheduleId,
    /// User who is on call; `null` after the deletion of the account.
    user: Option<UserSummary>,
    from: Timestamp,
    until: Timestamp,
    /// Author; `null` after the deletion of the account.
    created_by: Option<UserSummary>,
    created_at: Timestamp,
}

impl OverrideJson {
    /// Creates the JSON of an override, with links below `base_url`.
    pub(super) fn new(it: &ScheduleOverride, users: &OnCallUsers, base_url: &str) -> Self {
        let content = it.content;
        Self {
            id: it.id,
            schedule_id: content.schedule_id,
            user: summary(users, content.user_id, base_url),
            from: content.from,
            until: content.until,
            created_by: summary(users, content.created_by, base_url),
            created_at: content.created_at,
        }
    }
}

/// Period in which one user is on call.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "OnCallShift")]
pub(super) struct ShiftJson {
    user: Option<UserSummary>,
    from: Timestamp,
    until: Timestamp,
    /// True if the user is on call because of an override.
    is_override: bool,
}

impl ShiftJson {
    /// Creates the JSON of a shift, with links below `base_url`.
    pub(super) fn new(shift: OnCallShift, users: &OnCallUsers, base_url: &str) -> Self {
        Self {
            user: summary(users, shift.user_id, base_url),
            from: shift.from,
            until: shift.until,
            is_override: shift.is_override,
        }
    }
}

fn summary(users: &OnCallUsers, id: UserId, base_url: &str) -> Option<UserSummary> {
    users.get(id).map(|user| UserSummary::new(user, base_url))
}
