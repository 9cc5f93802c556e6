//! Deletion of alerts and receipts that are older than they are kept.

use alert_intake::model::{AlertFilter, AlertIdentity, AlertStatus, NewAlert, OldestResolved};
use alert_intake::search::PART;
use api_conventions::ids::{AlertId, AlertIid, ProjectId};
use api_conventions::page::SortOrder;
use storage::StoreExt as _;

use super::lists::list;
use super::{alert, insert, receipt};
use crate::areas::{Alerts, AreaHarness};
use crate::samples::{page, timestamp};

fn resolved(project: ProjectId, number: u8, changed: i64) -> NewAlert {
    let mut new = alert(project, number);
    let ended_at = timestamp(0);
    new.alert.summary.status = AlertStatus::Resolved { ended_at };
    new.alert.summary.updated_at = timestamp(changed);
    new
}

/// Numbers of the alerts of a project.
fn left(store: &Alerts, project: ProjectId) -> Vec<i64> {
    let filter = AlertFilter {
        sort: SortOrder::Ascending,
        ..AlertFilter::new(project)
    };
    list(store, &filter)
}

pub(super) fn l93_resolved_alerts_are_deleted_by_the_time_of_their_last_change(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| {
        let mut open = alert(project, 5);
        open.alert.summary.updated_at = timestamp(1);
        let mut ignored = alert(project, 6);
        ignored.alert.summary.status = AlertStatus::Ignored;
        let mut of_project = vec![resolved(project, 1, 3), resolved(project, 2, 7)];
        of_project.extend([resolved(project, 2, 5), open, ignored]);
        insert(tx, of_project)?;
        insert(tx, vec![alert(other, 1)])
    });
    written.wait().unwrap();
    let mut places = [project, other];
    places.sort_unstable();
    let oldest = |beyond| {
        store
            .query(move |tx| tx.find_oldest_resolved(beyond))
            .wait()
            .unwrap()
    };
    let age = |project_id, changed: Option<i64>| {
        let updated_at = changed.map(timestamp);
        Some(OldestResolved {
            project_id,
            updated_at,
        })
    };
    let changed = |of| (of == project).then_some(3);
    assert_eq!(oldest(None), age(places[0], changed(places[0])));
    assert_eq!(oldest(Some(places[0])), age(places[1], changed(places[1])));
    assert_eq!(oldest(Some(places[1])), None);

    let old = |before, limit| {
        let listed =
            store.query(move |tx| tx.list_resolved_before(project, timestamp(before), limit));
        listed.wait().unwrap()
    };
    assert_eq!(old(3, 9), []);
    assert_eq!(
        (old(4, 9).len(), old(6, 9).len(), old(8, 9).len()),
        (1, 2, 3)
    );
    assert_eq!(old(8, 2).len(), 2);
    let everything: Vec<AlertId> = (0..100).map(AlertId::new).chain(old(6, 9)).collect();
    let same = everything.clone();
    let delete = |of, ids: Vec<AlertId>| {
        let deleted = store.change(move |tx| tx.delete_resolved_alerts(of, &ids));
        deleted.wait().unwrap()
    };
    // Alerts that are open, and those of other projects, are not deleted.
    assert_eq!(delete(other, same), 0);
    assert_eq!(delete(project, old(6, 9)), 2);
    assert_eq!(left(store, project), [2, 4, 5]);
    assert_eq!(delete(project, everything), 1);
    assert_eq!(
        (left(store, project), left(store, other)),
        (vec![4, 5], vec![1])
    );
    assert_eq!(oldest(None).map(|of| of.updated_at), Some(None));
    // The numbers of deleted alerts are not given again, and their identities are free.
    let again = store.change(move |tx| insert(tx, vec![alert(project, 2)]));
    assert_eq!(again.wait().unwrap(), [AlertIid::new(6)]);
}

pub(super) fn l94_a_search_is_right_after_alerts_of_a_part_are_deleted(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let count = 2 * PART;
    let written = store.change(move |tx| {
        let alerts = (0..count).map(|number| {
            let mut new = resolved(project, 0, 1);
            let mut bytes = [0; 32];
            bytes[..8].copy_from_slice(&number.to_be_bytes());
            new.identity = AlertIdentity::from_bytes(bytes);
            let word = if number % 1000 == 0 {
                "needle"
            } else {
                "straw"
            };
            new.alert.summary.title = format!("{word} {number}");
            new
        });
        insert(tx, alerts.collect())
    });
    written.wait().unwrap();
    let search = |text: &str| {
        let filter = AlertFilter {
            search: Some(text.to_owned()),
            sort: SortOrder::Ascending,
            ..AlertFilter::new(project)
        };
        let listed = store.query(move |tx| tx.list_alerts(&filter, page(1, 100)));
        let listed = listed.wait().unwrap().items.into_iter();
        listed.map(|alert| alert.iid.get()).collect::<Vec<_>>()
    };
    let index = || {
        let indexed = store.change(|tx| match tx.find_search_part()? {
            Some(part) => tx.insert_search_part(&part),
            None => Ok(false),
        });
        indexed.wait().unwrap()
    };
    // The second part is indexed after some of its alerts are deleted.
    index();
    let every = [1, 1001, 2001, 3001, 4001, 5001, 6001, 7001, 8001];
    assert_eq!(search("needle"), every);
    // All alerts of the first part are deleted, and the first ones of the second.
    let old = store.query(move |tx| tx.list_resolved_before(project, timestamp(2), 9000));
    let mut old = old.wait().unwrap();
    old.sort_unstable();
    old.truncate(5500);
    let deleted = store.change(move |tx| tx.delete_resolved_alerts(project, &old));
    assert_eq!(deleted.wait().unwrap(), 5500);
    assert_eq!(search("needle"), [6001, 7001, 8001]);
    let unused = || {
        let deleted = store.change(move |tx| tx.delete_unused_search_parts(project, 100));
        deleted.wait().unwrap()
    };
    while unused() == 100 {
        assert_eq!(search("needle"), [6001, 7001, 8001]);
    }
    assert_eq!(unused(), 0);
    while index() {}
    for text in ["needle", "n", "ne"] {
        let found = search(text);
        assert_eq!(found, [6001, 7001, 8001], "{text}");
    }
    assert_eq!(unused(), 0);
    assert_eq!(search("needle 8000"), [8001]);
}

pub(super) fn l95_old_receipts_are_deleted_in_the_order_of_their_arrival(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| {
        let at = |project, received| {
            let mut receipt = receipt(project, received);
            receipt.received_at = timestamp(received);
            receipt
        };
        // The clock was set back before the third one.
        let mut all: Vec<_> = [1, 9, 2, 3].map(|time| at(project, time)).to_vec();
        all.push(at(other, 1));
        tx.insert_receipts(&all)
    });
    written.wait().unwrap();
    let first = |beyond| {
        let found = store.query(move |tx| tx.find_oldest_receipt(beyond));
        let found = found.wait().unwrap().map(|receipt| receipt.receipt);
        found.map(|receipt| (receipt.project_id, receipt.body_bytes))
    };
    let mut places = [project, other];
    places.sort_unstable();
    assert_eq!(first(None), Some((places[0], 1)));
    assert_eq!(first(Some(places[0])), Some((places[1], 1)));
    assert_eq!(first(Some(places[1])), None);
    let delete = |before, limit| {
        let deleted =
            store.change(move |tx| tx.delete_receipts_before(project, timestamp(before), limit));
        deleted.wait().unwrap()
    };
    assert_eq!(delete(1, 9), 0);
    assert_eq!(delete(9, 2), 1);
    assert_eq!(delete(9, 2), 1);
    assert_eq!(delete(3, 9), 0);
    assert_eq!(delete(9, 9), 1);
    let rest = |of| {
        let listed = store.query(move |tx| tx.list_receipts(of, page(1, 9)));
        let listed = listed.wait().unwrap().items.into_iter();
        listed
            .map(|receipt| receipt.receipt.body_bytes)
            .collect::<Vec<_>>()
    };
    assert_eq!((rest(project), rest(other)), (vec![9], vec![1]));
}
