//! Waiting items of a queue, and the order in which they are given out.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::thread::Thread;

use super::{KeyLimits, QueueItem};

/// Size from which an item is large and given out alone, because the other items of its batch would wait until all of
/// it is done.
/// The next item waits as well, but no longer: between two large items, all small ones have their turn.
pub(super) const LARGE_BYTES: usize = 1 << 20;

/// Waiting items, and the items that takers hold.
#[derive(Debug)]
pub(super) struct QueueState<J: QueueItem> {
    pub(super) items: VecDeque<(J, usize)>,
    pub(super) bytes: usize,
    pub(super) closed: bool,
    /// True if the last item that was given out was large.
    large_was_last: bool,
    /// Takers that wait for items and were not woken, the last one to fall asleep at the end.
    pub(super) sleepers: Vec<Thread>,
    /// Number of waiting items per key.
    pub(super) waiting: HashMap<J::Key, usize>,
    /// Number of takers per key that have not finished their items.
    taken: HashMap<J::Key, usize>,
}

fn decrement<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

impl<J: QueueItem> Default for QueueState<J> {
    fn default() -> Self {
        Self {
            items: VecDeque::new(),
            bytes: 0,
            closed: false,
            large_was_last: false,
            sleepers: Vec::new(),
            waiting: HashMap::new(),
            taken: HashMap::new(),
        }
    }
}

impl<J: QueueItem> QueueState<J> {
    /// Records that a taker has finished its items of this key.
    pub(super) fn finish(&mut self, key: &J::Key) {
        decrement(&mut self.taken, key);
    }

    /// Removes the item at `place`.
    pub(super) fn remove(&mut self, place: usize) -> Option<(J, usize)> {
        let (item, weight) = self.items.remove(place)?;
        self.bytes -= weight;
        if let Some(limits) = item.limits() {
            decrement(&mut self.waiting, &limits.key);
        }
        Some((item, weight))
    }

    /// True if so many takers hold items of this key that no more may.
    fn is_at_limit(&self, limits: KeyLimits<J::Key>) -> bool {
        self.taken.get(&limits.key).copied().unwrap_or_default() >= limits.takers
    }

    /// Returns the taker to wake for a new item.
    /// Waking costs a system call, so it happens only if a taker sleeps, and not for an item that has to wait for
    /// others.
    pub(super) fn reserve_taker(&mut self, limits: Option<KeyLimits<J::Key>>) -> Option<Thread> {
        if limits.is_some_and(|limits| self.is_at_limit(limits)) {
            return None;
        }
        self.sleepers.pop()
    }

    /// Returns the takers that sleep if the queue is closed: each has to check whether it has ended.
    pub(super) fn sleepers_at_end(&mut self) -> Vec<Thread> {
        if self.closed {
            std::mem::take(&mut self.sleepers)
        } else {
            Vec::new()
        }
    }

    /// Takes the items that may be given out now, up to `max_items`.
    pub(super) fn take(&mut self, max_items: usize) -> TakenItems<J> {
        let mut taken = TakenItems::default();
        if self.large_was_last {
            self.take_small(max_items, &mut taken);
        }
        if taken.items.is_empty() {
            self.take_first(max_items, &mut taken);
        }
        if !taken.items.is_empty() {
            self.large_was_last = taken.bytes >= LARGE_BYTES && taken.items.len() == 1;
        }
        for key in &taken.keys {
            *self.taken.entry(*key).or_default() += 1;
        }
        taken
    }

    /// Takes the first item that may be given out, and if it is small, the items that go with it.
    fn take_first(&mut self, max_items: usize, taken: &mut TakenItems<J>) {
        let first = self
            .items
            .iter()
            .position(|(item, _)| item.limits().is_none_or(|limits| !self.is_at_limit(limits)));
        let Some(place) = first else { return };
        let found = self.items.get(place);
        if found.is_some_and(|(_, bytes)| *bytes >= LARGE_BYTES) {
            self.take_at(place, taken);
        } else {
            self.take_small(max_items, taken);
        }
    }

    /// Takes small items that go together.
    fn take_small(&mut self, max_items: usize, taken: &mut TakenItems<J>) {
        let mut place = 0;
        while taken.items.len() < max_items
            && let Some((item, bytes)) = self.items.get(place)
        {
            let limits = item
                .limits()
                .filter(|limits| !taken.keys.contains(&limits.key));
            let fits = taken
                .items
                .first()
                .is_none_or(|first| first.goes_with(item));
            if *bytes >= LARGE_BYTES
                || !fits
                || limits.is_some_and(|limits| self.is_at_limit(limits))
            {
                place += 1;
            } else {
                self.take_at(place, taken);
            }
        }
    }

    fn take_at(&mut self, place: usize, taken: &mut TakenItems<J>) {
        if let Some((item, bytes)) = self.remove(place) {
            let limits = item
                .limits()
                .filter(|limits| !taken.keys.contains(&limits.key));
            taken.keys.extend(limits.map(|limits| limits.key));
            taken.items.push(item);
            taken.bytes += bytes;
        }
    }
}

/// Items that were taken out, with their total bytes and their keys.
pub(super) struct TakenItems<J: QueueItem> {
    pub(super) items: Vec<J>,
    pub(super) bytes: usize,
    pub(super) keys: Vec<J::Key>,
}

impl<J: QueueItem> Default for TakenItems<J> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            bytes: 0,
            keys: Vec::new(),
        }
    }
}
