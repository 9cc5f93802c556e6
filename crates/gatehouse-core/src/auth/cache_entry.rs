//! A cache entry: a value with its TTL and the subjects whose revocation invalidates it.

use std::time::{Duration, Instant};

use accounts::RevocationSubject;

use super::revocations::{CACHE_TTL, RevocationTracker};

/// The time just before a value is read.
/// It is taken before the read, so that a slow read never makes the value look fresher than it is.
#[derive(Debug, Clone, Copy)]
pub struct ReadAt(Instant);

impl ReadAt {
    /// Returns the current time.
    pub fn now() -> Self {
        Self(Instant::now())
    }
}

/// A cached value with the subjects that it depends on.
/// It is returned only until its TTL ends or one of these subjects is revoked.
#[derive(Debug, Clone)]
pub struct CacheEntry<T, const SUBJECTS: usize> {
    found: T,
    subjects: [RevocationSubject; SUBJECTS],
    read_at: Instant,
    ttl: Duration,
}

impl<T, const SUBJECTS: usize> CacheEntry<T, SUBJECTS> {
    /// Creates an entry for `found` with the default TTL. The revocation of any of `subjects` invalidates it earlier.
    pub fn new(found: T, subjects: [RevocationSubject; SUBJECTS], read_at: ReadAt) -> Self {
        Self {
            found,
            subjects,
            read_at: read_at.0,
            ttl: CACHE_TTL,
        }
    }

    /// Returns the entry with its TTL limited to `ttl`.
    #[must_use]
    pub fn with_ttl(self, ttl: Duration) -> Self {
        Self {
            ttl: self.ttl.min(ttl),
            ..self
        }
    }

    /// Returns the value whatever its age. It may be expired or revoked, so it proves nothing.
    pub fn any_age(&self) -> &T {
        &self.found
    }

    /// Returns the value if the entry is still fresh.
    pub fn if_valid(self, revocations: &RevocationTracker) -> Option<T> {
        let now = Instant::now();
        self.is_fresh(revocations, now).then_some(self.found)
    }

    fn is_fresh(&self, revocations: &RevocationTracker, now: Instant) -> bool {
        now.saturating_duration_since(self.read_at) < self.ttl
            && revocations.are_unrevoked(&self.subjects, self.read_at, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api_conventions::ids::UserId;

    #[test]
    fn an_entry_is_fresh_until_its_ttl_or_a_revocation_ends_it() {
        const ANN: RevocationSubject = RevocationSubject::User(UserId::new(1));
        let revocations = RevocationTracker::new();
        let read_at = ReadAt::now();
        let entry = CacheEntry::new("ann", [ANN], read_at);
        let shorter = entry.clone().with_ttl(Duration::from_secs(5));
        let longer = entry.clone().with_ttl(CACHE_TTL * 2);
        for (seconds, good) in [(0, [true; 3]), (5, [true, false, true]), (60, [false; 3])] {
            let now = read_at.0 + Duration::from_secs(seconds);
            revocations.confirm(now);
            let seen = [&entry, &shorter, &longer].map(|entry| entry.is_fresh(&revocations, now));
            assert_eq!(seen, good, "after {seconds} seconds");
        }
        let now = read_at.0 + Duration::from_secs(1);
        revocations.note(&[ANN], now);
        assert!(!entry.is_fresh(&revocations, now));
    }
}
