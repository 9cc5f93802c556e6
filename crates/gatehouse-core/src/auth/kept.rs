//! Something that was read and is kept for the next who asks.

use std::time::{Duration, Instant};

use accounts::Revoked;

use super::trust::{MAX_AGE, Trust};

/// The moment before something is read. It is taken first, so that a slow reading never makes what was read look fresher
/// than it is.
#[derive(Debug, Clone, Copy)]
pub struct ReadAt(Instant);

impl ReadAt {
    /// Now.
    pub fn now() -> Self {
        Self(Instant::now())
    }
}

/// Something that was read, with all that it follows from. It cannot be kept without both, and is told only while it is
/// trusted.
#[derive(Debug, Clone)]
pub struct Kept<T, const SUBJECTS: usize> {
    found: T,
    subjects: [Revoked; SUBJECTS],
    read_at: Instant,
    max_age: Duration,
}

impl<T, const SUBJECTS: usize> Kept<T, SUBJECTS> {
    /// Keeps `found`, which is worth nothing any more once one of `subjects` loses power, for the usual time.
    pub fn new(found: T, subjects: [Revoked; SUBJECTS], read_at: ReadAt) -> Self {
        Self {
            found,
            subjects,
            read_at: read_at.0,
            max_age: MAX_AGE,
        }
    }

    /// Keeps it for a shorter time.
    #[must_use]
    pub fn for_at_most(self, max_age: Duration) -> Self {
        Self {
            max_age: self.max_age.min(max_age),
            ..self
        }
    }

    /// What was found, if it can be trusted now.
    pub fn trusted(self, trust: &Trust) -> Option<T> {
        let now = Instant::now();
        self.is_good(trust, now).then_some(self.found)
    }

    fn is_good(&self, trust: &Trust, now: Instant) -> bool {
        now.saturating_duration_since(self.read_at) < self.max_age
            && trust.holds(&self.subjects, self.read_at, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api_conventions::ids::UserId;

    #[test]
    fn what_is_kept_gets_no_older_than_it_may() {
        const ANN: Revoked = Revoked::User(UserId::new(1));
        let trust = Trust::new();
        let read_at = ReadAt::now();
        let kept = Kept::new("ann", [ANN], read_at);
        let shorter = kept.clone().for_at_most(Duration::from_secs(5));
        let longer = kept.clone().for_at_most(MAX_AGE * 2);
        for (seconds, good) in [(0, [true; 3]), (5, [true, false, true]), (60, [false; 3])] {
            let now = read_at.0 + Duration::from_secs(seconds);
            trust.confirm(now);
            let seen = [&kept, &shorter, &longer].map(|kept| kept.is_good(&trust, now));
            assert_eq!(seen, good, "after {seconds} seconds");
        }
        let now = read_at.0 + Duration::from_secs(1);
        trust.note(&[ANN], now);
        assert!(!kept.is_good(&trust, now));
    }
}
