//! Endpoints and receipts.

use alert_intake::model::{NewIntegration, ReceiptCounts, SenderContext, Source};
use alert_intake::store::InsertIntegration;
use api_conventions::ids::{AlertIid, IntegrationId, ProjectId};
use api_conventions::page::Total;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

use super::kept::kept;
use super::{alert, insert, receipt};
use crate::Harness;
use crate::samples::{HOSTILE, moment, page, walk};
use crate::store_traits::Alerts;

fn endpoint(project_id: ProjectId, identifier: &str) -> NewIntegration {
    NewIntegration {
        project_id,
        source: Source::Generic,
        name: "Endpoint".to_owned(),
        endpoint_identifier: identifier.to_owned(),
        active: true,
        key: SecretDigest::of(identifier),
        created_at: moment(0),
    }
}

pub(super) fn l40_an_endpoint_comes_back_as_it_was_written<H: Harness>(harness: &mut H)
where
    H::Store: Alerts,
{
    let [project, _] = harness.places();
    let store = harness.store();
    let edges = [
        (Source::Generic, "legacy", "Plain", true, Timestamp::MIN),
        (Source::Metrics, "metrics", HOSTILE, false, Timestamp::MAX),
    ];
    for (source, identifier, name, active, created_at) in edges {
        let found = store.write_alerts(move |tx| {
            let outcome = tx.insert_integration(&NewIntegration {
                source,
                name: name.to_owned(),
                active,
                created_at,
                ..endpoint(project, identifier)
            })?;
            Ok((outcome, tx.find_integration(project, identifier)?))
        });
        let (outcome, found) = found.wait().unwrap();
        let found = found.expect("the endpoint is there");
        assert_eq!(outcome, InsertIntegration::Inserted(found.id));
        assert_eq!((found.project_id, found.source), (project, source));
        assert_eq!(
            (&*found.name, &*found.endpoint_identifier),
            (name, identifier)
        );
        assert_eq!(
            (found.active, found.key),
            (active, SecretDigest::of(identifier))
        );
    }
}

pub(super) fn l41_an_identifier_is_unique_in_its_project<H: Harness>(harness: &mut H)
where
    H::Store: Alerts,
{
    let [project, other] = harness.places();
    let outcomes = harness.store().write_alerts(move |tx| {
        let first = tx.insert_integration(&endpoint(project, "legacy"))?;
        let again = tx.insert_integration(&NewIntegration {
            key: SecretDigest::of("another key"),
            ..endpoint(project, "legacy")
        })?;
        let elsewhere = tx.insert_integration(&endpoint(other, "legacy"))?;
        let kept = tx
            .find_integration(project, "legacy")?
            .expect("it is there");
        assert_eq!(kept.key, SecretDigest::of("legacy"));
        assert_eq!(
            tx.find_integration(project, "LEGACY")?,
            None,
            "case matters in a URL"
        );
        Ok((first, again, elsewhere))
    });
    let (first, again, elsewhere) = outcomes.wait().unwrap();
    assert!(matches!(first, InsertIntegration::Inserted(_)));
    assert_eq!(again, InsertIntegration::IdentifierTaken);
    assert!(matches!(elsewhere, InsertIntegration::Inserted(_)) && elsewhere != first);
}

pub(super) fn l42_a_receipt_comes_back_as_it_was_written<H: Harness>(harness: &mut H)
where
    H::Store: Alerts,
{
    let [project, _] = harness.places();
    let store = harness.store();
    let mut full = receipt(project, i64::MAX);
    full.integration_id = IntegrationId::new(i64::MAX);
    full.received_at = Timestamp::MAX;
    full.counts = ReceiptCounts {
        created: 1,
        counted: 20,
        resolved: 300,
        repeated: 4000,
    };
    full.context = SenderContext {
        user_agent: Some(HOSTILE.to_owned()),
        group_key: Some(HOSTILE.to_owned()),
        truncated_alerts: i64::MAX,
        skipped_alerts: i64::MAX - 1,
        notes: vec![HOSTILE.to_owned(), String::new()],
    };
    let empty = receipt(project, 0);
    let written = [full.clone(), empty.clone()];
    let listed = store.write_alerts(move |tx| {
        tx.insert_receipts(&written)?;
        tx.insert_receipts(&[])?;
        tx.list_receipts(project, page(1, 100))
    });
    let receipts = listed.wait().unwrap().items.into_iter();
    let receipts: Vec<_> = receipts.map(|receipt| receipt.receipt).collect();
    assert_eq!(receipts, [empty, full]);
}

pub(super) fn l43_receipts_are_listed_latest_first<H: Harness>(harness: &mut H)
where
    H::Store: Alerts,
{
    let [project, other] = harness.places();
    let store = harness.store();
    let written = store.write_alerts(move |tx| {
        tx.insert_receipts(&[receipt(other, 99)])?;
        let many: Vec<_> = (1..=11).map(|number| receipt(project, number)).collect();
        tx.insert_receipts(&many)
    });
    written.wait().unwrap();
    let (seen, total) = walk(
        4,
        |asked| {
            let listed = store.read_alerts(move |tx| tx.list_receipts(project, asked));
            listed.wait().unwrap()
        },
        |receipt| receipt.receipt.body_bytes,
    );
    assert_eq!(total, Total::Exact(11));
    assert_eq!(seen, (1..=11).rev().collect::<Vec<i64>>());
}

pub(super) fn l44_rows_outlive_the_store<H: Harness>(harness: &mut H)
where
    H::Store: Alerts,
{
    let [project, _] = harness.places();
    let written = harness.store().write_alerts(move |tx| {
        insert(tx, vec![alert(project, 1), alert(project, 2)]);
        tx.insert_integration(&endpoint(project, "legacy"))?;
        tx.put_kept_answers(&[kept(1, "key", 7)])?;
        tx.insert_receipts(&[receipt(project, 7)])
    });
    written.wait().unwrap();
    harness.reopen();
    let found = harness.store().write_alerts(move |tx| {
        let answer = kept(1, "key", 7);
        let key = (answer.integration_id, answer.key.key);
        assert_eq!(tx.list_kept_answers(&[key])?, [answer]);
        assert!(tx.find_integration(project, "legacy")?.is_some());
        assert_eq!(tx.list_receipts(project, page(1, 20))?.items.len(), 1);
        assert!(tx.find_alert(project, AlertIid::new(2))?.is_some());
        Ok(insert(tx, vec![alert(project, 3)]))
    });
    assert_eq!(found.wait().unwrap(), [AlertIid::new(3)], "numbers go on");
}
