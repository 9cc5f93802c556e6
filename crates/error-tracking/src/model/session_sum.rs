//! Sums of the sessions of releases.

use api_conventions::ids::ProjectId;
use api_conventions::time::CalendarDate;

/// Key of a sum of sessions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionSumKey {
    /// The project.
    pub project_id: ProjectId,
    /// The release.
    pub release: String,
    /// Environment; empty if the SDK names none.
    pub environment: String,
    /// Day on which the sessions began, in UTC.
    pub day: CalendarDate,
}

/// Sessions of a release on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSum {
    /// Key of the sum.
    pub of: SessionSumKey,
    /// Sessions that began.
    pub started: i64,
    /// Sessions with an error that did not end the program.
    pub errored: i64,
    /// Sessions that ended with a crash.
    pub crashed: i64,
    /// Sessions that were cut off.
    pub abnormal: i64,
}

impl SessionSum {
    /// Creates an empty sum.
    pub const fn none(of: SessionSumKey) -> Self {
        Self {
            of,
            started: 0,
            errored: 0,
            crashed: 0,
            abnormal: 0,
        }
    }

    /// Adds sessions of the same release and day.
    pub fn add(&mut self, other: &Self) {
        self.started = self.started.saturating_add(other.started);
        self.errored = self.errored.saturating_add(other.errored);
        self.crashed = self.crashed.saturating_add(other.crashed);
        self.abnormal = self.abnormal.saturating_add(other.abnormal);
    }

    /// Adds up the sums of all days per release and environment, in the order of their first occurrence.
    pub fn by_release(sums: Vec<Self>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for sum in sums {
            let is_same = |known: &&mut Self| {
                known.of.release == sum.of.release && known.of.environment == sum.of.environment
            };
            match all.iter_mut().find(is_same) {
                Some(known) => known.add(&sum),
                None => all.push(sum),
            }
        }
        all
    }

    /// Share of sessions without a crash, from 0 to 1; `None` if no session is known to have begun.
    /// A session may end on a later day than it began, so a day can have more crashes than sessions.
    pub fn crash_free_rate(&self) -> Option<f64> {
        let [started, crashed] = [self.started, self.crashed].map(as_float);
        (self.started > 0).then(|| (1.0 - crashed / started).max(0.0))
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "above 2^53 sessions the rounding does not change the rate noticeably"
)]
fn as_float(number: i64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use api_conventions::time::Timestamp;

    use super::*;

    fn sum(started: i64, crashed: i64) -> SessionSum {
        let of = SessionSumKey {
            project_id: ProjectId::new(1),
            release: "web@1.0.0".to_owned(),
            environment: String::new(),
            day: Timestamp::MIN.date(),
        };
        SessionSum {
            started,
            crashed,
            ..SessionSum::none(of)
        }
    }

    #[test]
    fn the_rate_is_of_sessions_that_began() {
        for (started, crashed, expected) in [
            (0, 0, None),
            (0, 1, None),
            (4, 1, Some(0.75)),
            (4, 0, Some(1.0)),
            (1, 3, Some(0.0)),
        ] {
            let rate = sum(started, crashed).crash_free_rate();
            assert_eq!(rate, expected, "{crashed} of {started}");
        }
        let mut both = sum(3, 1);
        both.add(&sum(1, 0));
        assert_eq!(both.crash_free_rate(), Some(0.75));
    }
}
