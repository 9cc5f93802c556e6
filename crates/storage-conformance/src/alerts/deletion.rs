//! Deletion of the rows of a project.

use alert_intake::store::{AlertWriteTx, InsertIntegration};
use api_conventions::ids::{AlertIid, IntegrationId, ProjectId};
use storage::{StoreError, StoreExt as _};

use super::endpoints::endpoint;
use super::idempotency::record;
use super::refused::refused;
use super::{alert, insert, receipt};
use crate::areas::{Alerts, AreaHarness};
use crate::samples::{page, timestamp};

/// Maximum number of rows deleted at once.
const STEP: usize = 2;
/// More steps than the rows of one project need.
const FAR_TOO_MANY: usize = 100;
/// Keys of the idempotency records of each endpoint.
const KEYS: [&str; 2] = ["one", "two"];
const IDENTITIES: [u8; 3] = [1, 2, 3];

/// Writes alerts of three identities, three receipts, and an endpoint with two idempotency records.
fn fill(
    tx: &mut dyn AlertWriteTx,
    project: ProjectId,
    identities: [u8; 3],
) -> Result<IntegrationId, StoreError> {
    insert(tx, identities.map(|number| alert(project, number)).to_vec())?;
    let InsertIntegration::Inserted(id) = tx.insert_integration(&endpoint(project, "legacy"))?
    else {
        panic!("the identifier is free");
    };
    tx.insert_receipts(&[
        receipt(project, 1),
        receipt(project, 2),
        refused(project, id.get(), 0, 3),
    ])?;
    tx.put_idempotency_records(&KEYS.map(|key| record(id.get(), key, 1)))?;
    Ok(id)
}

/// Numbers of rows of a project: alerts, receipts, endpoints, idempotency records, and receipts by their endpoint.
fn counts(store: &Alerts, project: ProjectId, endpoint: IntegrationId) -> [usize; 5] {
    let counted = store.change(move |tx| {
        let mut alerts = 0;
        for number in 1..=3 {
            let found = tx.find_alert(project, AlertIid::new(number))?;
            alerts += usize::from(found.is_some());
        }
        let stored_records = KEYS.map(|key| (endpoint, record(0, key, 1).key.key));
        Ok([
            alerts,
            tx.list_receipts(project, page(1, 100))?.items.len(),
            usize::from(tx.find_integration(project, "legacy")?.is_some()),
            tx.list_idempotency_records(&stored_records)?.len(),
            tx.list_refused_receipts(endpoint, timestamp(-1), 9)?.len(),
        ])
    });
    counted.wait().unwrap()
}

pub(super) fn l64_a_project_that_goes_takes_its_alerts_step_by_step(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let filled =
        store.change(move |tx| Ok([fill(tx, project, IDENTITIES)?, fill(tx, other, IDENTITIES)?]));
    let [endpoint, of_other] = filled.wait().unwrap();
    let all = [3, 3, 1, 2, 1];
    let rows = |counts: [usize; 5]| counts[..4].iter().sum::<usize>();
    assert_eq!(counts(store, project, endpoint), all);

    let (mut before, mut deleted) = (all, 0);
    for step in 0.. {
        assert!(step < FAR_TOO_MANY, "the deletion does not end");
        let count = store.change(move |tx| tx.delete_alerts_of(project, STEP));
        let count = count.wait().unwrap();
        assert!(count <= STEP, "{count} rows deleted in one step");
        if count == 0 {
            break;
        }
        deleted += count;
        let after = counts(store, project, endpoint);
        let seen = rows(before) - rows(after);
        assert!(seen <= count, "{seen} rows deleted, but {count} counted");
        if step == 0 {
            assert_eq!((count, after[0]), (2, 1), "alerts are deleted first");
        }
        before = after;
    }
    assert!(
        deleted >= rows(all),
        "{deleted} of {} rows counted",
        rows(all)
    );
    assert_eq!(counts(store, project, endpoint), [0; 5]);
    assert_eq!(counts(store, other, of_other), all);
    // The same rows can then be written again, in another order: no deleted alert blocks its identity.
    let again = store.change(move |tx| {
        let [first, second, third] = IDENTITIES;
        fill(tx, project, [third, first, second])
    });
    again.wait().unwrap();
}
