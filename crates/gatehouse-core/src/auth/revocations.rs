//! Revocations known to this process, its own and those of other processes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use accounts::RevocationSubject;

use super::epoch::MAX_STALENESS;
use super::recent_revocations::RecentRevocations;

/// TTL of an entry in any cache.
/// Every revocation is recorded, so this bounds only how stale names may be, and how long a fault could keep a revoked
/// credential alive.
pub const CACHE_TTL: Duration = Duration::from_mins(1);

/// TTL of an OAuth access token in the cache.
/// Grouped work revokes tokens without informing other processes, which may accept them for at most this long.
pub const GRANT_CACHE_TTL: Duration = Duration::from_secs(1);

/// Revocations known to this process.
/// All caches consult it, and [`Database`](crate::database::Database) adds the revocations of each write.
#[derive(Debug)]
pub struct RevocationTracker {
    base: Instant,
    /// Time up to which all revocations are known, in nanoseconds from the base plus one; zero means never.
    known_until: AtomicU64,
    /// Revocations of grants. Every refresh revokes one, so they are kept only for the TTL of cached OAuth tokens.
    grants: RecentRevocations,
    others: RecentRevocations,
}

impl RevocationTracker {
    /// Creates an empty tracker. Nothing is known yet, so no entry is fresh.
    pub fn new() -> Self {
        Self::since(Instant::now())
    }

    fn since(base: Instant) -> Self {
        Self {
            base,
            known_until: AtomicU64::new(0),
            grants: RecentRevocations::new(base, GRANT_CACHE_TTL),
            others: RecentRevocations::new(base, CACHE_TTL),
        }
    }

    /// Records what was revoked by `now`.
    pub fn note(&self, revoked: &[RevocationSubject], now: Instant) {
        for revoked in revoked {
            match revoked {
                RevocationSubject::Everything => {
                    self.grants.note(*revoked, now);
                    self.others.note(*revoked, now);
                }
                RevocationSubject::Grant(_) => self.grants.note(*revoked, now),
                RevocationSubject::User(_)
                | RevocationSubject::Session(_)
                | RevocationSubject::Token(_)
                | RevocationSubject::Application(_)
                | RevocationSubject::Endpoint(_)
                | RevocationSubject::Paths
                | RevocationSubject::ErrorTracking(_) => self.others.note(*revoked, now),
            }
        }
    }

    /// Records that all revocations committed before `queried_at` are known.
    pub fn confirm(&self, queried_at: Instant) {
        let known = self.since_base(queried_at).saturating_add(1);
        self.known_until.fetch_max(known, Ordering::AcqRel);
    }

    /// True if none of `subjects` can have been revoked by `now`, since a read that began at `read_at`.
    pub fn are_unrevoked(
        &self,
        subjects: &[RevocationSubject],
        read_at: Instant,
        now: Instant,
    ) -> bool {
        self.is_up_to_date(now)
            && !subjects.iter().any(|subject| {
                let recent = match subject {
                    RevocationSubject::Grant(_) => &self.grants,
                    _ => &self.others,
                };
                recent.may_be_revoked(*subject, read_at, now)
            })
    }

    /// True if the revocations of other processes were read recently enough.
    fn is_up_to_date(&self, now: Instant) -> bool {
        let known = self.known_until.load(Ordering::Acquire);
        let limit = u64::try_from(MAX_STALENESS.as_nanos()).unwrap_or(u64::MAX);
        known > 0 && self.since_base(now).saturating_sub(known) <= limit
    }

    fn since_base(&self, at: Instant) -> u64 {
        let since = at.saturating_duration_since(self.base);
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    }
}

impl Default for RevocationTracker {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api_conventions::ids::{GrantId, UserId};

    const ANN: RevocationSubject = RevocationSubject::User(UserId::new(1));
    const BOB: RevocationSubject = RevocationSubject::User(UserId::new(2));
    const GRANT: RevocationSubject = RevocationSubject::Grant(GrantId::new(1));

    #[test]
    fn no_entry_is_fresh_before_the_first_confirmation() {
        let now = Instant::now();
        let revocations = RevocationTracker::since(now);
        assert!(!revocations.are_unrevoked(&[ANN], now, now));
        revocations.confirm(now);
        assert!(revocations.are_unrevoked(&[ANN], now, now));
    }

    #[test]
    fn entries_are_stale_when_the_confirmation_is_old() {
        let base = Instant::now();
        let revocations = RevocationTracker::since(base);
        revocations.confirm(base + MAX_STALENESS);
        // A slow read confirms the time at which it began.
        revocations.confirm(base);
        let last = base + MAX_STALENESS * 2;
        assert!(revocations.are_unrevoked(&[ANN], last, last));
        let later = last + Duration::from_millis(1);
        assert!(!revocations.are_unrevoked(&[ANN], later, later));
    }

    #[test]
    fn a_revocation_affects_only_entries_with_its_subject() {
        let base = Instant::now();
        let revocations = RevocationTracker::since(base);
        let now = base + Duration::from_millis(500);
        revocations.confirm(now);
        revocations.note(&[BOB], now);
        assert!(revocations.are_unrevoked(&[ANN, GRANT], base, now));
        assert!(!revocations.are_unrevoked(&[ANN, BOB], base, now));
        revocations.note(&[GRANT], now);
        assert!(!revocations.are_unrevoked(&[ANN, GRANT], base, now));
        assert!(revocations.are_unrevoked(&[ANN], base, now));
        revocations.note(&[RevocationSubject::Everything], now);
        assert!(!revocations.are_unrevoked(&[ANN], base, now));
    }

    #[test]
    fn entries_have_a_ttl_and_those_of_applications_a_shorter_one() {
        let base = Instant::now();
        let revocations = RevocationTracker::since(base);
        let still = |subject, age: Duration| {
            revocations.confirm(base + age);
            revocations.are_unrevoked(&[subject], base, base + age)
        };
        assert!(still(GRANT, Duration::from_millis(999)) && !still(GRANT, GRANT_CACHE_TTL));
        assert!(still(ANN, Duration::from_millis(59_999)) && !still(ANN, CACHE_TTL));
    }
}
