//! Clocks of all time zones, minute by minute.

use api_conventions::time::Timestamp;
use chrono::{DateTime, Offset as _, TimeZone as _};
use chrono_tz::Tz;

/// Minutes of a day.
pub(crate) const DAY: i64 = 24 * 60;
/// Minutes before and after a change of clocks that the model walks through.
pub(crate) const WINDOW: i64 = 6 * 60;

/// Returns the time this many minutes after the start of 1970.
pub(crate) fn at(minute: i64) -> Timestamp {
    Timestamp::from_micros(minute * 60_000_000).unwrap()
}

/// Minute that clocks show, counted like those of UTC.
pub(crate) fn shown(zone: Tz, minute: i64) -> i64 {
    let utc = DateTime::from_timestamp(minute * 60, 0)
        .unwrap()
        .naive_utc();
    let offset = zone.offset_from_utc_datetime(&utc).fix().local_minus_utc();
    minute + i64::from(offset) / 60
}

/// Minutes by which clocks are ahead of UTC.
pub(crate) fn offset(zone: Tz, minute: i64) -> i64 {
    shown(zone, minute) - minute
}

/// Returns the first minutes after the changes of clocks in the years 2020 to 2040.
pub(crate) fn changes(zone: Tz) -> Vec<i64> {
    let (first, last) = (50 * 365 * DAY + 12 * DAY, 71 * 365 * DAY + 17 * DAY);
    let mut changes = Vec::new();
    for day in (first..last).step_by(1440) {
        let (mut before, mut after) = (day, day + DAY);
        if offset(zone, before) == offset(zone, after) {
            continue;
        }
        while after - before > 1 {
            let middle = i64::midpoint(before, after);
            if offset(zone, middle) == offset(zone, day) {
                before = middle;
            } else {
                after = middle;
            }
        }
        changes.push(after);
    }
    changes
}
