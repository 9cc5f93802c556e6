//! Recent revocations. Security depends on them, so none is ever evicted.
//!
//! Revocations are kept in two generations, each as long as the maximum age of a cache entry. When a generation ends,
//! the previous one is dropped as a whole: no cache entry is old enough to be affected by it any more. A generation has
//! a fixed capacity. Revocations beyond it are not kept one by one; instead, everything read up to that time counts as
//! revoked, which is always safe and costs one more lookup for each entry.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use accounts::RevocationSubject;

/// Number of shards, each with its own lock.
const SHARDS: usize = 16;

/// Capacity of one shard for one generation: a million revocations in total, which take about 60 MB.
const ROOM: usize = (1 << 20) / SHARDS;

/// Recent revocations.
/// A check costs one load if nothing was revoked since the entry was read, and one lookup otherwise.
pub(super) struct RecentRevocations {
    /// Origin of all times, which are counted in nanoseconds; zero is before all of them.
    base: Instant,
    /// Minimum time for which a revocation is kept.
    ttl: Duration,
    room: usize,
    /// Time of the newest revocation.
    newest: AtomicU64,
    /// Everything that was read at this time or before counts as revoked.
    floor: AtomicU64,
    hasher: RandomState,
    shards: [Mutex<Shard>; SHARDS],
}

#[derive(Default)]
struct Shard {
    /// Number of the current generation.
    generation: u64,
    recent: HashMap<RevocationSubject, u64>,
    older: HashMap<RevocationSubject, u64>,
}

impl RecentRevocations {
    /// Creates a store of revocations for entries whose TTL is at most `ttl`.
    pub(super) fn new(base: Instant, ttl: Duration) -> Self {
        Self::with_room(base, ttl, ROOM)
    }

    fn with_room(base: Instant, ttl: Duration, room: usize) -> Self {
        Self {
            base,
            ttl,
            room,
            newest: AtomicU64::new(0),
            floor: AtomicU64::new(0),
            hasher: RandomState::new(),
            shards: Default::default(),
        }
    }

    /// Records that a subject was revoked by `now`.
    pub(super) fn note(&self, revoked: RevocationSubject, now: Instant) {
        let at = self.timestamp(now);
        if revoked == RevocationSubject::Everything || !self.remember(revoked, at) {
            self.floor.fetch_max(at, Ordering::AcqRel);
        }
        // Must be last: a check that finds nothing newer than its entry looks no further.
        self.newest.fetch_max(at, Ordering::AcqRel);
    }

    /// True if a subject may have been revoked since `read_at`, the time just before the value was read.
    /// Always true for values read longer ago than revocations are kept.
    pub(super) fn may_be_revoked(
        &self,
        revoked: RevocationSubject,
        read_at: Instant,
        now: Instant,
    ) -> bool {
        if now.saturating_duration_since(read_at) >= self.ttl {
            return true;
        }
        let read_at = self.timestamp(read_at);
        if read_at > self.newest.load(Ordering::Acquire) {
            return false;
        }
        if read_at <= self.floor.load(Ordering::Acquire) {
            return true;
        }
        let shard = self.shard(revoked);
        [&shard.recent, &shard.older]
            .iter()
            .any(|revocations| revocations.get(&revoked).is_some_and(|at| *at >= read_at))
    }

    /// Stores a revocation if there is room. Returns false otherwise.
    fn remember(&self, revoked: RevocationSubject, at: u64) -> bool {
        let mut shard = self.shard(revoked);
        shard.advance_to(at / nanoseconds(self.ttl));
        let has_room = shard.recent.len() < self.room || shard.recent.contains_key(&revoked);
        if has_room {
            let noted = shard.recent.entry(revoked).or_insert(at);
            *noted = at.max(*noted);
        }
        has_room
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the remainder of a division by the number of shards is a shard"
    )]
    fn shard(&self, revoked: RevocationSubject) -> MutexGuard<'_, Shard> {
        let hash = self.hasher.hash_one(revoked).to_le_bytes();
        let shard = &self.shards[usize::from(hash[0]) % SHARDS];
        // No panic can leave a shard in an inconsistent state.
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn timestamp(&self, at: Instant) -> u64 {
        nanoseconds(at.saturating_duration_since(self.base)).saturating_add(1)
    }
}

impl Shard {
    /// Starts this generation if it is newer. A caller with a slightly older time uses the current one.
    fn advance_to(&mut self, generation: u64) {
        if generation <= self.generation {
            return;
        }
        let recent = std::mem::take(&mut self.recent);
        self.older = if generation == self.generation + 1 {
            recent
        } else {
            HashMap::new()
        };
        self.generation = generation;
    }
}

/// Converts a duration to nanoseconds: 64 bits are enough for five centuries.
fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

impl fmt::Debug for RecentRevocations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecentRevocations")
            .field("ttl", &self.ttl)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api_conventions::ids::GrantId;

    const SECOND: Duration = Duration::from_secs(1);

    fn grant(id: u64) -> RevocationSubject {
        RevocationSubject::Grant(GrantId::new(i64::try_from(id).unwrap()))
    }

    fn remembered(recent: &RecentRevocations) -> usize {
        let shards = recent.shards.iter().map(|shard| shard.lock().unwrap());
        shards
            .map(|shard| shard.recent.len() + shard.older.len())
            .sum()
    }

    /// 100,000 revocations a second for three and a half seconds.
    #[test]
    fn no_revocation_is_forgotten_at_full_load_while_an_entry_may_be_older() {
        const EACH: Duration = Duration::from_micros(10);
        let base = Instant::now();
        let recent = RecentRevocations::new(base, SECOND);
        let at = |id: u64| base + EACH * u32::try_from(id).unwrap();
        for id in 0..350_000 {
            let now = at(id);
            recent.note(grant(id), now);
            // Revoked just now, half a second ago, and as long ago as the maximum age of an entry.
            for age in [0, 1, 50_000, 99_998] {
                let Some(ended) = id.checked_sub(age) else {
                    continue;
                };
                let read_at = at(ended.saturating_sub(1));
                assert!(
                    recent.may_be_revoked(grant(ended), read_at, now),
                    "{ended} is forgotten at {id}"
                );
            }
        }
        assert_eq!(
            recent.floor.load(Ordering::Acquire),
            0,
            "no revocation was dropped"
        );
        assert!(remembered(&recent) <= 200_000, "two generations at most");
        // A grant that was never revoked stays valid.
        let (read_at, now) = (at(300_000), at(350_000));
        assert!(!recent.may_be_revoked(grant(1 << 40), read_at, now));
    }

    #[test]
    fn beyond_the_room_nothing_is_good_that_was_read_before() {
        let base = Instant::now();
        let recent = RecentRevocations::with_room(base, SECOND, 4);
        let at = |milliseconds: u64| base + Duration::from_millis(milliseconds);
        for id in 0..1_000 {
            recent.note(grant(id), at(100));
        }
        assert!(remembered(&recent) <= 4 * SHARDS);
        let now = at(200);
        for id in 0..1_000 {
            assert!(recent.may_be_revoked(grant(id), at(100), now), "{id}");
        }
        assert!(recent.may_be_revoked(grant(5_000), at(100), now));
        assert!(!recent.may_be_revoked(grant(5_000), at(101), now));
        // One more revocation over capacity raises the floor.
        recent.note(grant(2_000), at(150));
        recent.note(grant(2_001), at(150));
        for id in 2_002..2_100 {
            recent.note(grant(id), at(150));
        }
        assert!(recent.may_be_revoked(grant(5_000), at(150), now));
        assert!(!recent.may_be_revoked(grant(5_000), at(151), now));
    }

    #[test]
    fn entries_read_after_a_revocation_are_valid() {
        let base = Instant::now();
        let recent = RecentRevocations::new(base, SECOND);
        let at = |milliseconds: u64| base + Duration::from_millis(milliseconds);
        recent.note(grant(1), at(100));
        assert!(recent.may_be_revoked(grant(1), at(99), at(500)));
        assert!(
            recent.may_be_revoked(grant(1), at(100), at(500)),
            "the order is unknown"
        );
        assert!(!recent.may_be_revoked(grant(1), at(101), at(500)));
        assert!(!recent.may_be_revoked(grant(2), at(99), at(500)));
        // An older revocation changes nothing.
        recent.note(grant(1), at(50));
        assert!(recent.may_be_revoked(grant(1), at(100), at(500)));
    }

    #[test]
    fn entries_older_than_the_ttl_may_be_revoked() {
        let base = Instant::now();
        let recent = RecentRevocations::new(base, SECOND);
        assert!(!recent.may_be_revoked(grant(1), base, base + Duration::from_nanos(999_999_999)));
        assert!(recent.may_be_revoked(grant(1), base, base + SECOND));
    }

    #[test]
    fn revoking_everything_revokes_each() {
        let base = Instant::now();
        let recent = RecentRevocations::new(base, SECOND);
        let later = base + SECOND / 2;
        recent.note(RevocationSubject::Everything, later);
        assert!(recent.may_be_revoked(grant(1), later, later));
        assert!(!recent.may_be_revoked(
            grant(1),
            later + Duration::from_nanos(1),
            later + SECOND / 4
        ));
    }
}
