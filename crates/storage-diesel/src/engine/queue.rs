//! A bounded queue of work: by number and by bytes, and it refuses at once when it is full.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

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

#[derive(Debug)]
struct State<J: Waiting> {
    items: VecDeque<(J, usize)>,
    bytes: usize,
    closed: bool,
    /// Takers that wait for items.
    sleeping: usize,
    /// How many of them were called and have not come yet.
    called: usize,
    /// How many items of each key wait.
    waiting: HashMap<J::Key, usize>,
    /// How many takers have items of each key and have not finished them.
    taken: HashMap<J::Key, usize>,
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

fn less<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

impl<J: Waiting> Drop for Batch<'_, J> {
    fn drop(&mut self) {
        if !self.keys.is_empty() {
            let mut state = self.queue.lock();
            for key in &self.keys {
                less(&mut state.taken, key);
            }
            let closed = state.closed;
            drop(state);
            // After the end everybody has to see whether this was the last. Before it, whoever had these items comes for
            // more, and finds what they were in the way of.
            if closed {
                self.queue.filled.notify_all();
            }
        }
    }
}

impl<J: Waiting> State<J> {
    /// Takes the item at `place` out.
    fn remove(&mut self, place: usize) -> Option<(J, usize)> {
        let (item, weight) = self.items.remove(place)?;
        self.bytes -= weight;
        if let Some(share) = item.share() {
            less(&mut self.waiting, &share.key);
        }
        Some((item, weight))
    }

    /// Whether so many takers have items of this key that no more may.
    fn is_out(&self, share: Share<J::Key>) -> bool {
        self.taken.get(&share.key).copied().unwrap_or_default() >= share.takers
    }

    /// Whether a taker is to be called for an item that has come. That costs a system call, so it is done only for one
    /// who sleeps, and not for an item that has to wait for others.
    fn call(&mut self, share: Option<Share<J::Key>>) -> bool {
        let is_due = self.sleeping > self.called && !share.is_some_and(|share| self.is_out(share));
        self.called += usize::from(is_due);
        is_due
    }

    /// Takes what may be given out now, up to `most` items.
    fn take(&mut self, most: usize) -> (Vec<J>, usize, Vec<J::Key>) {
        let (mut items, mut bytes, mut keys): (Vec<J>, usize, Vec<J::Key>) = Default::default();
        let mut place = 0;
        while items.len() < most
            && let Some((item, _)) = self.items.get(place)
        {
            let share = item.share().filter(|share| !keys.contains(&share.key));
            let fits = items.first().is_none_or(|first| first.goes_with(item));
            if !fits || share.is_some_and(|share| self.is_out(share)) {
                place += 1;
                continue;
            }
            keys.extend(share.map(|share| share.key));
            if let Some((item, weight)) = self.remove(place) {
                items.push(item);
                bytes += weight;
            }
        }
        for key in &keys {
            *self.taken.entry(*key).or_default() += 1;
        }
        (items, bytes, keys)
    }
}

impl<J: Waiting> Queue<J> {
    pub(crate) fn new(max_items: usize, max_bytes: usize) -> Self {
        let state = State {
            items: VecDeque::new(),
            bytes: 0,
            closed: false,
            sleeping: 0,
            called: 0,
            waiting: HashMap::new(),
            taken: HashMap::new(),
        };
        Self {
            state: Mutex::new(state),
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
            let (items, bytes, keys) = state.take(most);
            if !items.is_empty() {
                return Some(Batch {
                    items,
                    bytes,
                    keys,
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
