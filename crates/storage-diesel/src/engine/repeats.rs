//! Repeated failures: the first of a cause is logged at once, the others are summed up.
//!
//! While a database is unavailable, every batch fails for the same reason, hundreds of times a second; a line for each
//! would fill the disk, whose lack of space may be the cause.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time for which failures of a cause are counted before they are summed up.
const INTERVAL: Duration = Duration::from_secs(10);
/// Time for which a cause is remembered after its last failure.
/// Only after that does its next failure count as a first one.
const FORGET_AFTER: Duration = Duration::from_mins(1);
/// Maximum number of causes that are counted separately.
const CAUSES: usize = 64;
/// Name of all causes beyond that.
const OTHER: &str = "other causes";

/// Failures of one kind of work, by their cause.
#[derive(Debug, Default)]
pub(crate) struct RepeatedFailures(Mutex<HashMap<String, CauseCount>>);

#[derive(Debug)]
struct CauseCount {
    /// Failures that have not been logged yet.
    unreported: u64,
    since: Instant,
    last: Instant,
}

/// Summary of a cause, to be logged.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FailureSummary {
    pub(crate) cause: String,
    pub(crate) count: u64,
    pub(crate) period: Duration,
}

impl RepeatedFailures {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, CauseCount>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a failure.
    /// Returns true if it is the first of its cause, which has to be logged at once.
    pub(crate) fn count(&self, cause: &str, now: Instant) -> bool {
        let mut causes = self.lock();
        if let Some(count) = causes.get_mut(cause) {
            count.last = now;
            count.unreported += 1;
            return false;
        }
        let has_room = causes.len() < CAUSES;
        let name = if has_room { cause } else { OTHER };
        let mut is_first = false;
        let count = causes.entry(name.to_owned()).or_insert_with(|| {
            is_first = true;
            CauseCount {
                unreported: 0,
                since: now,
                last: now,
            }
        });
        count.last = now;
        count.unreported += u64::from(!is_first);
        is_first
    }

    /// Returns the summaries of causes that were counted for long enough.
    /// Causes that are over are forgotten.
    pub(crate) fn due(&self, now: Instant) -> Vec<FailureSummary> {
        self.take(now, INTERVAL)
    }

    /// Returns all summaries that were not logged yet, for shutdown.
    pub(crate) fn rest(&self, now: Instant) -> Vec<FailureSummary> {
        self.take(now, Duration::ZERO)
    }

    fn take(&self, now: Instant, interval: Duration) -> Vec<FailureSummary> {
        let mut summaries = Vec::new();
        self.lock().retain(|cause, count| {
            let period = now.saturating_duration_since(count.since);
            if period >= interval {
                if count.unreported > 0 {
                    summaries.push(FailureSummary {
                        cause: cause.clone(),
                        count: std::mem::take(&mut count.unreported),
                        period,
                    });
                }
                count.since = now;
            }
            now.saturating_duration_since(count.last) < FORGET_AFTER
        });
        summaries.sort_by_key(|failure| std::cmp::Reverse(failure.count));
        summaries
    }
}

/// Logs a failure of `$repeats` at once if it is the first of its cause.
macro_rules! log_first {
    ($repeats:expr, $level:ident, $cause:expr, $message:literal) => {{
        let cause = $cause.to_string();
        if $repeats.count(&cause, std::time::Instant::now()) {
            tracing::$level!(error = cause, $message);
        }
    }};
}

/// Logs the summaries `$summaries`, one line per cause.
macro_rules! log_repeated {
    ($summaries:expr, $level:ident, $message:literal) => {
        for repeated in $summaries {
            tracing::$level!(
                error = repeated.cause,
                repeated.count = repeated.count,
                repeated.seconds = repeated.period.as_secs(),
                $message
            );
        }
    };
}

pub(crate) use {log_first, log_repeated};

#[cfg(test)]
mod tests {
    use super::*;

    fn summaries(summaries: &[FailureSummary]) -> Vec<(&str, u64, u64)> {
        summaries
            .iter()
            .map(|one| (&*one.cause, one.count, one.period.as_secs()))
            .collect()
    }

    #[test]
    fn the_first_failure_of_a_cause_is_reported_and_repeats_are_summarized() {
        let (repeats, start) = (RepeatedFailures::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert!(repeats.count("full", at(0)));
        for _ in 0..4000 {
            assert!(!repeats.count("full", at(1)));
        }
        assert!(repeats.count("away", at(2)));
        assert_eq!(repeats.due(at(9)), []);
        assert_eq!(summaries(&repeats.due(at(10))), [("full", 4000, 10)]);
        assert!(!repeats.count("full", at(11)));
        assert_eq!(summaries(&repeats.rest(at(12))), [("full", 1, 2)]);
    }

    #[test]
    fn a_cause_that_was_over_for_a_minute_is_a_new_one() {
        let (repeats, start) = (RepeatedFailures::default(), Instant::now());
        assert!(repeats.count("full", start));
        assert_eq!(repeats.due(start + FORGET_AFTER), []);
        assert!(repeats.count("full", start + FORGET_AFTER));
    }

    #[test]
    fn the_memory_is_bounded_whatever_causes_there_are() {
        let (repeats, now) = (RepeatedFailures::default(), Instant::now());
        for number in 0..1000 {
            repeats.count(&format!("cause {number}"), now);
        }
        assert_eq!(repeats.lock().len(), CAUSES + 1);
        let rest = repeats.rest(now);
        assert_eq!(summaries(&rest), [(OTHER, 1000 - CAUSES as u64 - 1, 0)]);
    }
}
