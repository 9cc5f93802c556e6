//! Rate limits: a number of events per minute, and a burst at once.
//! A bucket fills over time, and each event takes from it.

use api_conventions::time::Timestamp;

/// Rate at which events are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Events per minute, in the long run; at least 1.
    pub per_minute: u32,
    /// Events at once, after a time without any; at least 1.
    pub burst: u32,
}

impl Rate {
    /// Creates a rate of this many events per minute, all of which may arrive at once.
    pub const fn of_minute(events: u32) -> Self {
        Self {
            per_minute: events,
            burst: events,
        }
    }
}

/// Remaining capacity of a rate.
/// It is held in memory: a restart forgets what was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bucket {
    /// Remaining capacity, in parts of an event.
    left: i64,
    filled_at: Timestamp,
}

/// Parts of an event: a rate of one per minute adds one part per microsecond, so that filling is exact.
const WHOLE: i64 = 60_000_000;

impl Bucket {
    /// Creates a full bucket.
    pub fn full(rate: Rate, now: Timestamp) -> Self {
        Self {
            left: i64::from(rate.burst.max(1)) * WHOLE,
            filled_at: now,
        }
    }

    /// True if nothing of the rate is taken any more at this time, so that a new bucket could replace this one.
    pub fn is_full(mut self, rate: Rate, now: Timestamp) -> bool {
        self.fill(rate, now);
        self.left >= i64::from(rate.burst.max(1)) * WHOLE
    }

    /// Takes one event, or returns the whole seconds, at least 1, until one is available.
    ///
    /// # Errors
    /// The seconds to wait, if none is available.
    pub fn take(&mut self, rate: Rate, now: Timestamp) -> Result<(), u32> {
        let per_minute = i64::from(rate.per_minute.max(1));
        self.fill(rate, now);
        if self.left >= WHOLE {
            self.left -= WHOLE;
            return Ok(());
        }
        let missing = WHOLE - self.left;
        let speed = per_minute * 1_000_000;
        let seconds = (missing + speed - 1) / speed;
        Err(u32::try_from(seconds.max(1)).unwrap_or(u32::MAX))
    }

    /// Puts back the capacity for one event.
    pub fn put_back(&mut self, rate: Rate) {
        let most = i64::from(rate.burst.max(1)) * WHOLE;
        self.left = self.left.saturating_add(WHOLE).min(most);
    }

    /// Fills the bucket for the time that passed.
    /// A clock that stepped back adds nothing and removes nothing.
    fn fill(&mut self, rate: Rate, now: Timestamp) {
        let passed = now
            .as_micros()
            .saturating_sub(self.filled_at.as_micros())
            .max(0);
        let most = i64::from(rate.burst.max(1)) * WHOLE;
        let filled = passed.saturating_mul(i64::from(rate.per_minute.max(1)));
        self.left = self.left.saturating_add(filled).min(most);
        self.filled_at = self.filled_at.max(now);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RATE: Rate = Rate {
        per_minute: 60,
        burst: 3,
    };

    fn at(micros: i64) -> Timestamp {
        Timestamp::MIN
            .plus_seconds(1_000_000_000)
            .as_micros()
            .checked_add(micros)
            .and_then(Timestamp::from_micros)
            .unwrap()
    }

    #[test]
    fn a_burst_is_accepted_at_once_and_the_rest_at_the_rate() {
        let mut bucket = Bucket::full(RATE, at(0));
        let mut take = |micros: i64| bucket.take(RATE, at(micros));
        assert_eq!(
            [take(0), take(0), take(0), take(0)],
            [Ok(()), Ok(()), Ok(()), Err(1)]
        );
        assert_eq!(take(900_000), Err(1));
        assert_eq!(take(1_000_000), Ok(()));
        assert_eq!(take(1_000_000), Err(1));
        assert_eq!(
            [
                take(60_000_000),
                take(60_000_000),
                take(60_000_000),
                take(60_000_000)
            ],
            [Ok(()), Ok(()), Ok(()), Err(1)]
        );
    }

    #[test]
    fn a_slow_rate_returns_the_wait_time() {
        let slow = Rate {
            per_minute: 2,
            burst: 1,
        };
        let mut bucket = Bucket::full(slow, at(0));
        assert_eq!(bucket.take(slow, at(0)), Ok(()));
        assert_eq!(bucket.take(slow, at(0)), Err(30));
        assert_eq!(bucket.take(slow, at(10_000_000)), Err(20));
        assert_eq!(bucket.take(slow, at(30_000_000)), Ok(()));
    }

    #[test]
    fn a_clock_that_steps_back_gives_nothing_away() {
        let mut bucket = Bucket::full(RATE, at(0));
        for _ in 0..3 {
            bucket.take(RATE, at(0)).unwrap();
        }
        assert_eq!(bucket.take(RATE, at(-60_000_000)), Err(1));
        assert_eq!(bucket.take(RATE, at(500_000)), Err(1));
        assert_eq!(bucket.take(RATE, at(1_000_000)), Ok(()));
    }

    proptest! {
        #[test]
        fn no_more_comes_through_than_the_rate(
            per_minute in 1_u32..10_000, burst in 1_u32..100, steps in proptest::collection::vec(0_i64..5_000_000, 1..200),
        ) {
            let rate = Rate { per_minute, burst };
            let mut bucket = Bucket::full(rate, at(0));
            let (mut now, mut taken) = (0, 0_i64);
            for step in steps {
                now += step;
                taken += i64::from(bucket.take(rate, at(now)).is_ok());
            }
            prop_assert!(taken <= i64::from(burst) + now * i64::from(per_minute) / 60_000_000 + 1);
        }
    }
}
