//! Requests of callers in fixed windows of time, in bounded memory. The time comes from the caller.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hash};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use api_conventions::ids::UserId;

use crate::config::RequestQuota;

/// Number of parts with a lock each.
const SHARDS: usize = 16;

/// Subject of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallerKey {
    /// User, by any of their tokens and sessions.
    User(UserId),
    /// Address of an IPv4 client, or network of an IPv6 client.
    Address(IpAddr),
}

/// Requests of one caller in the current window of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowCount {
    /// Requests so far, with the current one.
    pub observed: u32,
    /// End of the window, in seconds since 1970.
    pub ends_at: i64,
}

/// Counts of requests by their subject. Windows begin at multiples of their length since 1970.
///
/// The table holds at most a fixed number of counts. When a part of it is full, counts of windows that have ended are
/// removed; if there are none, new subjects are not counted until a window ends.
#[derive(Debug)]
pub struct WindowTable<K> {
    shards: [Mutex<WindowShard<K>>; SHARDS],
    hasher: RandomState,
    shard_capacity: usize,
}

#[derive(Debug)]
struct WindowShard<K> {
    counts: HashMap<K, WindowCount>,
    /// Earliest end of a window at the last removal: before it, no count can be removed.
    next_removal: i64,
}

impl<K> Default for WindowShard<K> {
    fn default() -> Self {
        Self {
            counts: HashMap::new(),
            next_removal: 0,
        }
    }
}

impl<K: Copy + Eq + Hash> WindowTable<K> {
    /// Creates an empty table for about `capacity` counts.
    pub fn new(capacity: usize) -> Self {
        Self {
            shards: Default::default(),
            hasher: RandomState::new(),
            shard_capacity: capacity.div_ceil(SHARDS),
        }
    }

    /// Counts a request at `now`, in seconds since 1970; `None` if it is not counted, because the table is full.
    pub fn count(&self, key: K, quota: RequestQuota, now: i64) -> Option<WindowCount> {
        let at = usize::try_from(self.hasher.hash_one(key) % SHARDS as u64).ok()?;
        let shard = self.shards.get(at)?;
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let new = WindowCount {
            observed: 1,
            ends_at: window_end(quota, now),
        };
        if let Some(known) = shard.counts.get_mut(&key) {
            *known = known.with_request(new, quota);
            return Some(*known);
        }
        if shard.counts.len() >= self.shard_capacity {
            shard.remove_ended(now);
        }
        let has_room = shard.counts.len() < self.shard_capacity;
        has_room.then(|| {
            shard.counts.insert(key, new);
            new
        })
    }
}

impl WindowCount {
    /// Adds a request whose own window is that of `new`. A request that read the clock just before the window began
    /// counts in the window; a clock that was set back begins a new one.
    fn with_request(self, new: Self, quota: RequestQuota) -> Self {
        let ahead = self.ends_at.saturating_sub(new.ends_at);
        if (0..=i64::from(quota.seconds)).contains(&ahead) {
            Self {
                observed: self.observed.saturating_add(1),
                ..self
            }
        } else {
            new
        }
    }
}

impl<K> WindowShard<K> {
    fn remove_ended(&mut self, now: i64) {
        if now < self.next_removal {
            return;
        }
        self.counts.retain(|_, count| count.ends_at > now);
        let ends = self.counts.values().map(|count| count.ends_at);
        self.next_removal = ends.min().unwrap_or(now);
    }
}

fn window_end(quota: RequestQuota, now: i64) -> i64 {
    let seconds = i64::from(quota.seconds.max(1));
    now.div_euclid(seconds)
        .saturating_add(1)
        .saturating_mul(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RequestLimit;

    const QUOTA: RequestQuota = RequestQuota {
        requests: 2,
        seconds: 60,
    };

    fn user(id: i64) -> CallerKey {
        CallerKey::User(UserId::new(id))
    }

    fn counted(table: &WindowTable<CallerKey>, caller: CallerKey, now: i64) -> Option<(u32, i64)> {
        let count = table.count(caller, QUOTA, now)?;
        Some((count.observed, count.ends_at))
    }

    #[test]
    fn windows_begin_at_multiples_of_their_length() {
        for (now, end) in [(0, 60), (1, 60), (59, 60), (60, 120), (119, 120), (-1, 0)] {
            assert_eq!(window_end(QUOTA, now), end, "{now}");
        }
    }

    #[test]
    fn requests_count_in_their_window() {
        let table = WindowTable::new(100);
        for (now, expected) in [
            (600, (1, 660)),
            (600, (2, 660)),
            (659, (3, 660)),
            (660, (1, 720)),
            // The clock was read before the window began.
            (659, (2, 720)),
            (719, (3, 720)),
            (900, (1, 960)),
            // The clock was set back.
            (600, (1, 660)),
        ] {
            assert_eq!(counted(&table, user(1), now), Some(expected), "{now}");
        }
    }

    #[test]
    fn subjects_are_counted_separately() {
        let table = WindowTable::new(100);
        let address = CallerKey::Address([192, 0, 2, 1].into());
        for limit in [RequestLimit::Search, RequestLimit::JobList] {
            for caller in [user(1), user(2), address] {
                for count in 1..=3 {
                    let counted = table.count((limit, caller), QUOTA, 5);
                    let observed = counted.map(|counted| counted.observed);
                    assert_eq!(observed, Some(count), "{limit:?} {caller:?}");
                }
            }
        }
    }

    #[test]
    fn a_full_table_counts_known_callers_and_takes_new_ones_when_a_window_has_ended() {
        let table = WindowTable::new(SHARDS * 4);
        let new = (1..10_000).filter(|id| counted(&table, user(*id), 0).is_some());
        let known: Vec<i64> = new.collect();
        assert_eq!(known.len(), SHARDS * 4);
        for id in &known {
            assert_eq!(counted(&table, user(*id), 59), Some((2, 60)), "{id}");
        }
        assert_eq!(counted(&table, user(10_000), 59), None);
        assert_eq!(counted(&table, user(10_000), 60), Some((1, 120)));
    }

    #[test]
    fn concurrent_requests_are_counted_exactly() {
        let table = WindowTable::new(100);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        counted(&table, user(1), 0).unwrap();
                    }
                });
            }
        });
        assert_eq!(counted(&table, user(1), 0), Some((4001, 60)));
    }
}
