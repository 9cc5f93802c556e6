//! A cache entry: what was read, with its TTL and with what revokes it.

use std::time::{Duration, Instant};

use accounts::Revoked;

use super::revocations::{CACHE_TTL, RevocationTracker};

/// The time just before something is read. It is taken first, so that a slow reading never makes what was read look fresher
/// than it is.
#[derive(Debug, Clone, Copy)]
pub struct ReadAt(Instant);

impl ReadAt {
    /// Now.
    pub fn now() -> Self {
        Self(Instant::now())
    }
}

/// Something that was read, with all that it follows from. It is returned only until its TTL ends or
/// something that it follows from is revoked.
#[derive(Debug, Clone)]
pub struct CacheEntry<T, const SUBJECTS: usize> {
    found: T,
    subjects: [Revoked; SUBJECTS],
    read_at: Instant,
    ttl: Duration,
}

impl<T, const SUBJECTS: usize> CacheEntry<T, SUBJECTS> {
    /// An entry for `found` with the usual TTL. The revocation of any of `subjects` ends it earlier.
    pub fn new(found: T, subjects: [Revoked; SUBJECTS], read_at: ReadAt) -> Self {
        Self {
            found,
            subjects,
            read_at: read_at.0,
            ttl: CACHE_TTL,
        }
    }

    /// The same entry with at most this TTL.
    #[must_use]
    pub fn with_ttl(self, ttl: Duration) -> Self {
        Self {
            ttl: self.ttl.min(ttl),
            ..self
        }
    }

    /// What was found, however long ago: it proves nothing any more.
    pub fn any_age(&self) -> &T {
        &self.found
    }

    /// What was found, if the entry is still fresh.
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
        const ANN: Revoked = Revoked::User(UserId::new(1));
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
