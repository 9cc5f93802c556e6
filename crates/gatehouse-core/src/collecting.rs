//! In-memory state of error collection: rate limits of errors, client keys and projects, and a filter for event parts
//! that are already stored.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use api_conventions::ids::{ClientKeyId, ProjectId};
use api_conventions::time::Timestamp;
use error_tracking::grouping::GroupKey;
use error_tracking::rules::bucket::{Bucket, Rate};

use crate::auth::client_keys::Collector;

/// Number of buckets at which full ones are removed.
const MANY: usize = 50_000;

/// Number of buckets that are sampled before all are scanned.
const SOME: usize = 16;

/// Number of event parts that are remembered, a power of two. The table takes 128 KB.
const PARTS: usize = 1 << 14;

/// Shared event parts that were compressed recently, so that the same part is not compressed again and again.
/// Entries may be overwritten, and a hit is occasionally wrong; the store itself checks which parts it has.
#[derive(Debug)]
pub struct KnownParts(Box<[AtomicU64]>);

impl Default for KnownParts {
    fn default() -> Self {
        Self((0..PARTS).map(|_| AtomicU64::new(0)).collect())
    }
}

impl KnownParts {
    /// Marks a part of an error as known, and returns true if it already was. A part is identified by the key of the
    /// error and its digest.
    pub fn know(&self, key: GroupKey, digest: &[u8; 16]) -> bool {
        let halves = |bytes: &[u8; 16]| {
            let whole = u128::from_be_bytes(*bytes);
            let [first, second] = [whole >> 64, whole & u128::from(u64::MAX)];
            [first, second].map(|half| u64::try_from(half).unwrap_or_default())
        };
        let [of_key, _] = halves(key.as_bytes());
        let [place, rest] = halves(digest);
        let mark = (of_key ^ rest).max(1);
        let place = usize::try_from(place ^ of_key).unwrap_or_default() % PARTS;
        let slot = self.0.get(place);
        // Nothing else depends on when other threads see the value.
        slot.is_some_and(|slot| slot.swap(mark, Ordering::Relaxed) == mark)
    }
}

/// The subject of a rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LimitSubject {
    /// A client key.
    Key(ClientKeyId),
    /// A project.
    Project(ProjectId),
    /// An error of a project.
    Error(ProjectId, GroupKey),
}

/// A rate limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitReached {
    /// Subject of the limit.
    pub of: LimitSubject,
    /// Whole seconds, at least 1, until there is room for another event.
    pub seconds: u32,
}

/// Rate limit buckets of this process. With several nodes each has its own, so a limit applies per node.
#[derive(Debug, Default)]
pub struct EventLimits(Mutex<HashMap<LimitSubject, (Rate, Bucket)>>);

impl EventLimits {
    /// Checks that the key and its project have room for one event.
    /// Takes no room: the error is known only after the event was read, and an event over the limit of its error must
    /// not use up the other limits.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn check(&self, collector: &Collector, now: Timestamp) -> Result<(), LimitReached> {
        let buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (of, rate) in limits_of(collector) {
            if let Some((_, mut bucket)) = buckets.get(&of).copied() {
                let room = bucket.take(rate, now);
                room.map_err(|seconds| LimitReached { of, seconds })?;
            }
        }
        Ok(())
    }

    /// Takes room for one event of an error.
    ///
    /// # Errors
    /// The limit of the error, if it is reached.
    pub fn take_of_error(
        &self,
        collector: &Collector,
        key: GroupKey,
        now: Timestamp,
    ) -> Result<(), LimitReached> {
        let of = LimitSubject::Error(collector.settings.project_id, key);
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        forget_full(&mut buckets, now);
        // A sender of ever new errors fills the map. From then on only the limits of keys and projects apply.
        if buckets.len() >= MANY && !buckets.contains_key(&of) {
            return Ok(());
        }
        take(
            &mut buckets,
            of,
            collector.settings.options.error_rate(),
            now,
        )
    }

    /// Takes room for one event from the limits of its key and its project.
    ///
    /// # Errors
    /// The limit that is reached. No room is taken from the other one then.
    pub fn take(&self, collector: &Collector, now: Timestamp) -> Result<(), LimitReached> {
        let of_project = LimitSubject::Project(collector.settings.project_id);
        let of_key = LimitSubject::Key(collector.key.id);
        let limit = collector.key.events_per_minute;
        // Only a failed allocation can panic in here, and it leaves the buckets intact.
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        forget_full(&mut buckets, now);
        let before = buckets.get(&of_key).copied();
        if let Some(limit) = limit {
            take(&mut buckets, of_key, Rate::of_minute(limit), now)?;
        }
        let rate = collector.settings.options.rate();
        take(&mut buckets, of_project, rate, now).inspect_err(|_| match before {
            Some(before) => drop(buckets.insert(of_key, before)),
            None => drop(buckets.remove(&of_key)),
        })
    }
}

/// Returns the limit of a key, if it has one, and that of its project.
fn limits_of(collector: &Collector) -> impl Iterator<Item = (LimitSubject, Rate)> {
    let of_key = collector.key.events_per_minute;
    let of_key = of_key.map(|limit| (LimitSubject::Key(collector.key.id), Rate::of_minute(limit)));
    let project = LimitSubject::Project(collector.settings.project_id);
    let of_project = (project, collector.settings.options.rate());
    of_key.into_iter().chain([of_project])
}

/// Removes full buckets if there are many.
/// Scanning all of them for every event would be slow, so a sample is checked first.
fn forget_full(buckets: &mut HashMap<LimitSubject, (Rate, Bucket)>, now: Timestamp) {
    if buckets.len() >= MANY
        && buckets
            .values()
            .take(SOME)
            .any(|(rate, bucket)| bucket.is_full(*rate, now))
    {
        buckets.retain(|_, (rate, bucket)| !bucket.is_full(*rate, now));
    }
}

fn take(
    buckets: &mut HashMap<LimitSubject, (Rate, Bucket)>,
    of: LimitSubject,
    rate: Rate,
    now: Timestamp,
) -> Result<(), LimitReached> {
    let new = || (rate, Bucket::full(rate, now));
    let entry = buckets.entry(of).or_insert_with(new);
    entry.0 = rate;
    entry
        .1
        .take(rate, now)
        .map_err(|seconds| LimitReached { of, seconds })
}

#[cfg(test)]
mod tests {
    use error_tracking::model::{ClientKey, Options, PublicKey, Settings};

    use super::*;

    fn collector(of_key: Option<u32>, of_project: u32) -> Collector {
        let project_id = ProjectId::new(1);
        Collector {
            key: ClientKey {
                id: ClientKeyId::new(1),
                project_id,
                public_key: PublicKey::from_random([7; 16]),
                active: true,
                events_per_minute: of_key,
                created_at: Timestamp::MIN,
            },
            settings: Settings {
                options: Options {
                    events_per_minute: of_project,
                    ..Options::default()
                },
                ..Settings::new(project_id)
            },
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::MIN.plus_seconds(1_000_000 + seconds)
    }

    #[test]
    fn a_part_is_known_from_the_second_time_on() {
        let known = KnownParts::default();
        let key = |number: u8| GroupKey::from_bytes([number; 16]);
        assert!(!known.know(key(1), &[7; 16]));
        assert!(known.know(key(1), &[7; 16]));
        assert!(!known.know(key(2), &[7; 16]));
        assert!(!known.know(key(1), &[8; 16]));
        assert!(!known.know(key(0), &[0; 16]));
        assert!(known.know(key(0), &[0; 16]));
    }

    #[test]
    fn the_first_limit_that_is_reached_refuses() {
        let limits = EventLimits::default();
        let small_key = collector(Some(2), 3);
        assert_eq!(limits.take(&small_key, at(0)), Ok(()));
        assert_eq!(limits.take(&small_key, at(0)), Ok(()));
        let of_key = LimitReached {
            of: LimitSubject::Key(ClientKeyId::new(1)),
            seconds: 30,
        };
        assert_eq!(limits.take(&small_key, at(0)), Err(of_key));
        let other_key = collector(None, 3);
        assert_eq!(limits.take(&other_key, at(0)), Ok(()));
        let of_project = LimitReached {
            of: LimitSubject::Project(ProjectId::new(1)),
            seconds: 20,
        };
        assert_eq!(limits.take(&other_key, at(0)), Err(of_project));
        assert_eq!(limits.take(&other_key, at(20)), Ok(()));
    }

    #[test]
    fn an_error_that_floods_leaves_room_for_the_others() {
        let limits = EventLimits::default();
        let collector = collector(None, 4);
        let [flood, other] = [1, 2].map(|number| GroupKey::from_bytes([number; 16]));
        let arrive = |key, now| {
            limits.check(&collector, now)?;
            limits.take_of_error(&collector, key, now)?;
            limits.take(&collector, now)
        };
        let of_flood = Err(LimitReached {
            of: LimitSubject::Error(ProjectId::new(1), flood),
            seconds: 30,
        });
        let flooded: Vec<_> = (0..9).map(|_| arrive(flood, at(0))).collect();
        assert_eq!(
            flooded[..2],
            [Ok(()), Ok(())],
            "half of the project's limit"
        );
        assert!(flooded[2..].iter().all(|refused| *refused == of_flood));
        assert_eq!(arrive(other, at(0)), Ok(()));
        assert_eq!(arrive(other, at(0)), Ok(()));
        let of_project = LimitReached {
            of: LimitSubject::Project(ProjectId::new(1)),
            seconds: 15,
        };
        assert_eq!(limits.check(&collector, at(0)), Err(of_project));
    }

    #[test]
    fn errors_without_end_take_no_memory_without_end() {
        let limits = EventLimits::default();
        let collector = collector(None, 1_000_000);
        for number in 0..2 * MANY as u128 {
            let key = GroupKey::from_bytes(number.to_be_bytes());
            limits.take_of_error(&collector, key, at(0)).unwrap();
        }
        assert!(limits.0.lock().unwrap().len() <= MANY);
        let key = GroupKey::from_bytes([0xff; 16]);
        limits.take_of_error(&collector, key, at(60)).unwrap();
        assert_eq!(
            limits.0.lock().unwrap().len(),
            1,
            "full buckets are removed"
        );
    }

    #[test]
    fn events_refused_by_the_project_limit_do_not_count_against_the_key() {
        let limits = EventLimits::default();
        let key = collector(Some(2), 1);
        assert_eq!(limits.take(&key, at(0)), Ok(()));
        for _ in 0..5 {
            assert!(limits.take(&key, at(0)).is_err());
        }
        assert_eq!(
            limits.take(&key, at(60)),
            Ok(()),
            "the key has one event left"
        );
    }
}
