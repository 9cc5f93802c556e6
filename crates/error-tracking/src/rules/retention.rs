//! Retention of the events of an error when room is needed.
//! The first, the latest, and an evenly spread sample of those between them are kept. Counters are stored separately
//! from events and never decrease.

/// Events at each end that are always kept.
pub const KEPT_AT_ENDS: u64 = 5;

/// Number of latest events of a key that stay recorded as stored, so that one that a sender repeats is recognised.
/// Earlier records are forgotten once their events are no longer kept.
pub const KEPT_RECORDS: u64 = 10_000;
/// Events between two rounds of forgetting, so that most requests have none to do.
const DELETE_INTERVAL: u64 = 250;

/// Number below which events of a key are forgotten that are no longer kept, and the most to forget.
/// A key with `before` events gets `more`. `None` if no round is due. Twice as many are forgotten as are added, so that
/// the excess after a limit was lowered disappears as well, and no request waits for all of it.
pub fn deletable_records(before: u64, more: u64) -> Option<(u64, usize)> {
    let count = before + more;
    let is_due = before / DELETE_INTERVAL != count / DELETE_INTERVAL;
    let below = count.checked_sub(KEPT_RECORDS).filter(|below| *below > 0);
    let most = usize::try_from(more.max(DELETE_INTERVAL).saturating_mul(2)).unwrap_or(usize::MAX);
    below.filter(|_| is_due).map(|below| (below, most))
}

/// Priority of an event by its number in the error, from 0, out of `count`.
/// Events of lower priority are pruned first; the first and the latest ones have the highest. Between them it is how
/// often the number can be halved, so that the remaining events are spread evenly however many are pruned.
pub fn priority(number: u64, count: u64) -> u32 {
    let is_first = number < KEPT_AT_ENDS;
    let is_latest = number.saturating_add(KEPT_AT_ENDS) >= count;
    if is_first || is_latest {
        return u32::MAX;
    }
    number.trailing_zeros()
}

/// Lowest priority at which no more than `room` of an error's events are kept.
/// Those at the ends are kept in any case.
pub fn min_priority(count: u64, room: u64) -> u32 {
    let staying = |least: u32| {
        let between = count.saturating_sub(2 * KEPT_AT_ENDS);
        between.checked_shr(least).unwrap_or_default() + 2 * KEPT_AT_ENDS
    };
    (0..u64::BITS)
        .find(|least| staying(*least) <= room)
        .unwrap_or(u64::BITS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn staying(count: u64, room: u64) -> Vec<u64> {
        let least = min_priority(count, room);
        (0..count)
            .filter(|number| priority(*number, count) >= least)
            .collect()
    }

    #[test]
    fn both_ends_stay_and_the_rest_is_spread() {
        let kept = staying(1000, 50);
        assert_eq!(kept[..5], [0, 1, 2, 3, 4]);
        assert_eq!(kept[kept.len() - 5..], [995, 996, 997, 998, 999]);
        let between = &kept[5..kept.len() - 5];
        assert!(
            between.windows(2).all(|pair| pair[1] - pair[0] == 32),
            "{between:?}"
        );
    }

    #[test]
    fn events_are_forgotten_at_a_pace() {
        assert_eq!(deletable_records(0, 10_000), None);
        assert_eq!(deletable_records(9_999, 2), Some((1, 500)));
        assert_eq!(deletable_records(10_001, 1), None);
        assert_eq!(deletable_records(10_249, 1), Some((250, 500)));
        assert_eq!(deletable_records(10_000, 3_000), Some((3_000, 6_000)));
    }

    #[test]
    fn few_events_stay_all() {
        assert_eq!(staying(8, 10).len(), 8);
        assert_eq!(staying(40, 100).len(), 40);
    }

    proptest! {
        #[test]
        fn no_more_stay_than_there_is_room_for(count in 0_u64..3000, room in 0_u64..400) {
            let kept = staying(count, room);
            prop_assert!(kept.len() as u64 <= room.max(2 * KEPT_AT_ENDS) + 1, "{} of {}", kept.len(), count);
            for number in (0..count.min(KEPT_AT_ENDS)).chain(count.saturating_sub(KEPT_AT_ENDS)..count) {
                prop_assert!(kept.contains(&number));
            }
        }

        #[test]
        fn an_event_between_the_ends_keeps_its_priority(number in 0_u64..1000, count in 1000_u64..2000) {
            // An event between the ends keeps its priority when more arrive, so pruning again removes no other ones.
            prop_assume!(number >= KEPT_AT_ENDS && number + KEPT_AT_ENDS < count);
            prop_assert_eq!(priority(number, count), priority(number, count + 500));
        }
    }
}
