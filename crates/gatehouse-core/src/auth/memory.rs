//! What lost power a moment ago. It is a memory that security depends on, so nothing is ever evicted from it.
//!
//! Ends are remembered in two generations, each as long as the oldest entry of a cache may get. When a generation is
//! over, the one before it is dropped as a whole: by then no entry is left that it could speak against. There is room
//! for so many ends in a generation. Those that find none are not remembered one by one: instead nothing is trusted any
//! longer that was read until then, which is always right and costs another look-up for each entry.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use accounts::Revoked;

/// The parts that are locked separately.
const SHARDS: usize = 16;

/// How many ends of one generation each part has room for: a million together, which take about 60 MB.
const ROOM: usize = (1 << 20) / SHARDS;

/// What lost power a moment ago. Asking costs a load while nothing happened since the entry was read, and one lookup
/// otherwise.
pub(super) struct Memory {
    /// Moments are counted from here, in nanoseconds; zero is before all of them.
    base: Instant,
    /// How long at least an end is remembered.
    reach: Duration,
    room: usize,
    /// The moment of the newest end.
    newest: AtomicU64,
    /// Nothing is trusted that was read at this moment or before.
    floor: AtomicU64,
    hasher: RandomState,
    shards: [Mutex<Shard>; SHARDS],
}

#[derive(Default)]
struct Shard {
    /// The number of the generation that is recent.
    generation: u64,
    recent: HashMap<Revoked, u64>,
    older: HashMap<Revoked, u64>,
}

impl Memory {
    /// A memory for entries that get as old as `reach`.
    pub(super) fn new(base: Instant, reach: Duration) -> Self {
        Self::with_room(base, reach, ROOM)
    }

    fn with_room(base: Instant, reach: Duration, room: usize) -> Self {
        Self {
            base,
            reach,
            room,
            newest: AtomicU64::new(0),
            floor: AtomicU64::new(0),
            hasher: RandomState::new(),
            shards: Default::default(),
        }
    }

    /// Notes that something had lost power by `now`.
    pub(super) fn note(&self, revoked: Revoked, now: Instant) {
        let at = self.moment(now);
        if revoked == Revoked::Everything || !self.remember(revoked, at) {
            self.floor.fetch_max(at, Ordering::AcqRel);
        }
        // Last: whoever finds nothing newer than its entry asks no further.
        self.newest.fetch_max(at, Ordering::AcqRel);
    }

    /// Whether something may have lost power since the moment before it was read. What was read longer ago than is
    /// remembered may.
    pub(super) fn may_have_lost(&self, revoked: Revoked, read_at: Instant, now: Instant) -> bool {
        if now.saturating_duration_since(read_at) >= self.reach {
            return true;
        }
        let read_at = self.moment(read_at);
        if read_at > self.newest.load(Ordering::Acquire) {
            return false;
        }
        if read_at <= self.floor.load(Ordering::Acquire) {
            return true;
        }
        let shard = self.shard(revoked);
        [&shard.recent, &shard.older]
            .iter()
            .any(|ends| ends.get(&revoked).is_some_and(|at| *at >= read_at))
    }

    /// Remembers an end, if there is room.
    fn remember(&self, revoked: Revoked, at: u64) -> bool {
        let mut shard = self.shard(revoked);
        shard.turn_to(at / nanoseconds(self.reach));
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
    fn shard(&self, revoked: Revoked) -> MutexGuard<'_, Shard> {
        let hash = self.hasher.hash_one(revoked).to_le_bytes();
        let shard = &self.shards[usize::from(hash[0]) % SHARDS];
        // No panic can leave a shard half changed.
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn moment(&self, at: Instant) -> u64 {
        nanoseconds(at.saturating_duration_since(self.base)).saturating_add(1)
    }
}

impl Shard {
    /// Begins this generation, if it is a later one. A caller whose moment is a little older joins the recent one.
    fn turn_to(&mut self, generation: u64) {
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

/// As a number: 64 bits have room for five centuries.
fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory")
            .field("reach", &self.reach)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api_conventions::ids::GrantId;

    const SECOND: Duration = Duration::from_secs(1);

    fn grant(id: u64) -> Revoked {
        Revoked::Grant(GrantId::new(i64::try_from(id).unwrap()))
    }

    fn remembered(memory: &Memory) -> usize {
        let shards = memory.shards.iter().map(|shard| shard.lock().unwrap());
        shards
            .map(|shard| shard.recent.len() + shard.older.len())
            .sum()
    }

    /// A hundred thousand ends a second, for three seconds and a half.
    #[test]
    fn no_end_is_forgotten_at_full_load_while_an_entry_may_be_older() {
        const EACH: Duration = Duration::from_micros(10);
        let base = Instant::now();
        let memory = Memory::new(base, SECOND);
        let at = |id: u64| base + EACH * u32::try_from(id).unwrap();
        for id in 0..350_000 {
            let now = at(id);
            memory.note(grant(id), now);
            // What ended a moment ago, half a second ago, and just as long ago as an entry may be old.
            for age in [0, 1, 50_000, 99_998] {
                let Some(ended) = id.checked_sub(age) else {
                    continue;
                };
                let read_at = at(ended.saturating_sub(1));
                assert!(
                    memory.may_have_lost(grant(ended), read_at, now),
                    "{ended} is forgotten at {id}"
                );
            }
        }
        assert_eq!(
            memory.floor.load(Ordering::Acquire),
            0,
            "all of them found room"
        );
        assert!(remembered(&memory) <= 200_000, "two generations at most");
        // Trust is kept for what did not end.
        let (read_at, now) = (at(300_000), at(350_000));
        assert!(!memory.may_have_lost(grant(1 << 40), read_at, now));
    }

    #[test]
    fn beyond_the_room_nothing_is_trusted_that_was_read_before() {
        let base = Instant::now();
        let memory = Memory::with_room(base, SECOND, 4);
        let at = |milliseconds: u64| base + Duration::from_millis(milliseconds);
        for id in 0..1_000 {
            memory.note(grant(id), at(100));
        }
        assert!(remembered(&memory) <= 4 * SHARDS);
        let now = at(200);
        for id in 0..1_000 {
            assert!(memory.may_have_lost(grant(id), at(100), now), "{id}");
        }
        assert!(memory.may_have_lost(grant(5_000), at(100), now));
        assert!(!memory.may_have_lost(grant(5_000), at(101), now));
        // Another one too many moves the line.
        memory.note(grant(2_000), at(150));
        memory.note(grant(2_001), at(150));
        for id in 2_002..2_100 {
            memory.note(grant(id), at(150));
        }
        assert!(memory.may_have_lost(grant(5_000), at(150), now));
        assert!(!memory.may_have_lost(grant(5_000), at(151), now));
    }

    #[test]
    fn what_is_read_after_an_end_is_trusted() {
        let base = Instant::now();
        let memory = Memory::new(base, SECOND);
        let at = |milliseconds: u64| base + Duration::from_millis(milliseconds);
        memory.note(grant(1), at(100));
        assert!(memory.may_have_lost(grant(1), at(99), at(500)));
        assert!(
            memory.may_have_lost(grant(1), at(100), at(500)),
            "who knows which was first"
        );
        assert!(!memory.may_have_lost(grant(1), at(101), at(500)));
        assert!(!memory.may_have_lost(grant(2), at(99), at(500)));
        // An older note changes nothing.
        memory.note(grant(1), at(50));
        assert!(memory.may_have_lost(grant(1), at(100), at(500)));
    }

    #[test]
    fn what_is_older_than_the_memory_is_not_trusted() {
        let base = Instant::now();
        let memory = Memory::new(base, SECOND);
        assert!(!memory.may_have_lost(grant(1), base, base + Duration::from_nanos(999_999_999)));
        assert!(memory.may_have_lost(grant(1), base, base + SECOND));
    }

    #[test]
    fn the_end_of_everything_is_the_end_of_each() {
        let base = Instant::now();
        let memory = Memory::new(base, SECOND);
        let later = base + SECOND / 2;
        memory.note(Revoked::Everything, later);
        assert!(memory.may_have_lost(grant(1), later, later));
        assert!(!memory.may_have_lost(
            grant(1),
            later + Duration::from_nanos(1),
            later + SECOND / 4
        ));
    }
}
