//! Times of day as clocks show them, and the instants at which they show them.

use std::fmt;

use api_conventions::time::Timestamp;
use chrono::{
    DateTime, LocalResult, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone as _,
    Timelike as _,
};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

/// Longest search for the end of a missing local time, in minutes. Clocks skip at most a day.
const MAX_GAP: i64 = 26 * 60;

/// Time of day without seconds, as clocks show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LocalTime {
    hour: u8,
    minute: u8,
}

impl LocalTime {
    /// Parses `HH:MM`, from `00:00` to `23:59`.
    pub fn parse(text: &str) -> Option<Self> {
        let has_form = text.len() == 5 && text.is_ascii();
        let time = NaiveTime::parse_from_str(text, "%H:%M").ok();
        let time = time.filter(|_| has_form)?;
        Some(Self {
            hour: u8::try_from(time.hour()).ok()?,
            minute: u8::try_from(time.minute()).ok()?,
        })
    }

    /// Returns the instant at which the clocks of a zone show this time on a date: the first instant after the gap if they
    /// skip it. `None` outside of the years 1 to 9999.
    pub(crate) fn on(self, date: NaiveDate, zone: Tz, pick: Pick) -> Option<Timestamp> {
        let local = date.and_hms_opt(self.hour.into(), self.minute.into(), 0)?;
        let found = match (zone.from_local_datetime(&local), pick) {
            (LocalResult::Single(at), _)
            | (LocalResult::Ambiguous(at, _), Pick::First)
            | (LocalResult::Ambiguous(_, at), Pick::Last) => Some(at),
            (LocalResult::None, _) => after_gap(local, zone),
        };
        Timestamp::from_chrono(&found?.to_utc())
    }
}

/// Choice between the instants of a local time that clocks show twice.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pick {
    /// The first time.
    First,
    /// The last time.
    Last,
}

/// Returns the date that the clocks of a zone show at a time.
pub(crate) fn local_date(at: Timestamp, zone: Tz) -> NaiveDate {
    let local = zone.from_utc_datetime(&at.to_chrono().naive_utc());
    local.date_naive()
}

/// Returns the first instant after the gap that contains a local time.
fn after_gap(local: NaiveDateTime, zone: Tz) -> Option<DateTime<Tz>> {
    let mut steps = 1..=MAX_GAP;
    steps.find_map(|minutes| {
        let later = local.checked_add_signed(TimeDelta::minutes(minutes))?;
        zone.from_local_datetime(&later).earliest()
    })
}

impl fmt::Display for LocalTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.hour, self.minute)
    }
}

impl From<LocalTime> for String {
    fn from(time: LocalTime) -> Self {
        time.to_string()
    }
}

impl TryFrom<String> for LocalTime {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("not a time of day")
    }
}
