//! Forms of on-call schedules and overrides, as people fill them in.

use std::collections::BTreeMap;

use accounts::User;
use api_conventions::ids::UserId;
use api_conventions::time::{CalendarDate, Timestamp};
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::on_call::{OnCallUsers, OverrideValues};
use notifications::model::{LocalTime, OnCallSchedule, QuietHours, ScheduleSettings};
use storage::StoreError;

use crate::frame::form::PageForm;

/// Texts of the form of a schedule.
#[derive(Debug, Clone)]
pub(super) struct ScheduleForm {
    pub(super) name: String,
    pub(super) time_zone: String,
    pub(super) first_handoff: String,
    pub(super) handoff_time: String,
    pub(super) turn_weeks: String,
    /// Usernames, separated by commas.
    pub(super) participants: String,
    /// Problem of a refused form.
    pub(super) problem: Option<String>,
}

impl ScheduleForm {
    /// Creates the form of a new schedule, from `today` on.
    pub(super) fn new(today: CalendarDate) -> Self {
        Self {
            name: String::new(),
            time_zone: String::new(),
            first_handoff: today.to_string(),
            handoff_time: "09:00".to_owned(),
            turn_weeks: "1".to_owned(),
            participants: String::new(),
            problem: None,
        }
    }

    /// Creates the form of a stored schedule. Deleted accounts are left out.
    pub(super) fn of(schedule: &OnCallSchedule, users: &OnCallUsers) -> Self {
        let settings = &schedule.settings;
        let participants = settings.participants.iter();
        let participants = participants.filter_map(|id| users.get(*id));
        let names: Vec<&str> = participants.map(|user| user.username.as_str()).collect();
        Self {
            name: settings.name.clone(),
            time_zone: settings.time_zone.name().to_owned(),
            first_handoff: settings.first_handoff.to_string(),
            handoff_time: settings.handoff_time.to_string(),
            turn_weeks: settings.turn_weeks.to_string(),
            participants: names.join(", "),
            problem: None,
        }
    }

    /// Reads the sent form.
    pub(super) fn read(form: &PageForm) -> Self {
        let text = |name: &str| form.text(name).trim().to_owned();
        Self {
            name: text("name"),
            time_zone: text("time_zone"),
            first_handoff: text("first_handoff"),
            handoff_time: text("handoff_time"),
            turn_weeks: text("turn_weeks"),
            participants: text("participants"),
            problem: None,
        }
    }

    /// Returns the form with the problem for which it is refused.
    pub(super) fn refused(mut self, problem: String) -> Self {
        self.problem = Some(problem);
        self
    }

    /// Returns the settings, or a sentence about the field that cannot be read.
    pub(super) fn settings<T: ReadTransaction + ?Sized>(
        &self,
        tx: &mut T,
    ) -> Result<Result<ScheduleSettings, String>, StoreError> {
        let participants = match find_users(tx, &self.participants)? {
            Ok(users) => users,
            Err(problem) => return Ok(Err(problem)),
        };
        Ok(self.settings_of(participants).map_err(str::to_owned))
    }

    fn settings_of(&self, participants: Vec<UserId>) -> Result<ScheduleSettings, &'static str> {
        let turn_weeks = self.turn_weeks.parse();
        Ok(ScheduleSettings {
            name: self.name.clone(),
            time_zone: QuietHours::parse_time_zone(&self.time_zone)
                .ok_or("Time zone: write a name such as Europe/Berlin.")?,
            handoff_time: LocalTime::parse(&self.handoff_time)
                .ok_or("Handoff: write a time such as 09:00.")?,
            first_handoff: CalendarDate::parse(&self.first_handoff)
                .ok_or("First handoff: write a date such as 2026-11-30.")?,
            turn_weeks: turn_weeks.map_err(|_| "Weeks: write a whole number.")?,
            participants,
        })
    }
}

/// Returns the ids of users by their names, separated by commas, in the given order. A sentence about the first unknown one.
fn find_users<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    names: &str,
) -> Result<Result<Vec<UserId>, String>, StoreError> {
    let names = names.split(',').map(str::trim);
    let names = names.map(|name| name.strip_prefix('@').unwrap_or(name));
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    if names.len() > ScheduleSettings::MAX_PARTICIPANTS {
        let most = ScheduleSettings::MAX_PARTICIPANTS;
        return Ok(Err(format!("Participants: name at most {most} users.")));
    }
    let found = tx.list_users_by_username(&names)?.into_iter();
    let key = |user: User| (user.username.as_str().to_lowercase(), user.id);
    let found: BTreeMap<String, UserId> = found.map(key).collect();
    let ids = names.iter().map(|name| {
        let id = found.get(&name.to_lowercase());
        id.copied()
            .ok_or_else(|| format!("There is no user {name}."))
    });
    Ok(ids.collect())
}

/// Texts of the form of an override. Times are local times of the schedule.
#[derive(Debug, Clone, Default)]
pub(super) struct OverrideForm {
    pub(super) user: String,
    pub(super) from: String,
    pub(super) until: String,
    /// Problem of a refused form.
    pub(super) problem: Option<String>,
}

impl OverrideForm {
    /// Reads the sent form.
    pub(super) fn read(form: &PageForm) -> Self {
        let text = |name: &str| form.text(name).trim().to_owned();
        Self {
            user: text("user"),
            from: text("from"),
            until: text("until"),
            problem: None,
        }
    }

    /// Returns the form with the problem for which it is refused.
    pub(super) fn refused(mut self, problem: String) -> Self {
        self.problem = Some(problem);
        self
    }

    /// Returns the values of an override of a schedule at `now`, or a sentence about the field that cannot be read.
    pub(super) fn values<T: ReadTransaction + ?Sized>(
        &self,
        tx: &mut T,
        settings: &ScheduleSettings,
        now: Timestamp,
    ) -> Result<Result<OverrideValues, String>, StoreError> {
        let user_id = match find_users(tx, &self.user)? {
            Ok(users) => match users.as_slice() {
                [user] => *user,
                _ => return Ok(Err("User: write one username.".to_owned())),
            },
            Err(problem) => return Ok(Err(problem)),
        };
        let from = match self.from.as_str() {
            "" => Some(now),
            text => instant(text, settings),
        };
        let Some((from, until)) = from.zip(instant(&self.until, settings)) else {
            let problem = "Write the times as 2026-11-30T09:00, in the time zone of the schedule.";
            return Ok(Err(problem.to_owned()));
        };
        Ok(Ok(OverrideValues {
            user_id,
            from,
            until,
        }))
    }
}

/// Parses a local time of a schedule, as browsers send it: `2026-11-30T09:00`.
fn instant(text: &str, settings: &ScheduleSettings) -> Option<Timestamp> {
    let (date, time) = text.split_once(['T', ' '])?;
    let date = CalendarDate::parse(date)?;
    settings.instant_of(date, LocalTime::parse(time)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_overrides_are_local_times_of_the_schedule() {
        let settings = ScheduleSettings {
            name: "Primary".to_owned(),
            time_zone: QuietHours::parse_time_zone("Europe/Berlin").unwrap(),
            handoff_time: LocalTime::parse("09:00").unwrap(),
            first_handoff: CalendarDate::parse("2026-11-30").unwrap(),
            turn_weeks: 1,
            participants: Vec::new(),
        };
        let parsed = |text| instant(text, &settings).map(|at| at.to_chrono().to_rfc3339());
        for (text, expected) in [
            ("2026-11-30T09:00", Some("2026-11-30T08:00:00+00:00")),
            ("2026-06-30 09:00", Some("2026-06-30T07:00:00+00:00")),
            // Skipped, and shown twice.
            ("2026-03-29T02:30", Some("2026-03-29T01:00:00+00:00")),
            ("2026-10-25T02:30", Some("2026-10-25T00:30:00+00:00")),
            ("2026-11-30", None),
            ("2026-11-31T09:00", None),
            ("2026-11-30T24:00", None),
            ("", None),
        ] {
            assert_eq!(parsed(text).as_deref(), expected, "{text}");
        }
    }
}
