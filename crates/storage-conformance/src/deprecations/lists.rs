//! Lists of uses.

use deprecations::{Use, UseKey};

use super::{add, list_of_record, list_of_user, token, uses};
use crate::areas::{AreaHarness, Uses};

/// Uses of three records by two users, with the seconds of their first and last uses, in the order of writing.
fn sample_uses() -> Vec<Use> {
    vec![
        uses(token("b", 1, 1), 1, [0, 3]),
        uses(token("a", 1, 1), 9, [0, 5]),
        uses(token("a", 2, 2), 1, [4, 4]),
        uses(UseKey::of_others("a"), 7, [0, 6]),
        uses(token("c", 1, 3), 2, [0, 1]),
        uses(token("a", 1, 3), 2, [0, 2]),
    ]
}

pub(super) fn d05_the_uses_of_a_user_are_listed_the_last_first(harness: &mut AreaHarness<Uses>) {
    let store = harness.store();
    let all = sample_uses();
    add(store, all.clone());
    let expected = [1, 0, 5, 4].map(|index| all[index].clone());
    for limit in [0, 1, 3, 4, 99] {
        let first = expected.iter().take(limit).cloned();
        assert_eq!(list_of_user(store, 1, limit), first.collect::<Vec<Use>>());
    }
    assert_eq!(list_of_user(store, 2, 99), all[2..3]);
    // None of these numbers is a user, whatever number a store uses for an absent user.
    for unknown in [0, 3, -1, i64::MAX] {
        assert_eq!(list_of_user(store, unknown, 99), []);
    }
    // The latest use comes first.
    add(store, vec![uses(token("c", 1, 3), 1, [20, 20])]);
    let listed = list_of_user(store, 1, 2);
    assert_eq!(listed, [uses(token("c", 1, 3), 3, [0, 20]), all[1].clone()]);
}

pub(super) fn d06_the_uses_of_a_record_are_listed_the_last_first(harness: &mut AreaHarness<Uses>) {
    let store = harness.store();
    let all = sample_uses();
    add(store, all.clone());
    let expected = [3, 1, 2, 5].map(|index| all[index].clone());
    for limit in [0, 1, 3, 4, 99] {
        let first = expected.iter().take(limit).cloned();
        let listed = list_of_record(store, "a", limit);
        assert_eq!(listed, first.collect::<Vec<Use>>());
    }
    assert_eq!(list_of_record(store, "b", 99), all[..1]);
    assert_eq!(list_of_record(store, "d", 99), []);
    add(store, vec![uses(token("a", 1, 3), 1, [20, 20])]);
    let listed = list_of_record(store, "a", 1);
    assert_eq!(listed, [uses(token("a", 1, 3), 3, [0, 20])]);
}
