//! Horizon of the feed: the ids below which no further event appears.
//!
//! PostgreSQL assigns the id of an event before its transaction commits. A reader that remembers the greatest id it has
//! seen therefore loses the events of transactions that commit later. Below the horizon this cannot happen: all
//! transactions that could commit such an event have ended.

use std::collections::BTreeSet;

use api_conventions::ids::EventId;

use crate::model::EventIdState;

/// Horizon of the feed, from successive states of its ids.
///
/// A state names the last assigned id and the transactions that were writing then. Every event up to that id either was
/// visible at that time or is of one of these transactions. When none of them runs any more, every read that begins
/// later sees all events up to that id. Transactions that begin later get greater ids, so they are not waited for, and
/// the horizon advances however many there are.
#[derive(Debug, Default)]
pub struct EventHorizon {
    confirmed: Option<EventId>,
    pending: Option<PendingHorizon>,
    restarts: u64,
}

/// Horizon that waits for transactions to end.
#[derive(Debug)]
struct PendingHorizon {
    id: EventId,
    writers: BTreeSet<String>,
}

impl EventHorizon {
    /// Returns the last id below and at which all events are visible to reads that begin now; `None` before it is known.
    pub fn confirmed(&self) -> Option<EventId> {
        self.confirmed
    }

    /// True if the horizon waits for transactions to end. The next state may advance it.
    pub fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Number of times that ids went back. Ids after the horizon then come again.
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// Takes a new state into account, and returns the horizon.
    /// States must be passed in the order in which they were read. Ids that go back mean that the database recovered or
    /// was restored; the horizon then begins anew.
    pub fn observe(&mut self, state: EventIdState) -> Option<EventId> {
        let newest = self.pending.as_ref().map(|pending| pending.id);
        if newest.max(self.confirmed) > Some(state.last_assigned) {
            *self = Self {
                restarts: self.restarts + 1,
                ..Self::default()
            };
        }
        if let Some(pending) = &mut self.pending {
            pending.writers.retain(|name| state.writers.contains(name));
            if !pending.writers.is_empty() {
                return self.confirmed;
            }
            self.confirmed = Some(pending.id);
            self.pending = None;
        }
        if state.writers.is_empty() {
            self.confirmed = Some(state.last_assigned);
        } else if self.confirmed != Some(state.last_assigned) {
            self.pending = Some(PendingHorizon {
                id: state.last_assigned,
                writers: state.writers,
            });
        }
        self.confirmed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(last_assigned: i64, writers: &[&str]) -> EventIdState {
        EventIdState {
            last_assigned: EventId::new(last_assigned),
            writers: writers.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    /// Passes states to a new horizon, and returns the horizon after each.
    fn horizons(states: &[EventIdState]) -> Vec<Option<i64>> {
        let mut horizon = EventHorizon::default();
        let observed = states.iter().cloned();
        let observed = observed.map(|state| horizon.observe(state).map(EventId::get));
        observed.collect()
    }

    #[test]
    fn ids_that_go_back_are_counted() {
        let mut horizon = EventHorizon::default();
        for (last_assigned, restarts) in [(5, 0), (5, 0), (7, 0), (6, 1), (6, 1), (2, 2)] {
            horizon.observe(state(last_assigned, &[]));
            assert_eq!(horizon.restarts(), restarts, "{last_assigned}");
        }
    }

    #[test]
    fn the_horizon_waits_for_exactly_the_transactions_that_may_have_earlier_ids() {
        for (states, expected) in [
            (vec![state(5, &[])], vec![Some(5)]),
            (vec![state(0, &[])], vec![Some(0)]),
            (vec![state(5, &["a"]), state(5, &[])], vec![None, Some(5)]),
            // Later transactions are not waited for, and a horizon once set stays while others run.
            (
                vec![state(5, &["a"]), state(9, &["b"]), state(9, &["c"])],
                vec![None, Some(5), Some(9)],
            ),
            // One of two remains: nothing moves, whatever else was committed.
            (
                vec![
                    state(3, &[]),
                    state(5, &["a", "b"]),
                    state(7, &["b", "c"]),
                    state(8, &["c"]),
                ],
                vec![Some(3), Some(3), Some(3), Some(5)],
            ),
            // A deletion, which writes but assigns no id, holds nothing back.
            (
                vec![state(5, &[]), state(5, &["a"])],
                vec![Some(5), Some(5)],
            ),
            // Ids that go back begin anew, with a wait as well.
            (
                vec![state(9, &[]), state(4, &["a"]), state(6, &[])],
                vec![Some(9), None, Some(6)],
            ),
            (
                vec![state(9, &["a"]), state(4, &["a"]), state(4, &[])],
                vec![None, None, Some(4)],
            ),
        ] {
            assert_eq!(horizons(&states), expected, "{states:?}");
        }
    }

    /// Transactions take ids, commit and roll back in an order from a seed, and a reader looks in between. Below the
    /// horizon nothing may become visible, and in the end the horizon reaches the last id.
    #[test]
    fn nothing_becomes_visible_below_the_horizon() {
        for seed in 1..200_u64 {
            let mut random = seed;
            let mut next = |below: usize| {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                usize::try_from(random % 1000).unwrap() % below
            };
            let (mut horizon, mut last, mut names) = (EventHorizon::default(), 0, 0);
            let mut open: Vec<(String, Vec<i64>)> = Vec::new();
            for _ in 0..300 {
                match next(4) {
                    0 => {
                        names += 1;
                        open.push((names.to_string(), Vec::new()));
                    }
                    1 if !open.is_empty() => {
                        last += 1;
                        let at = next(open.len());
                        open[at].1.push(last);
                    }
                    2 if !open.is_empty() => {
                        let (_, ids) = open.swap_remove(next(open.len()));
                        let below = horizon.confirmed().map_or(0, EventId::get);
                        assert!(
                            ids.iter().all(|id| *id > below),
                            "seed {seed}: {ids:?} at {below}"
                        );
                    }
                    _ => {
                        let names: Vec<&str> = open.iter().map(|(name, _)| name.as_str()).collect();
                        horizon.observe(state(last, &names));
                    }
                }
            }
            open.clear();
            for _ in 0..2 {
                horizon.observe(state(last, &[]));
            }
            assert_eq!(
                horizon.confirmed().map(EventId::get),
                Some(last),
                "seed {seed}"
            );
        }
    }
}
