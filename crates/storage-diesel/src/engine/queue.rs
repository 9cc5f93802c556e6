//! A bounded queue of work: by number and by bytes, and it refuses at once when it is full.

mod state;

use std::hash::Hash;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use state::State;

/// Why an item was not taken; it comes back.
#[derive(Debug)]
pub(crate) enum Refused<J> {
    Full(J),
    Closed(J),
}

/// For whom an item is, where that bounds how many are out at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Share<K> {
    /// For whom, or of which kind.
    pub(crate) key: K,
    /// How many takers may have items of this key at once.
    pub(crate) takers: usize,
    /// How many items of this key may wait.
    pub(crate) waiting: usize,
}

/// What waits in a queue.
pub(crate) trait Waiting {
    /// What tells apart for whom items are.
    type Key: Copy + Eq + Hash + std::fmt::Debug;

    /// For whom this item is; `None` when there is no bound.
    fn share(&self) -> Option<Share<Self::Key>>;

    /// Whether the other item may be given out together with this one.
    fn goes_with(&self, other: &Self) -> bool;
}

/// The queue.
#[derive(Debug)]
pub(crate) struct Queue<J: Waiting> {
    state: Mutex<State<J>>,
    filled: Condvar,
    max_items: usize,
    max_bytes: usize,
}

/// Items that were given out. When it is dropped, others may take what is of the same keys.
#[derive(Debug)]
pub(crate) struct Batch<'q, J: Waiting> {
    /// The items, in the order in which they came.
    pub(crate) items: Vec<J>,
    /// The sum of their bytes.
    pub(crate) bytes: usize,
    keys: Vec<J::Key>,
    queue: &'q Queue<J>,
}

impl<J: Waiting> Drop for Batch<'_, J> {
    fn drop(&mut self) {
        if !self.keys.is_empty() {
            let mut state = self.queue.lock();
            for key in &self.keys {
                state.finish(key);
            }
            let closed = state.closed;
            drop(state);
            // After the end everybody has to see whether this was the last. Before it, the taker that had these items comes
            // for more, and finds what they were in the way of.
            if closed {
                self.queue.filled.notify_all();
            }
        }
    }
}

impl<J: Waiting> Queue<J> {
    pub(crate) fn new(max_items: usize, max_bytes: usize) -> Self {
        Self {
            state: Mutex::new(State::default()),
            filled: Condvar::new(),
            max_items,
            max_bytes,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an item of `bytes`, or gives it back. An item that is larger than the bound is taken when nothing
    /// else waits, so that nothing is too large for ever.
    pub(crate) fn push(&self, item: J, bytes: usize) -> Result<(), Refused<J>> {
        let mut state = self.lock();
        if state.closed {
            return Err(Refused::Closed(item));
        }
        let fits = state.items.len() < self.max_items && state.bytes + bytes <= self.max_bytes;
        if !fits && !state.items.is_empty() {
            return Err(Refused::Full(item));
        }
        let share = item.share();
        if let Some(share) = share {
            let waiting = state.waiting.get(&share.key).copied().unwrap_or_default();
            if waiting >= share.waiting {
                return Err(Refused::Full(item));
            }
            state.waiting.insert(share.key, waiting + 1);
        }
        state.items.push_back((item, bytes));
        state.bytes += bytes;
        let is_due = state.call(share);
        drop(state);
        if is_due {
            self.filled.notify_one();
        }
        Ok(())
    }

    /// Waits until there is something to be given out and gives up to `most` items. It never waits for company. `None`
    /// when the queue is closed and empty.
    pub(crate) fn drain(&self, most: usize) -> Option<Batch<'_, J>> {
        let mut state = self.lock();
        loop {
            let taken = state.take(most);
            if !taken.items.is_empty() {
                return Some(Batch {
                    items: taken.items,
                    bytes: taken.bytes,
                    keys: taken.keys,
                    queue: self,
                });
            }
            if state.closed && state.items.is_empty() {
                return None;
            }
            state.sleeping += 1;
            state = self
                .filled
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.sleeping -= 1;
            state.called = state.called.saturating_sub(1);
        }
    }

    /// Takes the items out that have waited too long: those at the front for which `is_late` holds.
    pub(crate) fn drop_late(&self, is_late: impl Fn(&J) -> bool) -> Vec<J> {
        let mut state = self.lock();
        let mut late = Vec::new();
        while state.items.front().is_some_and(|(item, _)| is_late(item))
            && let Some((item, _)) = state.remove(0)
        {
            late.push(item);
        }
        let ended = state.closed && state.items.is_empty();
        drop(state);
        if ended {
            self.filled.notify_all();
        }
        late
    }

    /// Takes nothing more. What waits is still given out.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_all();
    }

    /// How many items wait.
    pub(crate) fn len(&self) -> usize {
        self.lock().items.len()
    }
}

#[cfg(test)]
mod tests;
