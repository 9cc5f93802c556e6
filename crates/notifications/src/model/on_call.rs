//! On-call schedules of a project, and overrides of their turns.

use std::collections::BTreeSet;

use api_conventions::ids::{OverrideId, ProjectId, ScheduleId, UserId};
use api_conventions::time::{CalendarDate, Timestamp};
use chrono::{Datelike as _, NaiveDate, Weekday};
use chrono_tz::Tz;

use super::{LocalTime, Pick};

/// Settings of an on-call schedule: participants who take turns of whole weeks.
///
/// Times are local times of a zone, so a handoff stays at its hour when clocks change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleSettings {
    /// Display name, unique in the project, 1 to [`Self::MAX_NAME`] characters.
    pub name: String,
    /// Time zone, a name of the IANA database.
    pub time_zone: Tz,
    /// Local time of every handoff. One that clocks skip is the first instant after the gap; of one that they show twice,
    /// the first. A turn ends at the very instant at which the next one begins.
    pub handoff_time: LocalTime,
    /// Date of the first handoff, from [`Self::FIRST_DATE`] to [`Self::LAST_DATE`]. All others are on the same day of the week.
    pub first_handoff: CalendarDate,
    /// Length of a turn in weeks, 1 to [`Self::MAX_TURN_WEEKS`].
    pub turn_weeks: u32,
    /// Participants in the order of their turns, 1 to [`Self::MAX_PARTICIPANTS`], each once.
    pub participants: Vec<UserId>,
}

/// Reason to refuse the settings of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleSettingsError {
    /// The name is blank or too long.
    #[error("name must have 1 to {} characters", ScheduleSettings::MAX_NAME)]
    Name,
    /// The first handoff is out of range.
    #[error(
        "first_handoff must be between {} and {}",
        ScheduleSettings::FIRST_DATE,
        ScheduleSettings::LAST_DATE
    )]
    FirstHandoff,
    /// The length of a turn is out of range.
    #[error(
        "turn_weeks must be between 1 and {}",
        ScheduleSettings::MAX_TURN_WEEKS
    )]
    TurnWeeks,
    /// There are no participants, or too many.
    #[error(
        "participants must be 1 to {} users",
        ScheduleSettings::MAX_PARTICIPANTS
    )]
    Participants,
    /// A user is named twice.
    #[error("participants must name each user only once")]
    RepeatedParticipant,
}

impl ScheduleSettings {
    /// Longest name, in characters.
    pub const MAX_NAME: usize = 255;
    /// Longest turn, in weeks.
    pub const MAX_TURN_WEEKS: u32 = 52;
    /// Largest number of participants.
    pub const MAX_PARTICIPANTS: usize = 50;
    /// Earliest date of a first handoff.
    pub const FIRST_DATE: &'static str = "2000-01-01";
    /// Latest date of a first handoff.
    pub const LAST_DATE: &'static str = "2099-12-31";

    /// Returns the day of the week of all handoffs.
    pub fn handoff_weekday(&self) -> Weekday {
        self.first_date().weekday()
    }

    pub(crate) fn first_date(&self) -> NaiveDate {
        self.first_handoff.start().to_chrono().date_naive()
    }

    /// Returns the instant of a local time in the zone of the schedule, by the rules of [`Self::handoff_time`]. `None` outside
    /// of the years 1 to 9999.
    pub fn instant_of(&self, date: CalendarDate, time: LocalTime) -> Option<Timestamp> {
        let date = date.start().to_chrono().date_naive();
        time.on(date, self.time_zone, Pick::First)
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// See [`ScheduleSettingsError`].
    pub fn check(&self) -> Result<(), ScheduleSettingsError> {
        if self.name.trim().is_empty() || self.name.chars().count() > Self::MAX_NAME {
            return Err(ScheduleSettingsError::Name);
        }
        let is_after = |text| CalendarDate::parse(text).is_some_and(|it| it <= self.first_handoff);
        let is_before = |text| CalendarDate::parse(text).is_some_and(|it| it >= self.first_handoff);
        if !is_after(Self::FIRST_DATE) || !is_before(Self::LAST_DATE) {
            return Err(ScheduleSettingsError::FirstHandoff);
        }
        if !(1..=Self::MAX_TURN_WEEKS).contains(&self.turn_weeks) {
            return Err(ScheduleSettingsError::TurnWeeks);
        }
        let count = self.participants.len();
        if !(1..=Self::MAX_PARTICIPANTS).contains(&count) {
            return Err(ScheduleSettingsError::Participants);
        }
        if self.participants.iter().collect::<BTreeSet<_>>().len() < count {
            return Err(ScheduleSettingsError::RepeatedParticipant);
        }
        Ok(())
    }
}

/// An on-call schedule of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnCallSchedule {
    /// Id.
    pub id: ScheduleId,
    /// Project.
    pub project_id: ProjectId,
    /// Settings.
    pub settings: ScheduleSettings,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change to the settings.
    pub updated_at: Timestamp,
}

/// A schedule to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSchedule {
    /// Project.
    pub project_id: ProjectId,
    /// Settings.
    pub settings: ScheduleSettings,
    /// Current time.
    pub created_at: Timestamp,
}

impl NewSchedule {
    /// Returns the schedule as stored under an id.
    pub fn stored(&self, id: ScheduleId) -> OnCallSchedule {
        OnCallSchedule {
            id,
            project_id: self.project_id,
            settings: self.settings.clone(),
            created_at: self.created_at,
            updated_at: self.created_at,
        }
    }
}

/// An override to be created: a user who is on call for a while, instead of the one whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewOverride {
    /// Schedule.
    pub schedule_id: ScheduleId,
    /// User who is on call.
    pub user_id: UserId,
    /// First instant.
    pub from: Timestamp,
    /// First instant after the override, at most [`Self::MAX_SECONDS`] later.
    pub until: Timestamp,
    /// Author.
    pub created_by: UserId,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// Reason to refuse the times of an override.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OverrideError {
    /// The override does not end after its start.
    #[error("until must be later than from")]
    Order,
    /// The end is past.
    #[error("until must be in the future")]
    Past,
    /// The override is too long.
    #[error("an override lasts at most 90 days")]
    Long,
}

impl NewOverride {
    /// Longest override in seconds: 90 days.
    pub const MAX_SECONDS: i64 = 90 * 86_400;

    /// Checks the times of an override that is created at `created_at`.
    ///
    /// # Errors
    /// See [`OverrideError`].
    pub fn check(&self) -> Result<(), OverrideError> {
        if self.until <= self.created_at {
            return Err(OverrideError::Past);
        }
        if self.until <= self.from {
            return Err(OverrideError::Order);
        }
        if self.until > self.from.plus_seconds(Self::MAX_SECONDS) {
            return Err(OverrideError::Long);
        }
        Ok(())
    }
}

/// An override of a schedule. Of several that cover a time, the newest counts: the one with the largest id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScheduleOverride {
    /// Id.
    pub id: OverrideId,
    /// Everything else. It never changes.
    pub content: NewOverride,
}

impl ScheduleOverride {
    /// Largest number of overrides of a schedule that are not over.
    pub const MAX_UNEXPIRED: usize = 200;
    /// Largest number of overrides of a schedule that are read to list its shifts: the newest ones.
    pub const MAX_LISTED: usize = 1_000;
    /// Seconds for which an override is kept after its end: 90 days.
    pub const RETENTION_SECONDS: i64 = 90 * 86_400;
}

/// Period in which one user is on call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnCallShift {
    /// User.
    pub user_id: UserId,
    /// First instant.
    pub from: Timestamp,
    /// First instant after the shift.
    pub until: Timestamp,
    /// True if the user is on call because of an override.
    pub is_override: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(name: &str, first: &str, turn_weeks: u32, users: &[i64]) -> ScheduleSettings {
        ScheduleSettings {
            name: name.to_owned(),
            time_zone: Tz::UTC,
            handoff_time: LocalTime::parse("09:00").unwrap(),
            first_handoff: CalendarDate::parse(first).unwrap(),
            turn_weeks,
            participants: users.iter().map(|id| UserId::new(*id)).collect(),
        }
    }

    #[test]
    fn settings_have_bounds() {
        use ScheduleSettingsError::{
            FirstHandoff, Name, Participants, RepeatedParticipant, TurnWeeks,
        };
        let many: Vec<i64> = (1..=51).collect();
        for (checked, expected) in [
            (settings("x", "2000-01-01", 1, &[1]), Ok(())),
            (settings("x", "2099-12-31", 52, &many[1..]), Ok(())),
            (settings(" ", "2026-01-01", 1, &[1]), Err(Name)),
            (settings(&"x".repeat(256), "2026-01-01", 1, &[1]), Err(Name)),
            (settings("x", "1999-12-31", 1, &[1]), Err(FirstHandoff)),
            (settings("x", "2100-01-01", 1, &[1]), Err(FirstHandoff)),
            (settings("x", "2026-01-01", 0, &[1]), Err(TurnWeeks)),
            (settings("x", "2026-01-01", 53, &[1]), Err(TurnWeeks)),
            (settings("x", "2026-01-01", 1, &[]), Err(Participants)),
            (settings("x", "2026-01-01", 1, &many), Err(Participants)),
            (
                settings("x", "2026-01-01", 1, &[1, 2, 1]),
                Err(RepeatedParticipant),
            ),
        ] {
            assert_eq!(checked.check(), expected, "{checked:?}");
        }
        let monday = settings("x", "2026-11-30", 1, &[1]);
        assert_eq!(monday.handoff_weekday(), Weekday::Mon);
    }

    #[test]
    fn overrides_end_later_and_last_90_days_at_most() {
        let at = |second: i64| Timestamp::from_micros(second * 1_000_000).unwrap();
        for (from, until, expected) in [
            (5, 20, Ok(())),
            (20, 20 + NewOverride::MAX_SECONDS, Ok(())),
            (20, 20, Err(OverrideError::Order)),
            (20, 19, Err(OverrideError::Order)),
            (5, 10, Err(OverrideError::Past)),
            (20, 21 + NewOverride::MAX_SECONDS, Err(OverrideError::Long)),
        ] {
            let new = NewOverride {
                schedule_id: ScheduleId::new(1),
                user_id: UserId::new(2),
                from: at(from),
                until: at(until),
                created_by: UserId::new(3),
                created_at: at(10),
            };
            assert_eq!(new.check(), expected, "{from} {until}");
        }
    }
}
