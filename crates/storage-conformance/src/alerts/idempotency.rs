//! Idempotency records, which replay responses to retries.

use alert_intake::model::{ContentDigest, DeliveryKey, IdempotencyRecord};
use api_conventions::ids::{AlertIid, IntegrationId};
use api_conventions::time::Timestamp;
use storage::StoreExt as _;

use crate::areas::{Alerts, AreaHarness};
use crate::samples::{HOSTILE, timestamp};

/// The idempotency record of a POST received at this second.
pub(super) fn record(integration: i64, key: &str, seconds: i64) -> IdempotencyRecord {
    IdempotencyRecord {
        integration_id: IntegrationId::new(integration),
        key: DeliveryKey {
            key: ContentDigest::of(key.as_bytes()),
            body: ContentDigest::of(b"body"),
        },
        alerts: vec![(AlertIid::new(seconds), key.to_owned())],
        received_at: timestamp(seconds),
    }
}

fn key_of(stored_record: &IdempotencyRecord) -> (IntegrationId, ContentDigest) {
    (stored_record.integration_id, stored_record.key.key)
}

pub(super) fn l50_an_idempotency_record_reads_back_as_written(harness: &mut AreaHarness<Alerts>) {
    let store = harness.store();
    let mut full = record(1, "full", 1);
    full.alerts = vec![
        (AlertIid::new(i64::MAX), HOSTILE.to_owned()),
        (AlertIid::new(1), String::new()),
        (AlertIid::new(2), "[\"".to_owned()),
    ];
    full.received_at = Timestamp::MAX;
    let mut empty = record(1, "empty", 1);
    empty.alerts = Vec::new();
    empty.received_at = Timestamp::MIN;
    let mine = [full.clone(), empty.clone()];
    let other_endpoint = record(2, "full", 5);
    let listed = store.change(move |tx| {
        tx.put_idempotency_records(&mine)?;
        tx.put_idempotency_records(&[other_endpoint.clone(), record(2, "other", 6)])?;
        tx.put_idempotency_records(&[])?;
        assert_eq!(tx.list_idempotency_records(&[])?, []);
        let unknown = record(1, "other", 0);
        assert_eq!(tx.list_idempotency_records(&[key_of(&unknown)])?, []);
        let expected = [&mine[0], &unknown, &mine[1]].map(key_of);
        tx.list_idempotency_records(&expected)
    });
    let mut listed = listed.wait().unwrap();
    listed.sort_by_key(|stored_record| stored_record.alerts.is_empty());
    assert_eq!(listed, [full, empty]);
}

pub(super) fn l51_an_endpoint_has_only_the_last_idempotency_record_of_each_key(
    harness: &mut AreaHarness<Alerts>,
) {
    let store = harness.store();
    let mut second = record(1, "key", 9);
    second.key.body = ContentDigest::of(b"another body");
    let last = second.clone();
    let listed = store.change(move |tx| {
        tx.put_idempotency_records(&[record(1, "key", 1), record(2, "key", 2)])?;
        tx.put_idempotency_records(&[record(1, "new", 3), second.clone()])?;
        let untouched = record(2, "key", 2);
        assert_eq!(
            tx.list_idempotency_records(&[key_of(&untouched)])?,
            [untouched]
        );
        tx.list_idempotency_records(&[key_of(&second)])
    });
    assert_eq!(listed.wait().unwrap(), [last]);
}

pub(super) fn l52_idempotency_records_before_a_given_time_are_deleted_up_to_a_limit(
    harness: &mut AreaHarness<Alerts>,
) {
    let store = harness.store();
    let keys = ["a", "b", "c", "d", "e"];
    let deleted = store.change(move |tx| {
        let stored_records: Vec<_> = (1..)
            .zip(keys)
            .map(|(at, key)| record(1, key, at))
            .collect();
        tx.put_idempotency_records(&stored_records)?;
        let deleted = [
            tx.delete_idempotency_records(timestamp(4), 2)?,
            tx.delete_idempotency_records(timestamp(4), 2)?,
            tx.delete_idempotency_records(timestamp(4), 2)?,
        ];
        let expected: Vec<_> = stored_records.iter().map(key_of).collect();
        let remaining = tx.list_idempotency_records(&expected)?;
        Ok((deleted, remaining.len()))
    });
    assert_eq!(deleted.wait().unwrap(), ([2, 1, 0], 2));
}
