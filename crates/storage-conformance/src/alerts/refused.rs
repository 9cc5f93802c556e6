//! Single receipts, and receipts of refused POSTs.

use alert_intake::model::{DeliveryRefusal, NewReceipt, Receipt, SenderNetwork};
use alert_intake::store::AlertQueries;
use api_conventions::ids::{IntegrationId, ProjectId, ReceiptId};
use api_conventions::page::{KeysetPage, SortOrder};
use storage::StoreExt as _;

use super::receipt;
use crate::areas::{Alerts, AreaHarness};
use crate::samples::{page, timestamp};

/// A receipt of a POST to an endpoint that was refused at the given time.
pub(super) fn refused(
    project_id: ProjectId,
    endpoint: i64,
    at: i64,
    body_bytes: i64,
) -> NewReceipt {
    let refusal = DeliveryRefusal {
        status: 400,
        reason: "no JSON".to_owned(),
        body_start: None,
        sender: SenderNetwork::Loopback,
        further: 0,
    };
    NewReceipt {
        integration_id: IntegrationId::new(endpoint),
        received_at: timestamp(at),
        refusal: Some(refusal),
        ..receipt(project_id, body_bytes)
    }
}

/// All receipts of a project, the oldest first.
fn all<Q: AlertQueries + ?Sized>(tx: &mut Q, project: ProjectId) -> Vec<Receipt> {
    let mut all = tx.list_receipts(project, page(1, 100)).unwrap().items;
    all.reverse();
    all
}

fn lengths(receipts: &[Receipt]) -> Vec<i64> {
    receipts.iter().map(|one| one.receipt.body_bytes).collect()
}

pub(super) fn l60_a_receipt_is_found_in_its_project_only(harness: &mut AreaHarness<Alerts>) {
    let [project, other] = harness.places();
    let written = harness.store().change(move |tx| {
        tx.insert_receipts(&[receipt(project, 1), refused(project, 1, 0, 2)])?;
        tx.insert_receipts(&[receipt(other, 3)])?;
        for one in all(tx, project) {
            assert_eq!(tx.find_receipt(project, one.id)?.as_ref(), Some(&one));
            assert_eq!(tx.find_receipt(other, one.id)?, None);
        }
        assert_eq!(tx.find_receipt(project, ReceiptId::new(i64::MAX))?, None);
        Ok(())
    });
    written.wait().unwrap();
}

pub(super) fn l61_receipts_are_walked_in_both_directions(harness: &mut AreaHarness<Alerts>) {
    let [project, other] = harness.places();
    let written = harness.store().change(move |tx| {
        for number in 1..=5 {
            tx.insert_receipts(&[receipt(project, number), receipt(other, 100 + number)])?;
        }
        let middle = all(tx, project)[2].id;
        for (sort, beyond, per_page, expected, has_next) in [
            (SortOrder::Descending, None, 2, vec![5, 4], true),
            (SortOrder::Descending, Some(middle), 2, vec![2, 1], false),
            (SortOrder::Descending, Some(middle), 1, vec![2], true),
            (SortOrder::Ascending, None, 5, vec![1, 2, 3, 4, 5], false),
            (SortOrder::Ascending, Some(middle), 1, vec![4], true),
            (SortOrder::Ascending, Some(middle), 2, vec![4, 5], false),
        ] {
            let keyset = KeysetPage::new(per_page, sort);
            let found = tx.list_receipts_after(project, beyond, keyset)?;
            assert_eq!(
                (lengths(&found.items), found.has_next),
                (expected, has_next),
                "{sort:?} {beyond:?}"
            );
        }
        Ok(())
    });
    written.wait().unwrap();
}

pub(super) fn l62_refused_receipts_of_an_endpoint_are_listed_latest_first(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, _] = harness.places();
    let written = harness.store().change(move |tx| {
        tx.insert_receipts(&[
            refused(project, 7, 10, 1),
            refused(project, 7, 30, 2),
            refused(project, 7, 20, 3),
            refused(project, 8, 30, 4),
        ])?;
        // A stored POST is not a refusal, whatever its other fields.
        let stored = NewReceipt {
            refusal: None,
            ..refused(project, 7, 40, 5)
        };
        tx.insert_receipts(&[stored])?;
        for (since, limit, expected) in [
            (9, 10, vec![2, 3, 1]),
            (10, 10, vec![2, 3]),
            (9, 1, vec![2]),
            (30, 10, vec![]),
        ] {
            let ids = tx.list_refused_receipts(IntegrationId::new(7), timestamp(since), limit)?;
            let mut found = Vec::new();
            for id in ids {
                found.extend(tx.find_receipt(project, id)?);
            }
            assert_eq!(lengths(&found), expected, "since {since}, {limit}");
        }
        Ok(())
    });
    written.wait().unwrap();
}

pub(super) fn l63_a_refusal_is_counted_in_its_receipt_alone(harness: &mut AreaHarness<Alerts>) {
    let [project, other] = harness.places();
    let written = harness.store().change(move |tx| {
        tx.insert_receipts(&[
            receipt(project, 1),
            refused(project, 1, 0, 2),
            refused(project, 1, 0, 3),
        ])?;
        let before = all(tx, project);
        tx.count_refusal(project, before[1].id)?;
        tx.count_refusal(project, before[1].id)?;
        // A receipt of a stored POST, and one of another project.
        tx.count_refusal(project, before[0].id)?;
        tx.count_refusal(other, before[2].id)?;
        let mut expected = before;
        if let Some(refusal) = &mut expected[1].receipt.refusal {
            refusal.further = 2;
        }
        assert_eq!(all(tx, project), expected);
        Ok(())
    });
    written.wait().unwrap();
}
