//! What waits in a queue, and the order in which it is given out.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use super::{Share, Waiting};

/// From here on an item is large, and is given out alone: whatever goes with it waits until all of it is done. So does what
/// comes next, but no longer: between two large items everything small has its turn.
pub(super) const LARGE_BYTES: usize = 1 << 20;

/// What waits, and what is out.
#[derive(Debug)]
pub(super) struct State<J: Waiting> {
    pub(super) items: VecDeque<(J, usize)>,
    pub(super) bytes: usize,
    pub(super) closed: bool,
    /// Whether what was given out last was large.
    large_was_last: bool,
    /// Takers that wait for items.
    pub(super) sleeping: usize,
    /// How many of them were called and have not come yet.
    pub(super) called: usize,
    /// How many items of each key wait.
    pub(super) waiting: HashMap<J::Key, usize>,
    /// How many takers have items of each key and have not finished them.
    taken: HashMap<J::Key, usize>,
}

fn less<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

impl<J: Waiting> Default for State<J> {
    fn default() -> Self {
        Self {
            items: VecDeque::new(),
            bytes: 0,
            closed: false,
            large_was_last: false,
            sleeping: 0,
            called: 0,
            waiting: HashMap::new(),
            taken: HashMap::new(),
        }
    }
}

impl<J: Waiting> State<J> {
    /// A taker has finished what it had of this key.
    pub(super) fn finish(&mut self, key: &J::Key) {
        less(&mut self.taken, key);
    }

    /// Takes the item at `place` out.
    pub(super) fn remove(&mut self, place: usize) -> Option<(J, usize)> {
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
    pub(super) fn call(&mut self, share: Option<Share<J::Key>>) -> bool {
        let is_due = self.sleeping > self.called && !share.is_some_and(|share| self.is_out(share));
        self.called += usize::from(is_due);
        is_due
    }

    /// Takes what may be given out now, up to `most` items.
    pub(super) fn take(&mut self, most: usize) -> Taken<J> {
        let mut taken = Taken::default();
        if self.large_was_last {
            self.take_small(most, &mut taken);
        }
        if taken.items.is_empty() {
            self.take_first(most, &mut taken);
        }
        if !taken.items.is_empty() {
            self.large_was_last = taken.bytes >= LARGE_BYTES && taken.items.len() == 1;
        }
        for key in &taken.keys {
            *self.taken.entry(*key).or_default() += 1;
        }
        taken
    }

    /// Takes the first item that may be given out, and if it is small, what goes with it.
    fn take_first(&mut self, most: usize, taken: &mut Taken<J>) {
        let first = self
            .items
            .iter()
            .position(|(item, _)| item.share().is_none_or(|share| !self.is_out(share)));
        let Some(place) = first else { return };
        let found = self.items.get(place);
        if found.is_some_and(|(_, bytes)| *bytes >= LARGE_BYTES) {
            self.take_at(place, taken);
        } else {
            self.take_small(most, taken);
        }
    }

    /// Takes small items that go together.
    fn take_small(&mut self, most: usize, taken: &mut Taken<J>) {
        let mut place = 0;
        while taken.items.len() < most
            && let Some((item, bytes)) = self.items.get(place)
        {
            let share = item
                .share()
                .filter(|share| !taken.keys.contains(&share.key));
            let fits = taken
                .items
                .first()
                .is_none_or(|first| first.goes_with(item));
            if *bytes >= LARGE_BYTES || !fits || share.is_some_and(|share| self.is_out(share)) {
                place += 1;
            } else {
                self.take_at(place, taken);
            }
        }
    }

    fn take_at(&mut self, place: usize, taken: &mut Taken<J>) {
        if let Some((item, bytes)) = self.remove(place) {
            let share = item
                .share()
                .filter(|share| !taken.keys.contains(&share.key));
            taken.keys.extend(share.map(|share| share.key));
            taken.items.push(item);
            taken.bytes += bytes;
        }
    }
}

/// What was taken out, with the sum of the bytes and the keys.
pub(super) struct Taken<J: Waiting> {
    pub(super) items: Vec<J>,
    pub(super) bytes: usize,
    pub(super) keys: Vec<J::Key>,
}

impl<J: Waiting> Default for Taken<J> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            bytes: 0,
            keys: Vec::new(),
        }
    }
}
