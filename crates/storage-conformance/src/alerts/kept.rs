//! Idempotency records, which replay responses to retries.

use alert_intake::model::{ContentDigest, DeliveryKey, KeptAnswer};
use api_conventions::ids::{AlertIid, IntegrationId};
use api_conventions::time::Timestamp;
use storage::StoreExt as _;

use crate::areas::{Alerts, AreaHarness};
use crate::samples::{HOSTILE, timestamp};

/// The idempotency record of a POST received at this second.
pub(super) fn kept(integration: i64, key: &str, seconds: i64) -> KeptAnswer {
    KeptAnswer {
        integration_id: IntegrationId::new(integration),
        key: DeliveryKey {
            key: ContentDigest::of(key.as_bytes()),
            body: ContentDigest::of(b"body"),
        },
        alerts: vec![(AlertIid::new(seconds), key.to_owned())],
        received_at: timestamp(seconds),
    }
}

fn key_of(answer: &KeptAnswer) -> (IntegrationId, ContentDigest) {
    (answer.integration_id, answer.key.key)
}

pub(super) fn l50_an_answer_comes_back_as_it_was_kept(harness: &mut AreaHarness<Alerts>) {
    let store = harness.store();
    let mut full = kept(1, "full", 1);
    full.alerts = vec![
        (AlertIid::new(i64::MAX), HOSTILE.to_owned()),
        (AlertIid::new(1), String::new()),
        (AlertIid::new(2), "[\"".to_owned()),
    ];
    full.received_at = Timestamp::MAX;
    let mut empty = kept(1, "empty", 1);
    empty.alerts = Vec::new();
    empty.received_at = Timestamp::MIN;
    let mine = [full.clone(), empty.clone()];
    let elsewhere = kept(2, "full", 5);
    let listed = store.change(move |tx| {
        tx.put_kept_answers(&mine)?;
        tx.put_kept_answers(&[elsewhere.clone(), kept(2, "other", 6)])?;
        tx.put_kept_answers(&[])?;
        assert_eq!(tx.list_kept_answers(&[])?, []);
        let unknown = kept(1, "other", 0);
        assert_eq!(tx.list_kept_answers(&[key_of(&unknown)])?, []);
        let wanted = [&mine[0], &unknown, &mine[1]].map(key_of);
        tx.list_kept_answers(&wanted)
    });
    let mut listed = listed.wait().unwrap();
    listed.sort_by_key(|answer| answer.alerts.is_empty());
    assert_eq!(listed, [full, empty]);
}

pub(super) fn l51_the_answer_that_is_kept_last_is_the_one(harness: &mut AreaHarness<Alerts>) {
    let store = harness.store();
    let mut second = kept(1, "key", 9);
    second.key.body = ContentDigest::of(b"another body");
    let last = second.clone();
    let listed = store.change(move |tx| {
        tx.put_kept_answers(&[kept(1, "key", 1), kept(2, "key", 2)])?;
        tx.put_kept_answers(&[kept(1, "new", 3), second.clone()])?;
        let untouched = kept(2, "key", 2);
        assert_eq!(tx.list_kept_answers(&[key_of(&untouched)])?, [untouched]);
        tx.list_kept_answers(&[key_of(&second)])
    });
    assert_eq!(listed.wait().unwrap(), [last]);
}

pub(super) fn l52_answers_before_a_moment_are_deleted_up_to_a_limit(
    harness: &mut AreaHarness<Alerts>,
) {
    let store = harness.store();
    let keys = ["a", "b", "c", "d", "e"];
    let deleted = store.change(move |tx| {
        let answers: Vec<_> = (1..).zip(keys).map(|(at, key)| kept(1, key, at)).collect();
        tx.put_kept_answers(&answers)?;
        let deleted = [
            tx.delete_kept_answers(timestamp(4), 2)?,
            tx.delete_kept_answers(timestamp(4), 2)?,
            tx.delete_kept_answers(timestamp(4), 2)?,
        ];
        let wanted: Vec<_> = answers.iter().map(key_of).collect();
        let left = tx.list_kept_answers(&wanted)?;
        Ok((deleted, left.len()))
    });
    assert_eq!(deleted.wait().unwrap(), ([2, 1, 0], 2));
}
