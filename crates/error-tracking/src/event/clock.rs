//! Correction of a sender's clock.

use api_conventions::time::Timestamp;

/// Difference from which a clock counts as wrong, in seconds.
/// A smaller one may be network delay.
const MIN_DRIFT: i64 = 55 * 60;
/// Furthest time of an event in the future, in seconds.
const MAX_AHEAD: i64 = 60;
/// Greatest age of an event, in seconds.
const MAX_AGE: i64 = 30 * 24 * 3600;

/// Correction of the times of one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SenderClock {
    received_at: Timestamp,
    drift_micros: i64,
}

impl SenderClock {
    /// Creates the correction for an event sent at `sent_at` by the sender's clock and received at `received_at` by the
    /// server's.
    pub(super) fn new(received_at: Timestamp, sent_at: Option<Timestamp>) -> Self {
        let drift = sent_at.map_or(0, |sent_at| {
            received_at.as_micros().saturating_sub(sent_at.as_micros())
        });
        let is_off = drift.unsigned_abs() >= (MIN_DRIFT * 1_000_000).unsigned_abs();
        Self {
            received_at,
            drift_micros: if is_off { drift } else { 0 },
        }
    }

    /// True if times are changed.
    pub(super) fn is_off(self) -> bool {
        self.drift_micros != 0
    }

    /// Converts a time of the sender's clock to the server's clock.
    pub(super) fn correct(self, at: Timestamp) -> Timestamp {
        let micros = at.as_micros().saturating_add(self.drift_micros);
        Timestamp::from_micros(micros).unwrap_or(at)
    }

    /// Returns the time of an event, and false if the sender's time is not plausible.
    /// An event in the future, or older than `MAX_AGE`, counts as happening when it was received.
    pub(super) fn occurred_at(self, said: Option<Timestamp>) -> (Timestamp, bool) {
        let Some(said) = said else {
            return (self.received_at, true);
        };
        let at = self.correct(said);
        let is_likely = at <= self.received_at.plus_seconds(MAX_AHEAD)
            && at >= self.received_at.plus_seconds(-MAX_AGE);
        if is_likely {
            (at, true)
        } else {
            (self.received_at, false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse_rfc3339(text).unwrap()
    }

    #[test]
    fn a_clock_that_is_an_hour_off_is_corrected_and_a_minute_is_not() {
        let now = at("2026-11-20T10:00:00Z");
        let wrong = SenderClock::new(now, Some(at("2026-11-20T08:00:00Z")));
        assert_eq!(
            wrong.occurred_at(Some(at("2026-11-20T07:59:58Z"))),
            (at("2026-11-20T09:59:58Z"), true)
        );
        let right = SenderClock::new(now, Some(at("2026-11-20T09:59:00Z")));
        assert!(wrong.is_off() && !right.is_off());
        assert_eq!(
            right.occurred_at(Some(at("2026-11-20T09:58:00Z"))),
            (at("2026-11-20T09:58:00Z"), true)
        );
    }

    #[test]
    fn implausible_times_fall_back_to_the_arrival_time() {
        let now = at("2026-11-20T10:00:00Z");
        let clock = SenderClock::new(now, None);
        assert_eq!(clock.occurred_at(None), (now, true));
        for text in [
            "2026-11-20T10:01:01Z",
            "2026-10-20T10:00:00Z",
            "9000-01-01T00:00:00Z",
        ] {
            assert_eq!(clock.occurred_at(Some(at(text))), (now, false), "{text}");
        }
        let soon = at("2026-11-20T10:01:00Z");
        assert_eq!(clock.occurred_at(Some(soon)), (soon, true));
    }
}
