//! Deletion of old uses.

use api_conventions::ids::UserId;
use deprecations::{Use, UseKey};
use storage::StoreExt as _;

use super::{add, list_of_record, token, uses};
use crate::areas::{AreaHarness, Uses};
use crate::samples::timestamp;

fn delete(store: &Uses, before: i64, limit: usize) -> usize {
    let deleted = store.change(move |tx| tx.delete_uses_before(timestamp(before), limit));
    deleted.wait().unwrap()
}

pub(super) fn d11_old_uses_are_deleted_up_to_a_limit(harness: &mut AreaHarness<Uses>) {
    let store = harness.store();
    let old = (1..=5).map(|user| uses(token("a", user, 1), 1, [0, user]));
    let kept = [
        uses(token("a", 6, 1), 1, [0, 6]),
        uses(token("a", 7, 1), 1, [0, 7]),
    ];
    let others = uses(UseKey::of_others("a"), 1, [0, 0]);
    add(store, old.chain(kept.clone()).chain([others]).collect());
    assert_eq!(delete(store, 0, 10), 0);
    assert_eq!(delete(store, 6, 0), 0);
    assert_eq!(delete(store, 6, 4), 4);
    assert_eq!(list_of_record(store, "a", 99).len(), 4);
    assert_eq!(delete(store, 6, 4), 2);
    assert_eq!(delete(store, 6, 4), 0);
    let [sixth, seventh] = kept;
    // A count whose last use was at that very time stays.
    assert_eq!(list_of_record(store, "a", 99), [seventh.clone(), sixth]);
    // Counting starts again after a deletion.
    add(store, vec![uses(token("a", 1, 1), 2, [8, 9])]);
    let expected: [Use; 2] = [uses(token("a", 1, 1), 2, [8, 9]), seventh];
    assert_eq!(list_of_record(store, "a", 2), expected);
}

pub(super) fn u07_uses_of_a_user_are_deleted_in_steps(harness: &mut AreaHarness<Uses>) {
    let store = harness.store();
    let all = [(1, 1), (1, 2), (1, 3), (2, 4)];
    let all = all.map(|(user, number)| uses(token("a", user, number), 1, [0, number]));
    add(store, all.to_vec());
    for expected in [2, 1, 0] {
        let deleted = store.change(|tx| tx.delete_uses_of(UserId::new(1), 2));
        assert_eq!(deleted.wait().unwrap(), expected);
    }
    let [.., kept] = all;
    assert_eq!(list_of_record(store, "a", 9), [kept]);
}

pub(super) fn d12_uses_outlive_the_store(harness: &mut AreaHarness<Uses>) {
    let all = vec![
        uses(token("a", 1, 1), 3, [5, 9]),
        uses(UseKey::of_others("a"), 1, [2, 4]),
    ];
    add(harness.store(), all.clone());
    harness.reopen();
    assert_eq!(list_of_record(harness.store(), "a", 9), all);
    add(harness.store(), vec![uses(token("a", 1, 1), 1, [1, 1])]);
    let added = uses(token("a", 1, 1), 4, [1, 9]);
    assert_eq!(list_of_record(harness.store(), "a", 1), [added]);
}
