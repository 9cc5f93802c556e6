//! Quiet hours of a channel: a daily period of local time in which less severe messages wait.

use api_conventions::time::Timestamp;
use chrono::{Days, TimeDelta};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::local_time::{LocalTime, Pick, local_date};
use super::{MessageEvent, MessageSeverity};

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
        let today = local_date(at, self.time_zone);
        let crosses_midnight = self.until <= self.from;
        let mut period: Option<(Timestamp, Timestamp)> = None;
        // From the day before yesterday on: a change of clocks can move the end of a period by a day.
        for back in [2, 1, 0, -1] {
            let date = today.checked_sub_signed(TimeDelta::days(back))?;
            let end_date = date.checked_add_days(Days::new(crosses_midnight.into()))?;
            let start = self.from.on(date, self.time_zone, Pick::First)?;
            let end = self.until.on(end_date, self.time_zone, Pick::Last)?;
            period = match period {
                Some((first, last)) if start <= last => Some((first, last.max(end))),
                Some((_, last)) if at < last => break,
                _ => Some((start, end)),
            };
        }
        period.filter(|(start, end)| *start <= at && at < *end)
    }
}
