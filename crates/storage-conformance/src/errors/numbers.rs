//! The numbers of errors.

use api_conventions::ids::ErrorIid;
use storage::{StoreErrorKind, StoreExt as _};

use super::{find, insert, new_error};
use crate::areas::{AreaHarness, Errors};
use crate::probe_rows::refusal;
use crate::samples::race;

pub(super) fn t42_numbers_follow_each_other_without_a_gap(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let store = harness.store();
    for (expected, firsts) in [
        ([(project, 1), (other, 3)], [1, 1]),
        ([(project, 4), (other, 1)], [2, 4]),
        ([(other, 1), (project, 1)], [5, 6]),
    ] {
        let reserved = store.change(move |tx| {
            tx.lock_errors(&[project, other])?;
            tx.reserve_error_numbers(&expected)
        });
        assert_eq!(reserved.wait().unwrap(), firsts.map(ErrorIid::new));
    }
}

pub(super) fn t43_racing_transactions_never_get_the_same_number(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let firsts = race(8, |thread| {
        let mut expected = [(project, 2), (other, 1)];
        if thread % 2 == 0 {
            expected.reverse();
        }
        let own = usize::from(thread % 2 == 0);
        let mut mine = Vec::new();
        for _ in 0..6 {
            let reserved = store.change(move |tx| {
                // Transactions that name projects in different orders must not deadlock.
                tx.lock_errors(&expected.map(|(project, _)| project))?;
                tx.reserve_error_numbers(&expected)
            });
            mine.push(reserved.wait().unwrap()[own].get());
        }
        mine
    })
    .concat();
    let mut numbers: Vec<i64> = firsts.iter().flat_map(|first| *first..first + 2).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=96).collect::<Vec<i64>>());
}

pub(super) fn t44_a_refused_write_uses_up_no_number(harness: &mut AreaHarness<Errors>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let refused = store.change(move |tx| {
        insert(tx, vec![new_error(project, 1), new_error(project, 2)])?;
        Err::<(), _>(refusal())
    });
    assert!(refused.wait().is_err());
    let inserted = store.change(move |tx| insert(tx, vec![new_error(project, 2)]));
    assert_eq!(inserted.wait().unwrap()[0].iid, ErrorIid::new(1));
}

pub(super) fn t45_the_number_and_the_key_of_an_error_are_its_own(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let inserted = store.change(move |tx| {
        insert(tx, vec![new_error(project, 1)])?;
        // Numbers and keys are counted separately in another project.
        insert(tx, vec![new_error(other, 1)])
    });
    assert_eq!(inserted.wait().unwrap()[0].iid, ErrorIid::new(1));
    for (number, of_key) in [(1, 2), (2, 1)] {
        let second = store.change(move |tx| {
            let mut new = new_error(project, of_key);
            new.iid = ErrorIid::new(number);
            let mut beside = new_error(project, 3);
            beside.iid = ErrorIid::new(3);
            tx.insert_errors(&[beside, new])
        });
        let error = second.wait().unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Conflict, "{error}");
        assert_eq!(find(store, project, 2), None);
        assert_eq!(find(store, project, 3), None);
    }
}
