//! Endpoints and receipts.

use alert_intake::model::{Integration, IntegrationChange, NewIntegration, Source};
use alert_intake::store::InsertIntegration;
use api_conventions::ids::{AlertIid, ProjectId};
use api_conventions::secret::SecretDigest;
use storage::StoreExt as _;

use super::idempotency::record;
use super::{alert, insert, receipt};
use crate::areas::{Alerts, AreaHarness};
use crate::samples::{page, timestamp};

pub(super) fn endpoint(project_id: ProjectId, identifier: &str) -> NewIntegration {
    NewIntegration {
        project_id,
        source: Source::Generic,
        name: "Endpoint".to_owned(),
        endpoint_identifier: identifier.to_owned(),
        active: true,
        key: SecretDigest::of(identifier),
        created_at: timestamp(0),
    }
}

pub(super) fn l41_an_identifier_is_unique_in_its_project(harness: &mut AreaHarness<Alerts>) {
    let [project, other] = harness.places();
    let outcomes = harness.store().change(move |tx| {
        let first = tx.insert_integration(&endpoint(project, "legacy"))?;
        let again = tx.insert_integration(&NewIntegration {
            key: SecretDigest::of("another key"),
            ..endpoint(project, "legacy")
        })?;
        let other_endpoint = tx.insert_integration(&endpoint(other, "legacy"))?;
        let kept = tx
            .find_integration(project, "legacy")?
            .expect("the row exists");
        assert_eq!(kept.key, SecretDigest::of("legacy"));
        assert_eq!(
            tx.find_integration(project, "LEGACY")?,
            None,
            "identifiers are case-sensitive"
        );
        Ok((first, again, other_endpoint))
    });
    let (first, again, other_endpoint) = outcomes.wait().unwrap();
    assert!(matches!(first, InsertIntegration::Inserted(_)));
    assert_eq!(again, InsertIntegration::IdentifierTaken);
    assert!(matches!(other_endpoint, InsertIntegration::Inserted(_)) && other_endpoint != first);
}

pub(super) fn l48_a_change_of_an_endpoint_leaves_the_rest_of_it(harness: &mut AreaHarness<Alerts>) {
    let [project, other] = harness.places();
    let written = harness.store().change(move |tx| {
        for place in [project, other] {
            tx.insert_integration(&endpoint(place, "legacy"))?;
        }
        let before = tx
            .find_integration(project, "legacy")?
            .expect("the row exists");
        let off = IntegrationChange::Active(false);
        let is_off = tx.update_integration(project, "legacy", off)?;
        let key = SecretDigest::of("another key");
        let is_renewed = tx.update_integration(project, "legacy", IntegrationChange::Key(key))?;
        let expected = Integration {
            active: false,
            ..before
        };
        assert_eq!(is_off.as_ref(), Some(&expected));
        let expected = Integration { key, ..expected };
        assert_eq!(is_renewed.as_ref(), Some(&expected));
        assert_eq!(tx.find_integration(project, "legacy")?, Some(expected));
        assert_eq!(tx.update_integration(project, "Legacy", off)?, None);
        let untouched = tx
            .find_integration(other, "legacy")?
            .expect("the row exists");
        assert!(untouched.active && untouched.key == SecretDigest::of("legacy"));
        Ok(())
    });
    written.wait().unwrap();
}

pub(super) fn l44_rows_outlive_the_store(harness: &mut AreaHarness<Alerts>) {
    let [project, _] = harness.places();
    let written = harness.store().change(move |tx| {
        insert(tx, vec![alert(project, 1), alert(project, 2)])?;
        tx.insert_integration(&endpoint(project, "legacy"))?;
        tx.put_idempotency_records(&[record(1, "key", 7)])?;
        tx.insert_receipts(&[receipt(project, 7)])
    });
    written.wait().unwrap();
    harness.reopen();
    let found = harness.store().change(move |tx| {
        let stored_record = record(1, "key", 7);
        let key = (stored_record.integration_id, stored_record.key.key);
        assert_eq!(tx.list_idempotency_records(&[key])?, [stored_record]);
        assert!(tx.find_integration(project, "legacy")?.is_some());
        assert_eq!(tx.list_receipts(project, page(1, 20))?.items.len(), 1);
        assert!(tx.find_alert(project, AlertIid::new(2))?.is_some());
        insert(tx, vec![alert(project, 3)])
    });
    assert_eq!(
        found.wait().unwrap(),
        [AlertIid::new(3)],
        "numbering continues"
    );
}
