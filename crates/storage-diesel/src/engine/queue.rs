//! Bounded queue of work: limited by number and by bytes, and it refuses at once when it is full.

mod state;

use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

use state::QueueState;

/// Reason why an item was refused, together with the item.
#[derive(Debug)]
pub(crate) enum PushError<J> {
    Full(J),
    Closed(J),
}

/// Limits on the items of one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyLimits<K> {
    /// Caller or kind of work.
    pub(crate) key: K,
    /// Number of takers that may hold items of this key at once.
    pub(crate) takers: usize,
    /// Number of items of this key that may wait.
    pub(crate) waiting: usize,
}

/// Item of a queue.
pub(crate) trait QueueItem {
    /// Key that the limits apply to.
    type Key: Copy + Eq + Hash + std::fmt::Debug;

    /// Returns the key and the limits of this item; `None` if it has no limits.
    fn limits(&self) -> Option<KeyLimits<Self::Key>>;

    /// True if the other item may be given out together with this one.
    fn goes_with(&self, other: &Self) -> bool;
}

/// Bounded queue. Of the takers that sleep, the one that fell asleep last is woken first: with little work always the same
/// few work, so the others need no connection, and those few have the plans and pages of theirs.
#[derive(Debug)]
pub(crate) struct Queue<J: QueueItem> {
    state: Mutex<QueueState<J>>,
    max_items: usize,
    max_bytes: usize,
}

/// Items that were given out.
/// Dropping it allows other takers to have items of the same keys.
#[derive(Debug)]
pub(crate) struct Batch<'q, J: QueueItem> {
    /// Items, in the order of arrival.
    pub(crate) items: Vec<J>,
    keys: Vec<J::Key>,
    queue: &'q Queue<J>,
}

impl<J: QueueItem> Drop for Batch<'_, J> {
    fn drop(&mut self) {
        if !self.keys.is_empty() {
            let mut state = self.queue.lock();
            for key in &self.keys {
                state.finish(key);
            }
            // After closing, every taker has to check whether this was the last batch. Before that, the taker that had
            // these items returns for more, and finds the items that they held up.
            let sleepers = state.sleepers_at_end();
            drop(state);
            wake(sleepers);
        }
    }
}

impl<J: QueueItem> Queue<J> {
    pub(crate) fn new(max_items: usize, max_bytes: usize) -> Self {
        Self {
            state: Mutex::new(QueueState::default()),
            max_items,
            max_bytes,
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an item of `bytes`, or returns it.
    /// An item that is larger than the limit is accepted when nothing else waits, so that no item is refused forever.
    pub(crate) fn push(&self, item: J, bytes: usize) -> Result<(), PushError<J>> {
        let mut state = self.lock();
        if state.closed {
            return Err(PushError::Closed(item));
        }
        let fits = state.items.len() < self.max_items && state.bytes + bytes <= self.max_bytes;
        if !fits && !state.items.is_empty() {
            return Err(PushError::Full(item));
        }
        let limits = item.limits();
        if let Some(limits) = limits {
            let waiting = state.waiting.get(&limits.key).copied().unwrap_or_default();
            if waiting >= limits.waiting {
                return Err(PushError::Full(item));
            }
            state.waiting.insert(limits.key, waiting + 1);
        }
        state.items.push_back((item, bytes));
        state.bytes += bytes;
        let taker = state.reserve_taker(limits);
        drop(state);
        wake(taker);
        Ok(())
    }

    /// Waits for an item and returns up to `max` of them.
    /// It never waits for a fuller batch. Returns `None` if the queue is closed and empty.
    pub(crate) fn drain(&self, max: usize) -> Option<Batch<'_, J>> {
        let mut state = self.lock();
        loop {
            let taken = state.take(max);
            if !taken.items.is_empty() {
                return Some(Batch {
                    items: taken.items,
                    keys: taken.keys,
                    queue: self,
                });
            }
            if state.closed && state.items.is_empty() {
                return None;
            }
            let own = thread::current();
            state.sleepers.push(own.clone());
            drop(state);
            thread::park();
            state = self.lock();
            // A thread can also wake up by itself.
            state.sleepers.retain(|sleeper| sleeper.id() != own.id());
        }
    }

    /// Removes the items that have waited too long: those at the front for which `is_late` holds.
    pub(crate) fn drop_late(&self, is_late: impl Fn(&J) -> bool) -> Vec<J> {
        let mut state = self.lock();
        let mut late = Vec::new();
        while state.items.front().is_some_and(|(item, _)| is_late(item))
            && let Some((item, _)) = state.remove(0)
        {
            late.push(item);
        }
        let sleepers = state.sleepers_at_end();
        drop(state);
        wake(sleepers);
        late
    }

    /// Accepts no more items.
    /// Waiting items are still given out.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let sleepers = state.sleepers_at_end();
        drop(state);
        wake(sleepers);
    }

    /// Returns the number of waiting items.
    pub(crate) fn len(&self) -> usize {
        self.lock().items.len()
    }
}

/// Wakes takers, after the lock was released, so that they do not wait for it.
fn wake(takers: impl IntoIterator<Item = Thread>) {
    takers.into_iter().for_each(|taker| taker.unpark());
}

#[cfg(test)]
mod tests;
