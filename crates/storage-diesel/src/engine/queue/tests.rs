//! Tests of the queue: the items it gives out, their takers, and its refusals.

use std::sync::Arc;

use super::state::LARGE_BYTES;
use super::*;

/// Items of the tests.
/// Capitals go to one taker at a time. Digits go to two takers at once, up to five of the same digit may wait, and a
/// batch has only equal digits.
impl QueueItem for char {
    type Key = char;

    fn limits(&self) -> Option<KeyLimits<char>> {
        if self.is_uppercase() {
            Some(KeyLimits {
                key: 'A',
                takers: 1,
                waiting: usize::MAX,
            })
        } else {
            self.is_numeric().then_some(KeyLimits {
                key: *self,
                takers: 2,
                waiting: 5,
            })
        }
    }

    fn goes_with(&self, other: &Self) -> bool {
        !self.is_numeric() || self == other
    }
}

/// Takes items and finishes them at once.
fn drained<J: QueueItem>(queue: &Queue<J>, max: usize) -> Option<Vec<J>> {
    let mut batch = queue.drain(max)?;
    Some(std::mem::take(&mut batch.items))
}

#[test]
fn a_full_queue_refuses_by_item_count_and_by_bytes() {
    let queue = Queue::new(2, 100);
    queue.push('a', 60).unwrap();
    assert!(matches!(queue.push('b', 60), Err(PushError::Full('b'))));
    queue.push('c', 40).unwrap();
    assert!(matches!(queue.push('d', 0), Err(PushError::Full('d'))));
    assert_eq!(drained(&queue, 10), Some(vec!['a', 'c']));
    queue.push('e', 60).unwrap();
}

#[test]
fn an_item_larger_than_the_bound_goes_when_it_is_alone() {
    let queue = Queue::new(2, 100);
    queue.push('a', 1000).unwrap();
    assert!(matches!(queue.push('b', 1), Err(PushError::Full('b'))));
    assert_eq!(drained(&queue, 1), Some(vec!['a']));
    queue.push('b', 1).unwrap();
}

#[test]
fn a_closed_queue_drains_its_items_and_then_ends() {
    let queue = Queue::new(9, 9);
    queue.push('a', 1).unwrap();
    queue.close();
    assert!(matches!(queue.push('b', 1), Err(PushError::Closed('b'))));
    assert_eq!(drained(&queue, 1), Some(vec!['a']));
    assert_eq!(drained(&queue, 1), None);
}

#[test]
fn a_sleeper_is_woken() {
    let queue = Arc::new(Queue::new(9, 9));
    let sleeper = thread::spawn({
        let queue = Arc::clone(&queue);
        move || drained(&queue, 1)
    });
    queue.push('a', 1).unwrap();
    assert_eq!(sleeper.join().unwrap(), Some(vec!['a']));
}

#[test]
fn the_taker_that_fell_asleep_last_is_woken_first() {
    let queue = Arc::new(Queue::new(9, 9));
    let (sender, names) = std::sync::mpsc::channel();
    let takers = ["first", "second", "third"].map(|name| {
        let (queue, sender) = (Arc::clone(&queue), sender.clone());
        let asleep = queue.lock().sleepers.len() + 1;
        let taker = thread::spawn({
            let queue = Arc::clone(&queue);
            move || {
                while drained(&queue, 1).is_some() {
                    sender.send(name).unwrap();
                }
            }
        });
        while queue.lock().sleepers.len() < asleep {
            thread::yield_now();
        }
        taker
    });
    for _ in 0..3 {
        queue.push('a', 1).unwrap();
        assert_eq!(names.recv().unwrap(), "third");
        while queue.lock().sleepers.len() < 3 {
            thread::yield_now();
        }
    }
    queue.close();
    for taker in takers {
        taker.join().unwrap();
    }
}

#[test]
fn exclusive_items_wait_until_the_previous_batch_is_finished() {
    let queue = Queue::new(9, 9);
    for letter in ['A', 'b', 'C'] {
        queue.push(letter, 1).unwrap();
    }
    let first = queue.drain(1).unwrap();
    assert_eq!(first.items, ['A']);
    assert_eq!(
        drained(&queue, 9),
        Some(vec!['b']),
        "a short item overtakes"
    );
    // No taker is woken when it is finished: the taker that had it returns for more.
    drop(first);
    assert_eq!(drained(&queue, 9), Some(vec!['C']));
    for letter in ['D', 'E'] {
        queue.push(letter, 1).unwrap();
    }
    assert_eq!(drained(&queue, 9), Some(vec!['D', 'E']), "together");
}

#[test]
fn a_share_bounds_how_many_takers_there_are_and_how_many_items_wait() {
    let queue = Queue::new(99, 99);
    for _ in 0..5 {
        queue.push('1', 1).unwrap();
    }
    assert!(matches!(queue.push('1', 1), Err(PushError::Full('1'))));
    queue.push('2', 1).unwrap();
    let first = queue.drain(1).unwrap();
    let second = queue.drain(1).unwrap();
    assert_eq!((&*first.items, &*second.items), (&['1'][..], &['1'][..]));
    let other = queue.drain(1).unwrap();
    assert_eq!(other.items, ['2'], "the first caller has used up its share");
    queue.push('1', 1).unwrap();
    drop(first);
    assert_eq!(drained(&queue, 1), Some(vec!['1']));
}

#[test]
fn items_are_given_out_with_their_like() {
    let queue = Queue::new(99, 99);
    for letter in ['1', '2', '1', '2'] {
        queue.push(letter, 1).unwrap();
    }
    assert_eq!(drained(&queue, 9), Some(vec!['1', '1']));
    assert_eq!(drained(&queue, 9), Some(vec!['2', '2']));
}

#[test]
fn late_items_are_dropped_from_the_front() {
    let queue = Queue::new(9, 9);
    for letter in ['x', 'x', 'a', 'x'] {
        queue.push(letter, 1).unwrap();
    }
    assert_eq!(queue.drop_late(|letter| *letter == 'x'), ['x', 'x']);
    assert_eq!(drained(&queue, 9), Some(vec!['a', 'x']));
}

#[test]
fn a_closed_queue_waits_for_open_batches_and_ends_for_all_consumers() {
    let queue = Arc::new(Queue::new(9, 9));
    queue.push('A', 1).unwrap();
    queue.push('B', 1).unwrap();
    let first = queue.drain(1).unwrap();
    queue.close();
    let others: Vec<_> = (0..3)
        .map(|_| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || std::iter::from_fn(|| drained(&queue, 9)).collect::<Vec<_>>())
        })
        .collect();
    drop(first);
    let taken = others.into_iter().flat_map(|other| other.join().unwrap());
    assert_eq!(taken.collect::<Vec<_>>(), [vec!['B']]);
}

#[test]
fn large_items_go_alone_and_small_ones_have_their_turn_between_them() {
    let queue = Queue::new(10, usize::MAX);
    for (item, bytes) in [
        ('a', 1),
        ('b', LARGE_BYTES),
        ('c', LARGE_BYTES),
        ('d', 1),
        ('e', LARGE_BYTES),
        ('f', 1),
    ] {
        queue.push(item, bytes).unwrap();
    }
    let mut given = Vec::new();
    while queue.len() > 0 {
        given.extend(drained(&queue, 10));
        if given.len() == 2 {
            queue.push('g', 1).unwrap();
        }
    }
    let expected: [&[char]; 5] = [&['a', 'd', 'f'], &['b'], &['g'], &['c'], &['e']];
    assert_eq!(given, expected);
}
