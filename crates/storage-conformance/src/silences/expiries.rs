//! Times at which alerts expire.

use alert_intake::model::{AlertExpiry, AlertIdentity};
use api_conventions::ids::{IntegrationId, ProjectId};
use storage::StoreExt as _;

use crate::areas::{AreaHarness, Silences};
use crate::samples::timestamp;

fn expiry(project_id: ProjectId, number: u8, endpoint: i64, second: i64) -> AlertExpiry {
    AlertExpiry {
        project_id,
        identity: AlertIdentity::from_bytes([number; 32]),
        integration_id: IntegrationId::new(endpoint),
        expires_at: timestamp(second),
    }
}

pub(super) fn l89_an_expiry_keeps_the_later_time(harness: &mut AreaHarness<Silences>) {
    let [project, other] = harness.places();
    let done = harness.store().change(move |tx| {
        tx.put_expiries(&[])?;
        tx.put_expiries(&[expiry(project, 1, 1, 100), expiry(other, 1, 1, 100)])?;
        tx.put_expiries(&[expiry(project, 1, 2, 50)])?;
        let due = |tx: &mut (dyn alert_intake::store::SilenceWriteTx + '_)| {
            let mut due = tx.list_due_expiries(timestamp(1000), 10)?;
            due.sort_by_key(|one| (one.project_id != project, one.identity));
            Ok::<_, storage::StoreError>(due)
        };
        assert_eq!(
            due(tx)?,
            [expiry(project, 1, 2, 100), expiry(other, 1, 1, 100)]
        );
        tx.put_expiries(&[expiry(project, 1, 3, 200)])?;
        assert_eq!(
            due(tx)?,
            [expiry(project, 1, 3, 200), expiry(other, 1, 1, 100)]
        );
        tx.delete_expiries(&[])?;
        tx.delete_expiries(&[
            (project, expiry(project, 1, 1, 0).identity),
            (project, expiry(project, 9, 1, 0).identity),
        ])?;
        assert_eq!(due(tx)?, [expiry(other, 1, 1, 100)]);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn l98_expiries_are_listed_when_they_are_due_and_can_be_postponed(
    harness: &mut AreaHarness<Silences>,
) {
    let [project, other] = harness.places();
    let done = harness.store().change(move |tx| {
        let (first, second, third) = (
            expiry(project, 1, 1, 100),
            expiry(other, 2, 1, 200),
            expiry(project, 3, 1, 300),
        );
        tx.put_expiries(&[third, first, second])?;
        assert_eq!(tx.list_due_expiries(timestamp(99), 10)?, []);
        assert_eq!(tx.list_due_expiries(timestamp(200), 10)?, [first, second]);
        assert_eq!(tx.list_due_expiries(timestamp(300), 2)?, [first, second]);
        tx.postpone_expiries(timestamp(250))?;
        assert_eq!(tx.list_due_expiries(timestamp(249), 10)?, []);
        assert_eq!(tx.list_due_expiries(timestamp(250), 10)?.len(), 2);
        let last = tx.list_due_expiries(timestamp(300), 10)?.pop();
        assert_eq!(last, Some(third));
        Ok(())
    });
    done.wait().unwrap();
    let many: Vec<AlertExpiry> = (0..3_000)
        .map(|number| {
            let mut one = expiry(project, 7, 1, 400);
            let mut bytes = [7; 32];
            bytes[..8].copy_from_slice(&i64::to_be_bytes(number));
            one.identity = AlertIdentity::from_bytes(bytes);
            one
        })
        .collect();
    let stored = harness.store().change(move |tx| {
        tx.put_expiries(&many)?;
        tx.list_due_expiries(timestamp(400), 10_000)
    });
    assert_eq!(stored.wait().unwrap().len(), 3_003);
}
