//! Addition of uses, and their sums.

use api_conventions::ids::{ApplicationId, TokenId, UserId};
use api_conventions::page::Total;
use deprecations::usage::MAX_USES;
use deprecations::{Holder, Use, UseKey, UseSum};
use storage::StoreExt as _;

use super::{add, list_of_record, list_of_user, token, uses};
use crate::areas::{AreaHarness, Uses};
use crate::samples::{race, timestamp};

/// Threads that add uses concurrently, and rounds of each.
const THREADS: usize = 8;
const ROUNDS: u64 = 5;

fn sum(store: &Uses, record: &'static str) -> Option<UseSum> {
    let summed = store.query(move |tx| tx.sum_uses_of_record(record));
    summed.wait().unwrap()
}

pub(super) fn d03_uses_of_a_key_are_added(harness: &mut AreaHarness<Uses>) {
    let store = harness.store();
    for (count, seconds, all, span) in [
        (2, [5, 6], 2, [5, 6]),
        (1, [7, 7], 3, [5, 7]),
        // Another process may write uses later that it collected earlier.
        (4, [1, 2], 7, [1, 7]),
        (1, [3, 9], 8, [1, 9]),
        (1, [0, 20], 9, [0, 20]),
    ] {
        for key in [token("a", 1, 1), UseKey::of_others("a")] {
            add(store, vec![uses(key, count, seconds)]);
        }
        let mut listed = list_of_record(store, "a", 9);
        listed.sort_by(|one, other| one.key.cmp(&other.key));
        let expected = [UseKey::of_others("a"), token("a", 1, 1)].map(|key| uses(key, all, span));
        assert_eq!(listed, expected);
    }
    add(store, Vec::new());
    assert_eq!(list_of_record(store, "a", 9).len(), 2);
}

pub(super) fn d04_keys_are_separate_by_record_user_and_holder(harness: &mut AreaHarness<Uses>) {
    let store = harness.store();
    let user = UserId::new(1);
    let keys = [
        UseKey::new("a", user, Holder::Session),
        UseKey::new("a", user, Holder::Token(TokenId::new(1))),
        UseKey::new("a", user, Holder::Token(TokenId::new(2))),
        UseKey::new("a", user, Holder::Application(ApplicationId::new(1))),
        UseKey::new("a", UserId::new(2), Holder::Token(TokenId::new(1))),
        UseKey::of_others("a"),
        UseKey::new("A", user, Holder::Token(TokenId::new(1))),
        UseKey::new("a ", user, Holder::Token(TokenId::new(1))),
        UseKey::new("", user, Holder::Token(TokenId::new(1))),
    ];
    let all = (1..).zip(keys).map(|(seconds, key)| {
        let count = u64::try_from(seconds).unwrap();
        uses(key, count, [seconds, seconds])
    });
    let all: Vec<Use> = all.collect();
    add(store, all.clone());
    let of_record: Vec<Use> = all[..6].iter().rev().cloned().collect();
    assert_eq!(list_of_record(store, "a", 99), of_record);
    assert_eq!(list_of_record(store, "A", 99), all[6..7]);
    assert_eq!(list_of_record(store, "b", 99), []);
    assert_eq!(list_of_user(store, 2, 99), all[4..5]);
}

pub(super) fn d07_the_uses_of_a_record_are_summed(harness: &mut AreaHarness<Uses>) {
    let store = harness.store();
    assert_eq!(sum(store, "a"), None);
    add(
        store,
        vec![
            uses(token("a", 1, 1), 2, [1, 7]),
            uses(token("a", 1, 2), 3, [4, 9]),
            uses(token("b", 1, 1), 5, [1, 99]),
        ],
    );
    let of_known = UseSum {
        holders: Total::Exact(2),
        uses: 5,
        last_at: timestamp(9),
    };
    assert_eq!(sum(store, "a"), Some(of_known));
    add(store, vec![uses(UseKey::of_others("a"), 30, [2, 12])]);
    let with_others = UseSum {
        holders: Total::Exact(2),
        uses: 35,
        last_at: timestamp(12),
    };
    assert_eq!(sum(store, "a"), Some(with_others));
    add(store, vec![uses(UseKey::of_others("c"), 1, [3, 3])]);
    let of_nobody = UseSum {
        holders: Total::Exact(0),
        uses: 1,
        last_at: timestamp(3),
    };
    assert_eq!(sum(store, "c"), Some(of_nobody));
}

pub(super) fn d08_a_full_count_stays_full(harness: &mut AreaHarness<Uses>) {
    let store = harness.store();
    for count in [MAX_USES - 1, 1, 1, MAX_USES, u64::MAX] {
        add(store, vec![uses(token("a", 1, 1), count, [1, 1])]);
    }
    add(store, vec![uses(token("a", 2, 1), u64::MAX, [1, 1])]);
    for one in list_of_record(store, "a", 9) {
        assert_eq!(one.count.uses, MAX_USES, "{one:?}");
    }
    assert_eq!(sum(store, "a").unwrap().uses, 2 * MAX_USES);
}

pub(super) fn d09_thousands_are_added_at_once_and_counted_up_to_ten_thousand(
    harness: &mut AreaHarness<Uses>,
) {
    let store = harness.store();
    let of = |users: std::ops::RangeInclusive<i64>| {
        let each = users.map(|user| uses(token("a", user, 1), 1, [user, user]));
        each.collect::<Vec<Use>>()
    };
    add(store, of(1..=9_999));
    let (counted, last_at) = (sum(store, "a").unwrap(), timestamp(9_999));
    let expected = |holders, uses| UseSum {
        holders,
        uses,
        last_at,
    };
    assert_eq!(counted, expected(Total::Exact(9_999), 9_999));
    add(store, of(1..=9_999));
    add(store, vec![uses(UseKey::of_others("a"), 5, [0, 0])]);
    let counted = sum(store, "a").unwrap();
    assert_eq!(counted, expected(Total::Exact(9_999), 20_003));
    add(store, of(10_000..=10_003));
    let counted = sum(store, "a").unwrap();
    assert_eq!(counted.holders, Total::Beyond);
    // The 10,002 keys that were used last; the oldest one and the key of other users are left out.
    assert_eq!(counted.uses, 4 + 2 * 9_998);
    assert_eq!(counted.last_at, timestamp(10_003));
}

pub(super) fn d10_racing_uses_are_all_added(harness: &mut AreaHarness<Uses>) {
    let store = harness.store();
    race(THREADS, |thread| {
        for _ in 0..ROUNDS {
            let each = (1..=20).map(|user| uses(token("a", user, 1), 1, [user, user]));
            let mut each: Vec<Use> = each.collect();
            // Each thread adds the same keys in a different order.
            each.rotate_left(thread * 2);
            if thread % 2 == 0 {
                each.reverse();
            }
            add(store, each);
        }
    });
    let listed = list_of_record(store, "a", 99);
    let all = u64::try_from(THREADS).unwrap() * ROUNDS;
    let expected = (1..=20)
        .rev()
        .map(|user| uses(token("a", user, 1), all, [user, user]));
    assert_eq!(listed, expected.collect::<Vec<Use>>());
}
