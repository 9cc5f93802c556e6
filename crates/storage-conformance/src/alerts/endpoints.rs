//! Endpoints and receipts.

use alert_intake::model::{
    Integration, IntegrationChange, IntegrationSettings, NewIntegration, RetiredKey, Source,
};
use alert_intake::store::{AlertRepository, InsertIntegration};
use api_conventions::ids::{AlertIid, ProjectId};
use api_conventions::secret::SecretDigest;
use storage::{StoreError, StoreExt as _};

use super::idempotency::record;
use super::{alert, insert, receipt};
use crate::areas::{Alerts, AreaHarness};
use crate::samples::{HOSTILE, page, timestamp};

pub(super) fn endpoint(project_id: ProjectId, identifier: &str) -> NewIntegration {
    NewIntegration {
        project_id,
        source: Source::Generic,
        name: "Endpoint".to_owned(),
        endpoint_identifier: identifier.to_owned(),
        active: true,
        key: SecretDigest::of(identifier),
        settings: IntegrationSettings::default(),
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
        let is_off = tx.update_integration(project, "legacy", off.clone())?;
        let expected = Integration {
            active: false,
            ..before
        };
        assert_eq!(is_off.as_ref(), Some(&expected));
        let retired = RetiredKey {
            key: SecretDigest::of("legacy"),
            valid_until: timestamp(7),
        };
        let key = SecretDigest::of("another key");
        for retired in [Some(retired), None] {
            let renew = IntegrationChange::Key { key, retired };
            let is_renewed = tx.update_integration(project, "legacy", renew)?;
            let expected = Integration {
                key,
                retired_key: retired,
                ..expected.clone()
            };
            assert_eq!(is_renewed, Some(expected));
        }
        let settings = IntegrationSettings {
            ignored_labels: vec![HOSTILE.to_owned()],
            ..IntegrationSettings::default()
        };
        let details = IntegrationChange::Details {
            name: HOSTILE.to_owned(),
            active: true,
            settings: settings.clone(),
        };
        let is_renamed = tx.update_integration(project, "legacy", details)?;
        let expected = Integration {
            name: HOSTILE.to_owned(),
            active: true,
            key,
            settings,
            ..expected
        };
        assert_eq!(is_renamed.as_ref(), Some(&expected));
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

pub(super) fn l49_endpoints_of_a_project_are_listed_and_deleted_one_by_one(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, other] = harness.places();
    let written = harness.store().change(move |tx| {
        for identifier in ["b", "c", "a"] {
            tx.insert_integration(&endpoint(project, identifier))?;
        }
        tx.insert_integration(&endpoint(other, "a"))?;
        let list = |tx: &mut dyn AlertRepository, project, limit| {
            let found = tx.list_integrations(project, limit)?;
            let found = found.into_iter().map(|one| one.endpoint_identifier);
            Ok::<_, StoreError>(found.collect::<Vec<_>>())
        };
        assert_eq!(list(tx, project, 10)?, ["a", "b", "c"]);
        assert_eq!(list(tx, project, 2)?, ["a", "b"]);
        assert!(tx.delete_integration(project, "a")?);
        assert!(!tx.delete_integration(project, "a")?);
        assert!(!tx.delete_integration(project, "B")?);
        assert_eq!(tx.find_integration(project, "a")?, None);
        assert_eq!(list(tx, project, 10)?, ["b", "c"]);
        assert_eq!(list(tx, other, 10)?, ["a"]);
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
