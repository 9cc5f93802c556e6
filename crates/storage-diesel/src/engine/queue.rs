//! A bounded queue of work: by number and by bytes, and it refuses at once when it is full.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Why an item was not taken; it comes back.
#[derive(Debug)]
pub(crate) enum Refused<J> {
    Full(J),
    Closed(J),
}

/// The queue.
#[derive(Debug)]
pub(crate) struct Queue<J> {
    state: Mutex<State<J>>,
    filled: Condvar,
    max_items: usize,
    max_bytes: usize,
}

#[derive(Debug)]
struct State<J> {
    items: VecDeque<(J, usize)>,
    bytes: usize,
    closed: bool,
    waiting: usize,
}

impl<J> Queue<J> {
    pub(crate) fn new(max_items: usize, max_bytes: usize) -> Self {
        let state = State {
            items: VecDeque::new(),
            bytes: 0,
            closed: false,
            waiting: 0,
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
        state.items.push_back((item, bytes));
        state.bytes += bytes;
        // Waking costs a system call, so it is done only when somebody sleeps.
        let sleeping = state.waiting > 0;
        drop(state);
        if sleeping {
            self.filled.notify_one();
        }
        Ok(())
    }

    /// Waits until there is something and gives up to `most` items with the sum of their bytes. It never waits
    /// for company. `None` when the queue is closed and empty.
    pub(crate) fn drain(&self, most: usize) -> Option<(Vec<J>, usize)> {
        let mut state = self.lock();
        while state.items.is_empty() {
            if state.closed {
                return None;
            }
            state.waiting += 1;
            state = self
                .filled
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        let count = state.items.len().min(most);
        let mut bytes = 0;
        let items = state.items.drain(..count).map(|(item, weight)| {
            bytes += weight;
            item
        });
        let items = items.collect();
        state.bytes -= bytes;
        Some((items, bytes))
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
mod tests {
    use super::*;

    #[test]
    fn it_refuses_by_number_and_by_bytes() {
        let queue = Queue::new(2, 100);
        queue.push('a', 60).unwrap();
        assert!(matches!(queue.push('b', 60), Err(Refused::Full('b'))));
        queue.push('c', 40).unwrap();
        assert!(matches!(queue.push('d', 0), Err(Refused::Full('d'))));
        assert_eq!(queue.drain(10), Some((vec!['a', 'c'], 100)));
        queue.push('e', 60).unwrap();
    }

    #[test]
    fn an_item_larger_than_the_bound_goes_when_it_is_alone() {
        let queue = Queue::new(2, 100);
        queue.push('a', 1000).unwrap();
        assert!(matches!(queue.push('b', 1), Err(Refused::Full('b'))));
        assert_eq!(queue.drain(1), Some((vec!['a'], 1000)));
        queue.push('b', 1).unwrap();
    }

    #[test]
    fn a_closed_queue_gives_out_what_it_has_and_then_ends() {
        let queue = Queue::new(9, 9);
        queue.push('a', 1).unwrap();
        queue.close();
        assert!(matches!(queue.push('b', 1), Err(Refused::Closed('b'))));
        assert_eq!(queue.drain(1), Some((vec!['a'], 1)));
        assert_eq!(queue.drain(1), None);
    }

    #[test]
    fn a_sleeper_is_woken() {
        let queue = std::sync::Arc::new(Queue::new(9, 9));
        let sleeper = std::thread::spawn({
            let queue = std::sync::Arc::clone(&queue);
            move || queue.drain(1)
        });
        queue.push('a', 1).unwrap();
        assert_eq!(sleeper.join().unwrap(), Some((vec!['a'], 1)));
    }
}
