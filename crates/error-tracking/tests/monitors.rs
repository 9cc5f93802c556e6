//! Schedules of monitors around changes of clocks, compared with a model that looks at every minute.

#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails ends the test that called it"
)]

use api_conventions::time::Timestamp;
use chrono::{DateTime, Datelike as _, NaiveDateTime, TimeZone as _, Timelike as _, Utc};
use chrono_tz::Tz;
use error_tracking::model::EventId;
use error_tracking::monitors::{
    CheckIn, CheckInStatus, JobSchedule, MonitorConfig, MonitorState, normalize_slug,
};
use proptest::prelude::*;

const MINUTE: i64 = 60;
const DAY: i64 = 86_400;

/// Zones with unusual changes: by half an hour, by two hours, at midnight, over a whole day, in Ramadan.
const ZONES: [(Tz, &str); 12] = [
    (Tz::Europe__Berlin, "2026-03-29T01:00:00Z"),
    (Tz::Europe__Berlin, "2026-10-25T01:00:00Z"),
    (Tz::America__New_York, "2026-03-08T07:00:00Z"),
    (Tz::America__New_York, "2026-11-01T06:00:00Z"),
    (Tz::America__St_Johns, "2026-11-01T04:30:00Z"),
    (Tz::Australia__Lord_Howe, "2026-04-04T15:00:00Z"),
    (Tz::Australia__Lord_Howe, "2026-10-03T15:30:00Z"),
    (Tz::Antarctica__Troll, "2026-10-25T01:00:00Z"),
    (Tz::Africa__Cairo, "2026-10-29T21:00:00Z"),
    (Tz::Africa__Casablanca, "2026-03-22T02:00:00Z"),
    (Tz::Pacific__Apia, "2011-12-30T10:00:00Z"),
    (Tz::Asia__Kathmandu, "2026-03-29T01:00:00Z"),
];

/// Pattern as sets of values.
#[derive(Debug, Clone)]
struct Pattern {
    minutes: Vec<u32>,
    hours: Vec<u32>,
    weekdays: Vec<u32>,
}

impl Pattern {
    fn text(&self) -> String {
        let list = |values: &[u32], all: usize| {
            let values: Vec<String> = values.iter().map(u32::to_string).collect();
            if values.len() == all {
                return "*".to_owned();
            }
            values.join(",")
        };
        let minutes = list(&self.minutes, 60);
        let hours = list(&self.hours, 24);
        let weekdays = list(&self.weekdays, 7);
        format!("{minutes} {hours} * * {weekdays}")
    }

    fn schedule(&self) -> JobSchedule {
        JobSchedule::crontab(&self.text()).unwrap()
    }

    fn has(&self, civil: NaiveDateTime) -> bool {
        self.minutes.contains(&civil.minute())
            && self.hours.contains(&civil.hour())
            && self
                .weekdays
                .contains(&civil.weekday().num_days_from_sunday())
    }

    /// All times within some days after a time at which clocks show a time of the pattern, whether or not they show it twice.
    fn times(&self, zone: Tz, after: DateTime<Utc>, days: i64) -> Vec<DateTime<Utc>> {
        let first = after.timestamp().div_euclid(MINUTE) + 1;
        let minutes = first..first + days * DAY / MINUTE;
        let all = minutes.filter_map(|minute| DateTime::from_timestamp(minute * MINUTE, 0));
        all.filter(|at| self.has(at.with_timezone(&zone).naive_local()))
            .collect()
    }
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let every = |step: u32, end: u32| (0..end).filter(move |value| value % step == 0).collect();
    let minutes = prop_oneof![
        (1..=30_u32).prop_map(move |step| every(step, 60)),
        prop::collection::btree_set(0..60_u32, 1..4).prop_map(|set| set.into_iter().collect()),
    ];
    let hours = prop_oneof![
        Just((0..24).collect::<Vec<u32>>()),
        prop::collection::btree_set(0..5_u32, 1..4).prop_map(|set| set.into_iter().collect()),
    ];
    let weekdays = prop_oneof![Just((0..7).collect::<Vec<u32>>()), Just(vec![0, 1, 6])];
    (minutes, hours, weekdays).prop_map(|(minutes, hours, weekdays)| Pattern {
        minutes,
        hours,
        weekdays,
    })
}

fn timestamp(at: DateTime<Utc>) -> Timestamp {
    Timestamp::from_chrono(&at).unwrap()
}

/// A time near the change of a zone.
fn near_change() -> impl Strategy<Value = (Tz, DateTime<Utc>)> {
    (prop::sample::select(ZONES.to_vec()), -3 * DAY..DAY).prop_map(|((zone, change), seconds)| {
        let change: DateTime<Utc> = change.parse().unwrap();
        (zone, change + chrono::TimeDelta::seconds(seconds))
    })
}

/// Runs of a job that a scheduler starts.
#[derive(Debug, Clone, Copy)]
enum Scheduler {
    /// At each time that clocks show.
    Each,
    /// At the earlier of two times.
    Earlier,
    /// At the later of two times.
    Later,
    /// At the earlier of two times, and right after a change that skips a time.
    AfterGap,
}

impl Scheduler {
    fn runs(
        self,
        pattern: &Pattern,
        zone: Tz,
        from: DateTime<Utc>,
        days: i64,
    ) -> Vec<DateTime<Utc>> {
        let mut times = pattern.times(zone, from, days);
        let civil =
            |at: &DateTime<Utc>| zone.from_local_datetime(&at.with_timezone(&zone).naive_local());
        match self {
            Self::Each => {}
            Self::Earlier | Self::AfterGap => {
                times.retain(|at| civil(at).earliest().unwrap() == *at);
            }
            Self::Later => times.retain(|at| civil(at).latest().unwrap() == *at),
        }
        if let Self::AfterGap = self {
            let minutes =
                (0..days * DAY / MINUTE).map(|minute| from + chrono::TimeDelta::minutes(minute));
            let offset = |at: DateTime<Utc>| at.with_timezone(&zone).naive_local() - at.naive_utc();
            let minute = chrono::TimeDelta::minutes(1);
            times.extend(minutes.filter(|at| offset(*at) > offset(*at - minute)));
            times.sort_unstable();
            times.dedup();
        }
        times
    }
}

proptest! {
    #[test]
    fn a_slot_is_the_first_minute_that_clocks_show(
        pattern in pattern(),
        (zone, after) in near_change(),
    ) {
        let slot = pattern.schedule().next(timestamp(after), zone);
        let times = pattern.times(zone, after, 9);
        let civil = |at: &DateTime<Utc>| at.with_timezone(&zone).naive_local();
        let is_first = |at: &&DateTime<Utc>| {
            zone.from_local_datetime(&civil(at)).earliest().unwrap() == **at
        };
        let expected = times.iter().find(is_first).unwrap();
        let latest = times.iter().rev().find(|at| civil(at) == civil(expected)).unwrap();
        let slot = slot.unwrap();
        prop_assert_eq!(slot.at, timestamp(*expected));
        prop_assert_eq!(slot.latest, timestamp(*latest));
    }

    #[test]
    fn no_scheduler_misses_a_run_at_a_change_of_clocks(
        pattern in pattern(),
        (zone, from) in near_change(),
        scheduler in prop::sample::select(vec![
            Scheduler::Each, Scheduler::Earlier, Scheduler::Later, Scheduler::AfterGap,
        ]),
        delays in prop::collection::vec(-10..=58_i64, 1..9),
    ) {
        let mut state = MonitorState::default();
        let check_in = CheckIn {
            id: None,
            slug: normalize_slug("job").unwrap(),
            environment: "production".to_owned(),
            status: CheckInStatus::Ok,
            duration: None,
            release: None,
            config: Some(MonitorConfig { timezone: zone, ..MonitorConfig::new(pattern.schedule()) }),
        };
        let runs = scheduler.runs(&pattern, zone, from, 5);
        for (number, run) in (1..=u64::MAX).zip(&runs) {
            let delay = delays[usize::try_from(number).unwrap() % delays.len()];
            let now = timestamp(*run).plus_seconds(delay);
            while state.due_at().is_some_and(|due| due <= now) {
                let report = state.expire(now, Timestamp::MIN);
                prop_assert_eq!(report, None, "before the run of {}", run);
            }
            let id = EventId::from_bytes([number.to_be_bytes(); 2].concat().try_into().unwrap());
            state.record(&check_in, id.unwrap(), now);
        }
        // A job that stops is missed, and so the check above was one.
        if let Some(last) = runs.last() {
            let much_later = timestamp(*last).plus_seconds(10 * DAY);
            while state.due_at().is_some_and(|due| due <= much_later) {
                state.expire(much_later, Timestamp::MIN);
            }
            prop_assert!(state.is_failing);
        }
    }
}
