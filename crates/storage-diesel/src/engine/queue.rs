//! A bounded queue of work: by number and by bytes, and it refuses at once when it is full.

use std::any::TypeId;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Why an item was not taken; it comes back.
#[derive(Debug)]
pub(crate) enum Refused<J> {
    Full(J),
    Closed(J),
}

/// What waits in a queue.
pub(crate) trait Waiting {
    /// The kind of this item, if items of its kind are given out to one taker at a time.
    fn alone(&self) -> Option<TypeId>;
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
    /// The kinds that somebody has taken and not finished.
    taken: Vec<TypeId>,
}

/// Items that were given out. When it is dropped, others may take what is of the same kinds.
#[derive(Debug)]
pub(crate) struct Batch<'q, J> {
    /// The items, in the order in which they came.
    pub(crate) items: Vec<J>,
    /// The sum of their bytes.
    pub(crate) bytes: usize,
    kinds: Vec<TypeId>,
    queue: &'q Queue<J>,
}

impl<J> Drop for Batch<'_, J> {
    fn drop(&mut self) {
        if !self.kinds.is_empty() {
            let mut state = self.queue.lock();
            state.taken.retain(|kind| !self.kinds.contains(kind));
            let (sleeping, closed) = (state.waiting > 0, state.closed);
            let left = !state.items.is_empty();
            drop(state);
            // After the end everybody has to see whether this was the last.
            if sleeping && closed {
                self.queue.filled.notify_all();
            } else if sleeping && left {
                self.queue.filled.notify_one();
            }
        }
    }
}

impl<J: Waiting> State<J> {
    /// Takes what may be given out now, up to `most` items.
    fn take(&mut self, most: usize) -> (Vec<J>, usize, Vec<TypeId>) {
        let (mut items, mut bytes, mut kinds) = (Vec::new(), 0, Vec::new());
        let mut place = 0;
        while items.len() < most
            && let Some((item, _)) = self.items.get(place)
        {
            let kind = item.alone().filter(|kind| !kinds.contains(kind));
            if kind.is_some_and(|kind| self.taken.contains(&kind)) {
                place += 1;
                continue;
            }
            kinds.extend(kind);
            if let Some((item, weight)) = self.items.remove(place) {
                items.push(item);
                bytes += weight;
            }
        }
        self.bytes -= bytes;
        self.taken.extend(&kinds);
        (items, bytes, kinds)
    }
}

impl<J> Queue<J> {
    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<J: Waiting> Queue<J> {
    pub(crate) fn new(max_items: usize, max_bytes: usize) -> Self {
        let state = State {
            items: VecDeque::new(),
            bytes: 0,
            closed: false,
            waiting: 0,
            taken: Vec::new(),
        };
        Self {
            state: Mutex::new(state),
            filled: Condvar::new(),
            max_items,
            max_bytes,
        }
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

    /// Waits until there is something to be given out and gives up to `most` items. It never waits for company. `None`
    /// when the queue is closed and empty.
    pub(crate) fn drain(&self, most: usize) -> Option<Batch<'_, J>> {
        let mut state = self.lock();
        loop {
            let (items, bytes, kinds) = state.take(most);
            if !items.is_empty() {
                return Some(Batch {
                    items,
                    bytes,
                    kinds,
                    queue: self,
                });
            }
            if state.closed && state.items.is_empty() {
                return None;
            }
            state.waiting += 1;
            state = self
                .filled
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
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

    /// A letter; capitals are of a kind that is given out to one taker at a time.
    impl Waiting for char {
        fn alone(&self) -> Option<TypeId> {
            self.is_uppercase().then(TypeId::of::<char>)
        }
    }

    impl Waiting for u8 {
        fn alone(&self) -> Option<TypeId> {
            None
        }
    }

    /// What is taken and finished at once.
    fn drained<J: Waiting>(queue: &Queue<J>, most: usize) -> Option<(Vec<J>, usize)> {
        let mut batch = queue.drain(most)?;
        Some((std::mem::take(&mut batch.items), batch.bytes))
    }

    #[test]
    fn it_refuses_by_number_and_by_bytes() {
        let queue = Queue::new(2, 100);
        queue.push('a', 60).unwrap();
        assert!(matches!(queue.push('b', 60), Err(Refused::Full('b'))));
        queue.push('c', 40).unwrap();
        assert!(matches!(queue.push('d', 0), Err(Refused::Full('d'))));
        assert_eq!(drained(&queue, 10), Some((vec!['a', 'c'], 100)));
        queue.push('e', 60).unwrap();
    }

    #[test]
    fn an_item_larger_than_the_bound_goes_when_it_is_alone() {
        let queue = Queue::new(2, 100);
        queue.push('a', 1000).unwrap();
        assert!(matches!(queue.push('b', 1), Err(Refused::Full('b'))));
        assert_eq!(drained(&queue, 1), Some((vec!['a'], 1000)));
        queue.push('b', 1).unwrap();
    }

    #[test]
    fn a_closed_queue_gives_out_what_it_has_and_then_ends() {
        let queue = Queue::new(9, 9);
        queue.push('a', 1).unwrap();
        queue.close();
        assert!(matches!(queue.push('b', 1), Err(Refused::Closed('b'))));
        assert_eq!(drained(&queue, 1), Some((vec!['a'], 1)));
        assert_eq!(drained(&queue, 1), None);
    }

    #[test]
    fn a_sleeper_is_woken() {
        let queue = std::sync::Arc::new(Queue::new(9, 9));
        let sleeper = std::thread::spawn({
            let queue = std::sync::Arc::clone(&queue);
            move || drained(&queue, 1)
        });
        queue.push('a', 1).unwrap();
        assert_eq!(sleeper.join().unwrap(), Some((vec!['a'], 1)));
    }

    #[test]
    fn what_is_to_be_alone_waits_until_the_one_before_is_finished() {
        let queue = std::sync::Arc::new(Queue::new(9, 9));
        for letter in ['A', 'b', 'C'] {
            queue.push(letter, 1).unwrap();
        }
        let first = queue.drain(1).unwrap();
        assert_eq!(first.items, ['A']);
        assert_eq!(drained(&queue, 9), Some((vec!['b'], 1)), "it overtakes");
        let other = std::thread::spawn({
            let queue = std::sync::Arc::clone(&queue);
            move || drained(&queue, 9)
        });
        drop(first);
        assert_eq!(other.join().unwrap(), Some((vec!['C'], 1)));
        for letter in ['D', 'E'] {
            queue.push(letter, 1).unwrap();
        }
        assert_eq!(drained(&queue, 9), Some((vec!['D', 'E'], 2)), "together");
    }

    #[test]
    fn a_closed_queue_waits_for_what_is_to_be_alone_and_then_ends_for_everybody() {
        let queue = std::sync::Arc::new(Queue::new(9, 9));
        queue.push('A', 1).unwrap();
        queue.push('B', 1).unwrap();
        let first = queue.drain(1).unwrap();
        queue.close();
        let others: Vec<_> = (0..3)
            .map(|_| {
                let queue = std::sync::Arc::clone(&queue);
                std::thread::spawn(move || {
                    std::iter::from_fn(|| drained(&queue, 9)).collect::<Vec<_>>()
                })
            })
            .collect();
        drop(first);
        let taken = others.into_iter().flat_map(|other| other.join().unwrap());
        assert_eq!(taken.collect::<Vec<_>>(), [(vec!['B'], 1)]);
    }
}
