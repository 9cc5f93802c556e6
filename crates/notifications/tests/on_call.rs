//! Turns of on-call schedules against a slow model, in all time zones.

#![expect(
    clippy::unwrap_used,
    reason = "a test that panics is a test that fails"
)]

mod clocks;

use std::collections::BTreeSet;

use api_conventions::ids::{OverrideId, ScheduleId, UserId};
use api_conventions::time::{CalendarDate, Timestamp};
use chrono_tz::{TZ_VARIANTS, Tz};
use notifications::model::{
    LocalTime, NewOverride, OnCallShift, ScheduleOverride, ScheduleSettings,
};
use notifications::rules::Rota;

use clocks::{DAY, WINDOW, at, changes, offset, shown};

/// User on call, with true for an override.
type Assignment = Option<(UserId, bool)>;

/// A schedule whose turn number `back` begins when clocks show the minute `handoff`.
#[derive(Debug)]
struct RotaSample {
    settings: ScheduleSettings,
    overrides: Vec<ScheduleOverride>,
    unavailable: BTreeSet<UserId>,
    handoff: i64,
    back: i64,
}

impl RotaSample {
    /// Creates a sample whose settings depend on `seed`, with overrides around the minute `near`.
    fn new(time_zone: Tz, handoff: i64, near: i64, seed: i64) -> Self {
        let (back, turn_weeks) = (seed % 4, 1 + seed % 3);
        let time = handoff.rem_euclid(DAY);
        let first = handoff.div_euclid(DAY) - back * 7 * turn_weeks;
        let users = |range: std::ops::Range<i64>| range.map(UserId::new);
        let settings = ScheduleSettings {
            name: "Rota".to_owned(),
            time_zone,
            handoff_time: LocalTime::parse(&format!("{:02}:{:02}", time / 60, time % 60)).unwrap(),
            first_handoff: CalendarDate::from_days(i32::try_from(first).unwrap()).unwrap(),
            turn_weeks: u32::try_from(turn_weeks).unwrap(),
            participants: users(1..2 + seed % 5).collect(),
        };
        settings.check().unwrap();
        let overrides = (0..seed % 4).map(|number| {
            let from = near + (seed * 37 + number * 131) % WINDOW - WINDOW / 2;
            let content = NewOverride {
                schedule_id: ScheduleId::new(1),
                user_id: UserId::new(1 + (seed + number) % 7),
                from: at(from),
                until: at(from + 1 + (seed * 11 + number * 77) % 240),
                created_by: UserId::new(1),
                created_at: at(0),
            };
            let id = OverrideId::new((number * 5 + seed) % 7);
            ScheduleOverride { id, content }
        });
        Self {
            overrides: overrides.collect(),
            settings,
            unavailable: users(0..seed * 7 % 5)
                .filter(|user| user.get() % 2 == seed % 2)
                .collect(),
            handoff,
            back,
        }
    }

    fn rota(&self) -> Rota<'_> {
        Rota {
            settings: &self.settings,
            overrides: &self.overrides,
            unavailable: &self.unavailable,
        }
    }

    /// Minutes that clocks show between two handoffs.
    fn turn(&self) -> i64 {
        i64::from(self.settings.turn_weeks) * 7 * DAY
    }

    /// Returns who is on call at a minute at which the turn with this number is the current one.
    fn model(&self, minute: i64, turn: i64) -> Assignment {
        let mut newest: Option<&ScheduleOverride> = None;
        for one in &self.overrides {
            let content = &one.content;
            let covers = content.from <= at(minute) && content.until > at(minute);
            let is_newer = newest.is_none_or(|other| other.id < one.id);
            if covers && is_newer && !self.unavailable.contains(&content.user_id) {
                newest = Some(one);
            }
        }
        if let Some(newest) = newest {
            return Some((newest.content.user_id, true));
        }
        let participants = &self.settings.participants;
        let mut turns = (0..participants.len()).filter(|_| turn >= 0).map(|step| {
            let place = usize::try_from(turn).unwrap() + step;
            *participants.get(place % participants.len()).unwrap()
        });
        let user = turns.find(|user| !self.unavailable.contains(user));
        user.map(|user| (user, false))
    }

    /// Checks a minute against the model, whose shifts were listed.
    fn check(&self, shifts: &[OnCallShift], minute: i64, expected: Assignment) {
        let user = self.rota().on_call_at(at(minute));
        assert_eq!(user, expected.map(|(user, _)| user), "{self:?} {minute}");
        let time = at(minute);
        let covering: Vec<Assignment> = shifts
            .iter()
            .filter(|shift| shift.from <= time && time < shift.until)
            .map(|shift| Some((shift.user_id, shift.is_override)))
            .collect();
        let expected: Vec<Assignment> = expected.iter().map(|it| Some(*it)).collect();
        assert_eq!(covering, expected, "{self:?} {minute}");
    }

    /// Lists shifts, and checks that they are in order and as long as possible.
    fn shifts(&self, from: Timestamp, until: Timestamp) -> Vec<OnCallShift> {
        let shifts = self.rota().list_shifts(from, until, usize::MAX);
        assert!(shifts.iter().all(|it| from <= it.from && it.until <= until));
        for pair in shifts.windows(2) {
            let [one, next] = pair else { continue };
            assert!(one.from < one.until && one.until <= next.from, "{self:?}");
            let is_same = (one.user_id, one.is_override) == (next.user_id, next.is_override);
            assert!(one.until < next.from || !is_same, "{self:?}");
        }
        let first: Vec<OnCallShift> = shifts.iter().take(1).copied().collect();
        assert_eq!(self.rota().list_shifts(from, until, 1), first, "{self:?}");
        shifts
    }
}

#[test]
fn turns_equal_those_of_a_slow_model_at_all_changes_of_clocks() {
    let mut count = 0;
    for zone in TZ_VARIANTS {
        for change in changes(zone) {
            let minutes = change - WINDOW..change + WINDOW;
            let clock: Vec<i64> = minutes.clone().map(|minute| shown(zone, minute)).collect();
            let (before, after) = (change + offset(zone, change - 1), shown(zone, change));
            let (early, late) = (before.min(after), before.max(after));
            let middle = i64::midpoint(early, late);
            let times = [early - 60, early, middle, late - 1, late, late + 60];
            // Many zones change alike, so each change takes its part of the times.
            let handoff = times.into_iter().nth(count % 6).unwrap();
            let seed = i64::try_from(count / 6).unwrap();
            let sample = RotaSample::new(zone, handoff, change, seed);
            let shifts = sample.shifts(at(minutes.start), at(minutes.end));
            let begins = clock.iter().position(|shown| *shown >= sample.handoff);
            let begins = minutes.start + i64::try_from(begins.unwrap()).unwrap();
            let next = |minute| sample.rota().next_handoff(at(minute)).unwrap();
            assert_eq!(next(begins - 1), at(begins), "{sample:?}");
            assert!(next(begins) > at(begins + 6 * DAY), "{sample:?}");
            let mut last = None;
            for minute in minutes.clone() {
                let turn = sample.back - i64::from(minute < begins);
                let expected = sample.model(minute, turn);
                if last != Some(expected) {
                    sample.check(&shifts, minute, expected);
                    if let Some(last) = last {
                        sample.check(&shifts, minute - 1, last);
                    }
                } else if (minute - minutes.start) % 120 == 0 {
                    sample.check(&shifts, minute, expected);
                }
                last = Some(expected);
            }
            count += 1;
        }
    }
    assert!(count > 5_000, "{count}");
}

#[test]
fn turns_follow_the_clock_between_its_changes() {
    for (number, zone) in (0..).zip(TZ_VARIANTS) {
        for part in 0..8 {
            let seed = number * 8 + part;
            // A time in the years 2020 to 2040.
            let start = 50 * 365 * DAY + 12 * DAY + seed * 7919 % (20 * 365) * DAY;
            let handoff = shown(zone, start) + 20 * DAY + seed * 389 % DAY;
            let sample = RotaSample::new(zone, handoff, start + 20 * DAY, seed);
            let shifts = sample.shifts(at(start), at(start + 60 * DAY));
            for minute in (start..start + 60 * DAY).step_by(947) {
                if offset(zone, minute) != offset(zone, minute - 26 * 60) {
                    continue;
                }
                let since = shown(zone, minute) - sample.handoff;
                let turn = sample.back + since.div_euclid(sample.turn());
                sample.check(&shifts, minute, sample.model(minute, turn));
            }
        }
    }
}

#[test]
fn a_skipped_handoff_is_late_and_one_that_comes_twice_is_the_first() {
    let time = |text| Timestamp::parse_rfc3339(text).unwrap();
    // In Berlin, clocks skip 02:00 to 03:00 on 29 March 2026 and show it twice on 25 October 2026.
    for (date, now, handoff) in [
        ("2026-03-29", "2026-03-28T00:00:00Z", "2026-03-29T01:00:00Z"),
        ("2026-10-25", "2026-10-24T00:00:00Z", "2026-10-25T00:30:00Z"),
    ] {
        let settings = ScheduleSettings {
            name: "Rota".to_owned(),
            time_zone: Tz::Europe__Berlin,
            handoff_time: LocalTime::parse("02:30").unwrap(),
            first_handoff: CalendarDate::parse(date).unwrap(),
            turn_weeks: 1,
            participants: vec![UserId::new(1), UserId::new(2)],
        };
        let rota = Rota {
            settings: &settings,
            overrides: &[],
            unavailable: &BTreeSet::new(),
        };
        assert_eq!(rota.next_handoff(time(now)), Some(time(handoff)), "{date}");
        let just_before = time(handoff).plus_seconds(-1);
        assert_eq!(rota.on_call_at(just_before), None);
        assert_eq!(rota.on_call_at(time(handoff)), Some(UserId::new(1)));
        let week = time(handoff).plus_seconds(8 * 86_400);
        assert_eq!(rota.on_call_at(week), Some(UserId::new(2)));
        // Far away from anything that a schedule can name.
        assert_eq!(rota.on_call_at(Timestamp::MIN), None);
        assert!(rota.on_call_at(Timestamp::MAX).is_some());
        assert_eq!(rota.next_handoff(Timestamp::MAX), None);
    }
}
