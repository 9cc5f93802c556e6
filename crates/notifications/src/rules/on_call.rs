//! Turns of on-call schedules.
//!
//! A turn begins at its handoff and ends at the next one: both are one instant, so turns have neither gaps nor overlaps,
//! whatever clocks do.

use std::collections::BTreeSet;

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use chrono::TimeDelta;

use crate::model::{OnCallShift, Pick, ScheduleOverride, ScheduleSettings, local_date};

/// Settings of a schedule, with all that decides who is on call.
#[derive(Debug, Clone, Copy)]
pub struct Rota<'a> {
    /// Settings.
    pub settings: &'a ScheduleSettings,
    /// Overrides, in any order. Those that do not matter may be missing.
    pub overrides: &'a [ScheduleOverride],
    /// Users who cannot be on call: the next participant takes their turns, and overrides for them do not count.
    pub unavailable: &'a BTreeSet<UserId>,
}

impl Rota<'_> {
    /// Returns the user who is on call: the one of the newest override, or else the one whose turn it is. `None` before the
    /// first handoff, and if no participant is available.
    pub fn on_call_at(&self, at: Timestamp) -> Option<UserId> {
        self.assignment_at(at).map(|(user, _)| user)
    }

    /// Returns the time of the first handoff after `at`. Overrides do not change handoffs. `None` after the year 9999.
    pub fn next_handoff(&self, at: Timestamp) -> Option<Timestamp> {
        self.handoff(self.turn_at(at).map_or(0, |turn| turn + 1))
    }

    /// Lists the shifts between two times, the earliest first, at most `limit`. The first and the last one are cut to these
    /// times. A shift ends where the next one begins, except where nobody is on call; consecutive turns of one user are one
    /// shift, and so are overrides.
    pub fn list_shifts(&self, from: Timestamp, until: Timestamp, limit: usize) -> Vec<OnCallShift> {
        let mut shifts: Vec<OnCallShift> = Vec::new();
        let mut start = from;
        while start < until {
            let end = self.next_change(start).min(until);
            if let Some((user_id, is_override)) = self.assignment_at(start) {
                let is_full = shifts.len() == limit;
                match shifts.last_mut() {
                    Some(last)
                        if (last.until, last.user_id, last.is_override)
                            == (start, user_id, is_override) =>
                    {
                        last.until = end;
                    }
                    _ if is_full => break,
                    _ => shifts.push(OnCallShift {
                        user_id,
                        from: start,
                        until: end,
                        is_override,
                    }),
                }
            }
            start = end;
        }
        shifts
    }

    /// Returns the user who is on call, with true if it is because of an override.
    fn assignment_at(&self, at: Timestamp) -> Option<(UserId, bool)> {
        let covering = self.counting_overrides().filter(|it| {
            let content = it.content;
            content.from <= at && at < content.until
        });
        if let Some(newest) = covering.max_by_key(|it| it.id) {
            return Some((newest.content.user_id, true));
        }
        let turn = usize::try_from(self.turn_at(at)?).ok()?;
        let participants = &self.settings.participants;
        let first = turn.checked_rem(participants.len())?;
        let (earlier, later) = participants.split_at_checked(first)?;
        let mut in_order = later.iter().chain(earlier);
        let available = in_order.find(|user| !self.unavailable.contains(user));
        available.map(|user| (*user, false))
    }

    fn counting_overrides(&self) -> impl Iterator<Item = &ScheduleOverride> {
        let is_available = |it: &&ScheduleOverride| !self.unavailable.contains(&it.content.user_id);
        self.overrides.iter().filter(is_available)
    }

    /// Returns the number of the turn at a time, from 0. `None` before the first handoff.
    fn turn_at(&self, at: Timestamp) -> Option<i64> {
        let today = local_date(at, self.settings.time_zone);
        let days = (today - self.settings.first_date()).num_days();
        let turn = days.div_euclid(self.turn_days());
        // Clocks that skip midnight, or show it twice, begin a turn on the day after or before.
        let mut turns = [turn + 1, turn, turn - 1].into_iter();
        turns.find(|turn| self.handoff(*turn).is_some_and(|start| start <= at))
    }

    /// Returns the first instant of a turn. `None` for a negative number, and after the year 9999.
    fn handoff(&self, turn: i64) -> Option<Timestamp> {
        let days = turn
            .checked_mul(self.turn_days())
            .filter(|days| *days >= 0)?;
        let first = self.settings.first_date();
        let date = first.checked_add_signed(TimeDelta::try_days(days)?)?;
        let settings = self.settings;
        settings
            .handoff_time
            .on(date, settings.time_zone, Pick::First)
    }

    fn turn_days(&self) -> i64 {
        7 * i64::from(self.settings.turn_weeks.max(1))
    }

    /// Returns the first time after `at` at which another user can be on call.
    fn next_change(&self, at: Timestamp) -> Timestamp {
        let overrides = self.counting_overrides();
        let ends = overrides.flat_map(|it| [it.content.from, it.content.until]);
        let changes = ends.chain(self.next_handoff(at));
        changes
            .filter(|time| *time > at)
            .min()
            .unwrap_or(Timestamp::MAX)
    }
}
