//! Recent failed attempts, as far as this process has seen them.
//!
//! The store counts failures. This cache tells for whom the store must be consulted before a correct secret is
//! accepted, so that everyone else is authenticated without it. No entry is dropped early: an entry lives at least for
//! the window in which failures count, and when the cache is full, everyone counts as a suspect until the oldest
//! entries expire.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hash};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of suspects of one generation: about 2 MB.
const CAPACITY: usize = 100_000;

/// Subjects with recent failed attempts.
#[derive(Debug)]
pub struct FailedAttempts {
    /// True if there may be suspects. Usually there are none, and checks then skip the lock.
    any: AtomicBool,
    hasher: RandomState,
    window: Duration,
    capacity: usize,
    generations: Mutex<Generations>,
}

/// Two generations: the suspects of the current window, and of the previous one.
#[derive(Debug)]
struct Generations {
    began: Instant,
    current: Generation,
    previous: Generation,
}

/// Hashes of suspects. Two suspects with the same hash are not told apart, which costs only an extra query to the
/// store.
#[derive(Debug, Default)]
struct Generation {
    hashes: HashSet<u64>,
    is_full: bool,
}

impl Generation {
    fn has(&self, hash: u64) -> bool {
        self.is_full || self.hashes.contains(&hash)
    }

    fn is_empty(&self) -> bool {
        !self.is_full && self.hashes.is_empty()
    }
}

impl FailedAttempts {
    /// Creates an empty set. Failures count for `window`.
    pub fn new(window: Duration) -> Self {
        Self::with_capacity(window, CAPACITY, Instant::now())
    }

    fn with_capacity(window: Duration, capacity: usize, now: Instant) -> Self {
        Self {
            any: AtomicBool::new(false),
            hasher: RandomState::new(),
            window,
            capacity,
            generations: Mutex::new(Generations {
                began: now,
                current: Generation::default(),
                previous: Generation::default(),
            }),
        }
    }

    /// True if there are no suspects at all.
    pub fn is_empty(&self) -> bool {
        !self.any.load(Ordering::Acquire)
    }

    /// True if the store must be consulted about a subject.
    pub fn has(&self, subject: &impl Hash) -> bool {
        !self.is_empty() && self.has_at(subject, Instant::now())
    }

    /// Records a failed attempt of a subject.
    pub fn note(&self, subject: &impl Hash) {
        self.note_at(subject, Instant::now());
    }

    /// Removes a subject whose failures were reset in the store.
    pub fn forget(&self, subject: &impl Hash) {
        let hash = self.hasher.hash_one(subject);
        let mut generations = self.aged(Instant::now());
        generations.current.hashes.remove(&hash);
        generations.previous.hashes.remove(&hash);
    }

    fn has_at(&self, subject: &impl Hash, now: Instant) -> bool {
        let hash = self.hasher.hash_one(subject);
        let generations = self.aged(now);
        generations.current.has(hash) || generations.previous.has(hash)
    }

    fn note_at(&self, subject: &impl Hash, now: Instant) {
        let hash = self.hasher.hash_one(subject);
        let mut generations = self.aged(now);
        let current = &mut generations.current;
        if current.hashes.len() < self.capacity {
            current.hashes.insert(hash);
        } else if !current.hashes.contains(&hash) {
            current.is_full = true;
        }
        self.any.store(true, Ordering::Release);
    }

    /// Returns the generations, after dropping those older than a window.
    fn aged(&self, now: Instant) -> MutexGuard<'_, Generations> {
        let poisoned = PoisonError::into_inner;
        let mut generations = self.generations.lock().unwrap_or_else(poisoned);
        let age = now.saturating_duration_since(generations.began);
        if age >= self.window {
            let current = std::mem::take(&mut generations.current);
            // After two windows, every entry of the first is older than one window.
            generations.previous = if age < self.window * 2 {
                current
            } else {
                Generation::default()
            };
            generations.began = now;
            let any = !generations.previous.is_empty();
            self.any.store(any, Ordering::Release);
        }
        generations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Duration = Duration::from_mins(1);

    #[test]
    fn a_suspect_is_known_for_at_least_a_window() {
        let start = Instant::now();
        for noted in [0, 1, 59, 60, 61] {
            let failed_attempts = FailedAttempts::with_capacity(WINDOW, 10, start);
            let noted = start + Duration::from_secs(noted);
            failed_attempts.note_at(&"ann", noted);
            for second in 0..60 {
                let now = noted + Duration::from_secs(second);
                assert!(failed_attempts.has_at(&"ann", now), "after {second} s");
                assert!(!failed_attempts.has_at(&"ben", now), "after {second} s");
            }
            assert!(!failed_attempts.has_at(&"ann", noted + WINDOW * 2));
            assert!(failed_attempts.is_empty());
        }
    }

    #[test]
    fn a_suspect_is_forgotten_when_the_store_forgets_it() {
        let failed_attempts = FailedAttempts::new(WINDOW);
        assert!(failed_attempts.is_empty());
        failed_attempts.note(&("app", "192.0.2.1"));
        assert!(failed_attempts.has(&("app", "192.0.2.1")));
        failed_attempts.forget(&("app", "192.0.2.1"));
        assert!(!failed_attempts.has(&("app", "192.0.2.1")));
    }

    #[test]
    fn a_full_cache_treats_every_subject_as_suspect() {
        let start = Instant::now();
        let failed_attempts = FailedAttempts::with_capacity(WINDOW, 2, start);
        for subject in ["a", "b", "a"] {
            failed_attempts.note_at(&subject, start);
        }
        assert!(!failed_attempts.has_at(&"z", start));
        failed_attempts.note_at(&"c", start);
        for subject in ["a", "b", "c", "z"] {
            assert!(
                failed_attempts.has_at(&subject, start + WINDOW),
                "{subject}"
            );
        }
        assert!(!failed_attempts.has_at(&"z", start + WINDOW * 2));
    }
}
