//! Schedules of jobs, and the times at which they expect a check-in.
//!
//! A crontab pattern is about wall-clock times in a zone. When clocks go forward, a time that does not exist is not
//! expected. When clocks go back, a time that exists twice is expected once: a scheduler may run the job at either.

use chrono::{Days, LocalResult, Months, NaiveDateTime, TimeDelta, TimeZone as _, Utc};
use chrono_tz::Tz;
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use serde::{Deserialize, Serialize};

use api_conventions::time::Timestamp;

/// Longest crontab pattern, in characters.
const MAX_PATTERN: usize = 200;
/// Longest interval, in seconds: ten years.
const MAX_INTERVAL: i64 = 10 * 366 * 86_400;
/// Steps of a search: more civil times than one change of clocks repeats.
const MAX_STEPS: usize = 3_000;

/// Times at which a job runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum JobSchedule {
    /// Wall-clock times.
    Crontab {
        /// Pattern of five fields, or a nickname such as `@daily`.
        value: Box<Cron>,
    },
    /// A time after the start of the last run.
    Interval {
        /// Number of units, at least 1.
        value: u32,
        /// The unit.
        unit: IntervalUnit,
    },
}

api_conventions::named! {
    /// Unit of an interval, in the words of SDKs.
    pub enum IntervalUnit {
        /// 60 seconds.
        Minute = 0, "minute";
        /// 60 minutes.
        Hour = 1, "hour";
        /// The same wall-clock time a day later.
        Day = 2, "day";
        /// The same wall-clock time a week later.
        Week = 3, "week";
        /// The same wall-clock time a month later.
        Month = 4, "month";
        /// The same wall-clock time a year later.
        Year = 5, "year";
    }
}

api_conventions::stored_as_number!(IntervalUnit);

/// Time at which a check-in is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSlot {
    /// The time; the earlier one if clocks show it twice.
    #[serde(with = "api_conventions::stored::timestamp")]
    pub at: Timestamp,
    /// The later time if clocks show it twice, otherwise the same.
    #[serde(with = "api_conventions::stored::timestamp")]
    pub latest: Timestamp,
}

impl JobSchedule {
    /// Creates a schedule from a crontab pattern; `None` if it is not one, or never comes.
    pub fn crontab(pattern: &str) -> Option<Self> {
        if pattern.chars().count() > MAX_PATTERN {
            return None;
        }
        let parser = CronParser::builder()
            .seconds(Seconds::Disallowed)
            .year(Year::Disallowed)
            .build();
        let value = Box::new(parser.parse(pattern).ok()?);
        // The library searches up to the year 5000. A date that no calendar has would cost a search of 3,000 years.
        let start = Utc.with_ymd_and_hms(4_950, 1, 1, 0, 0, 0).single()?;
        let slot = value.find_next_occurrence(&start, false);
        slot.is_ok().then_some(Self::Crontab { value })
    }

    /// Creates an interval; `None` unless it is from 1 minute to 10 years.
    pub fn interval(value: u32, unit: IntervalUnit) -> Option<Self> {
        let seconds = i64::from(value).saturating_mul(unit.seconds());
        (1..=MAX_INTERVAL)
            .contains(&seconds)
            .then_some(Self::Interval { value, unit })
    }

    /// Returns the first slot after a time; `None` if there is none.
    ///
    /// An interval of days leads to the same wall-clock time, or to as many times 24 hours later if that is later.
    pub fn next(&self, after: Timestamp, zone: Tz) -> Option<JobSlot> {
        match self {
            Self::Crontab { value } => next_wall_clock(value, after, zone),
            Self::Interval { value, unit } => {
                let fixed = after.plus_seconds(i64::from(*value) * unit.fixed_seconds());
                let civil = unit
                    .add(civil(after, zone), *value)
                    .and_then(|civil| resolve_interval(civil, zone));
                let at = civil.map_or(fixed, |civil| civil.max(fixed));
                Some(JobSlot { at, latest: at })
            }
        }
    }
}

impl IntervalUnit {
    /// Seconds of a unit, at least.
    const fn seconds(self) -> i64 {
        match self {
            Self::Minute => 60,
            Self::Hour => 3_600,
            Self::Day => 86_400,
            Self::Week => 7 * 86_400,
            Self::Month => 28 * 86_400,
            Self::Year => 365 * 86_400,
        }
    }

    /// Seconds that a unit always has; months and years are counted by the calendar.
    const fn fixed_seconds(self) -> i64 {
        match self {
            Self::Minute | Self::Hour | Self::Day | Self::Week => self.seconds(),
            Self::Month | Self::Year => 0,
        }
    }

    /// Adds units of the calendar; `None` for a unit of the clock.
    fn add(self, civil: NaiveDateTime, value: u32) -> Option<NaiveDateTime> {
        match self {
            Self::Minute | Self::Hour => None,
            Self::Day => civil.checked_add_days(Days::new(value.into())),
            Self::Week => civil.checked_add_days(Days::new(u64::from(value) * 7)),
            Self::Month => civil.checked_add_months(Months::new(value)),
            Self::Year => civil.checked_add_months(Months::new(value.checked_mul(12)?)),
        }
    }
}

/// Returns the wall-clock time in a zone.
fn civil(at: Timestamp, zone: Tz) -> NaiveDateTime {
    zone.from_utc_datetime(&at.to_chrono().naive_utc())
        .naive_local()
}

/// Returns the first slot of a pattern after a time.
///
/// The pattern is searched on a calendar without changes of clocks, so that this file alone decides about them.
fn next_wall_clock(pattern: &Cron, after: Timestamp, zone: Tz) -> Option<JobSlot> {
    let mut civil = civil(after, zone).and_utc();
    for _ in 0..MAX_STEPS {
        civil = pattern.find_next_occurrence(&civil, false).ok()?;
        if let Some(slot) = resolve(civil.naive_utc(), zone)
            && slot.at > after
        {
            return Some(slot);
        }
    }
    None
}

/// Returns when clocks show a wall-clock time; `None` if they skip it.
fn resolve(civil: NaiveDateTime, zone: Tz) -> Option<JobSlot> {
    let (at, latest) = match zone.from_local_datetime(&civil) {
        LocalResult::None => return None,
        LocalResult::Single(at) => (at, at),
        LocalResult::Ambiguous(at, latest) => (at, latest),
    };
    Some(JobSlot {
        at: Timestamp::from_chrono(&at.to_utc())?,
        latest: Timestamp::from_chrono(&latest.to_utc())?,
    })
}

/// Returns the latest time at which clocks show a wall-clock time. For a time that they skip, that is 24 hours after
/// they showed it on the day before.
fn resolve_interval(civil: NaiveDateTime, zone: Tz) -> Option<Timestamp> {
    if let Some(slot) = resolve(civil, zone) {
        return Some(slot.latest);
    }
    let day = TimeDelta::days(1);
    let before = resolve(civil.checked_sub_signed(day)?, zone)?;
    Some(before.latest.plus_seconds(day.num_seconds()))
}
