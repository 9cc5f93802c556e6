//! Quiet hours of a channel: a daily period of local time in which less severe messages wait.

use std::fmt;

use api_conventions::time::Timestamp;
use chrono::{
    DateTime, Days, LocalResult, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone as _,
    Timelike as _,
};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::{MessageEvent, MessageSeverity};

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

    fn on(self, date: NaiveDate) -> Option<NaiveDateTime> {
        date.and_hms_opt(self.hour.into(), self.minute.into(), 0)
    }
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

/// Quiet hours of a channel. Serialized for the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuietHours {
    /// Start. A local time that clocks skip is the first instant after the gap; of one that they show twice, the first.
    pub from: LocalTime,
    /// End, on the next day unless it is later than the start. Of a local time that clocks show twice, the last.
    pub until: LocalTime,
    /// Time zone of both, a name of the IANA database.
    pub time_zone: Tz,
    /// Messages of this severity and above do not wait.
    pub severity: MessageSeverity,
}

impl QuietHours {
    /// Severity from which messages do not wait, if none is given.
    pub const DEFAULT_SEVERITY: MessageSeverity = MessageSeverity::Critical;

    /// Parses the name of a time zone of the IANA database.
    pub fn parse_time_zone(name: &str) -> Option<Tz> {
        name.parse().ok()
    }

    /// True if a message is sent in quiet hours too: tests, and what is severe enough.
    pub fn lets_pass(self, event: MessageEvent, severity: Option<MessageSeverity>) -> bool {
        let severity = severity.unwrap_or(MessageSeverity::Unknown);
        event == MessageEvent::Test || severity >= self.severity
    }

    /// Returns start and end of the quiet period that contains a time; `None` outside of quiet hours. The end is not part of
    /// the period. Periods that touch because of a change of clocks are one.
    pub fn period_at(self, at: Timestamp) -> Option<(Timestamp, Timestamp)> {
        let today = self
            .time_zone
            .from_utc_datetime(&at.to_chrono().naive_utc());
        let today = today.date_naive();
        let crosses_midnight = self.until <= self.from;
        let mut period: Option<(Timestamp, Timestamp)> = None;
        // From the day before yesterday on: a change of clocks can move the end of a period by a day.
        for back in [2, 1, 0, -1] {
            let date = today.checked_sub_signed(TimeDelta::days(back))?;
            let end_date = date.checked_add_days(Days::new(crosses_midnight.into()))?;
            let start = self.instant(self.from.on(date)?, Pick::First)?;
            let end = self.instant(self.until.on(end_date)?, Pick::Last)?;
            period = match period {
                Some((first, last)) if start <= last => Some((first, last.max(end))),
                Some((_, last)) if at < last => break,
                _ => Some((start, end)),
            };
        }
        period.filter(|(start, end)| *start <= at && at < *end)
    }

    /// Returns the instant at which clocks show a local time: the first instant after the gap if they skip it.
    fn instant(self, local: NaiveDateTime, pick: Pick) -> Option<Timestamp> {
        let found = match (self.time_zone.from_local_datetime(&local), pick) {
            (LocalResult::Single(at), _)
            | (LocalResult::Ambiguous(at, _), Pick::First)
            | (LocalResult::Ambiguous(_, at), Pick::Last) => Some(at),
            (LocalResult::None, _) => self.after_gap(local),
        };
        Timestamp::from_chrono(&found?.to_utc())
    }

    /// Returns the first instant after the gap that contains a local time.
    fn after_gap(self, local: NaiveDateTime) -> Option<DateTime<Tz>> {
        let mut steps = 1..=MAX_GAP;
        steps.find_map(|minutes| {
            let later = local.checked_add_signed(TimeDelta::minutes(minutes))?;
            self.time_zone.from_local_datetime(&later).earliest()
        })
    }
}

/// Choice between the instants of a local time that clocks show twice.
#[derive(Debug, Clone, Copy)]
enum Pick {
    First,
    Last,
}
