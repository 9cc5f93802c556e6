//! In-memory counts of uses, with a bound on the number of separate counts.

use std::collections::{BTreeMap, HashMap};

use api_conventions::ids::UserId;
use deprecations::{Holder, Use, UseCount, UseKey};

/// Maximum number of combinations of user and holder with their own count, over all records.
pub(super) const MAX_KEYS: usize = 20_000;

/// User and holder of a use; `None` if they are no longer known.
type UseOwner = Option<(UserId, Holder)>;

/// Counts by record. Adding a use of a record that is already present copies no text.
#[derive(Debug, Default)]
pub(super) struct UseCounters {
    records: BTreeMap<String, RecordCounters>,
    /// Number of separate counts.
    apart: usize,
}

/// Counts of a record.
#[derive(Debug, Default)]
struct RecordCounters {
    apart: HashMap<(UserId, Holder), UseCount>,
    others: Option<UseCount>,
}

impl UseCounters {
    /// Adds uses of a record. If there is no room for a separate count, they are added to `others`.
    pub(super) fn add(&mut self, record: &str, who: UseOwner, count: UseCount) {
        if !self.records.contains_key(record) {
            self.records
                .insert(record.to_owned(), RecordCounters::default());
        }
        let Some(of_record) = self.records.get_mut(record) else {
            return;
        };
        let known = who.and_then(|who| of_record.apart.get_mut(&who));
        match (known, who) {
            (Some(known), _) => known.add(count),
            (None, Some(who)) if self.apart < MAX_KEYS => {
                of_record.apart.insert(who, count);
                self.apart += 1;
            }
            (None, _) => match &mut of_record.others {
                Some(others) => others.add(count),
                none @ None => *none = Some(count),
            },
        }
    }

    /// Removes and returns all counts, each key once.
    pub(super) fn take(&mut self) -> Vec<Use> {
        let records = std::mem::take(self).records.into_iter();
        let all = records.flat_map(|(record, counts)| {
            let apart: Vec<Use> = counts
                .apart
                .into_iter()
                .map(|((user, holder), count)| Use {
                    key: UseKey::new(record.as_str(), user, holder),
                    count,
                })
                .collect();
            let others = counts.others.map(|count| Use {
                key: UseKey::of_others(record),
                count,
            });
            apart.into_iter().chain(others)
        });
        all.collect()
    }
}

#[cfg(test)]
mod tests {
    use api_conventions::time::Timestamp;

    use super::*;

    fn once() -> UseCount {
        UseCount::once(Timestamp::MIN)
    }

    /// Adds a use of a record by the user with this number.
    fn add_of(counters: &mut UseCounters, record: &str, number: usize) {
        let user = UserId::new(i64::try_from(number).unwrap());
        counters.add(record, Some((user, Holder::Session)), once());
    }

    /// Number of uses of a record by others, and the number of separate counts.
    fn others_of(all: &[Use], record: &str) -> (u64, usize) {
        let its = all.iter().filter(|one| one.key.record() == record);
        let (others, known): (Vec<&Use>, Vec<&Use>) =
            its.partition(|one| one.key.holder() == Holder::Others);
        assert!(others.len() <= 1, "{others:?}");
        let uses = others.iter().map(|one| one.count.uses).sum();
        (uses, known.len())
    }

    #[test]
    fn uses_beyond_the_key_limit_are_counted_under_others() {
        let mut counters = UseCounters::default();
        for number in 0..MAX_KEYS {
            let record = if number % 2 == 0 { "a" } else { "b" };
            add_of(&mut counters, record, number);
        }
        // Existing counts keep growing; new combinations get no count of their own.
        add_of(&mut counters, "a", 0);
        for number in [MAX_KEYS, MAX_KEYS + 1, MAX_KEYS] {
            add_of(&mut counters, "a", number);
        }
        add_of(&mut counters, "c", 0);
        let all = counters.take();
        assert_eq!(others_of(&all, "a"), (3, MAX_KEYS / 2));
        assert_eq!(others_of(&all, "b"), (0, MAX_KEYS / 2));
        assert_eq!(others_of(&all, "c"), (1, 0));
        let uses: u64 = all.iter().map(|one| one.count.uses).sum();
        assert_eq!(uses, u64::try_from(MAX_KEYS).unwrap() + 5);
        // Taking the counts makes room.
        assert_eq!(counters.take(), []);
        add_of(&mut counters, "a", MAX_KEYS);
        assert_eq!(others_of(&counters.take(), "a"), (0, 1));
    }

    #[test]
    fn restored_counts_beyond_the_key_limit_are_added_to_others() {
        let mut counters = UseCounters::default();
        for number in 0..MAX_KEYS {
            add_of(&mut counters, "a", number);
        }
        let before = counters.take();
        add_of(&mut counters, "a", MAX_KEYS);
        for one in &before {
            let who = one.key.user().map(|user| (user, one.key.holder()));
            counters.add(one.key.record(), who, one.count);
        }
        assert_eq!(others_of(&counters.take(), "a"), (1, MAX_KEYS));
    }
}
