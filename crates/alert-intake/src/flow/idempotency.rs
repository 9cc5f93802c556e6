//! Retries recognized by the sender's `Idempotency-Key`.

use std::collections::HashMap;

use api_conventions::ids::{AlertIid, IntegrationId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::receive::KeyReused;
use crate::model::{ContentDigest, Delivery, DeliveryKey, IdempotencyRecord};
use crate::store::AlertRepository;

/// Decision on a delivery by its idempotency key.
pub(super) enum KeyDecision {
    /// Store the delivery.
    Store,
    /// Retry: gets the response of the first delivery and changes nothing.
    Replay(FirstDelivery),
    /// The key was used with a different body.
    Refuse(KeyReused),
}

/// First delivery with a key.
#[derive(Clone)]
pub(super) enum FirstDelivery {
    /// Stored earlier; its response is kept.
    Kept(Vec<(AlertIid, String)>),
    /// Stored together with this one: its index in the same group.
    Together(usize),
}

/// Known keys while a group of deliveries is decided in order.
pub(super) struct DeliveryKeys(HashMap<(IntegrationId, ContentDigest), KnownKey>);

struct KnownKey {
    body: ContentDigest,
    received_at: Timestamp,
    first: FirstDelivery,
}

impl DeliveryKeys {
    /// Looks up the keys of the deliveries; skips the query if there are none. The alerts of the projects are locked,
    /// so no other transaction can store a delivery with one of these keys meanwhile.
    pub(super) fn of<R: AlertRepository + ?Sized>(
        repos: &mut R,
        deliveries: &[&Delivery],
    ) -> Result<Self, StoreError> {
        let mut keys: Vec<(IntegrationId, ContentDigest)> = deliveries
            .iter()
            .filter_map(|delivery| Some((delivery.integration_id, delivery.key?.key)))
            .collect();
        if keys.is_empty() {
            return Ok(Self(HashMap::new()));
        }
        keys.sort_unstable();
        keys.dedup();
        let records = repos.list_idempotency_records(&keys)?.into_iter();
        let known = records.map(|record| {
            let known = KnownKey {
                body: record.key.body,
                received_at: record.received_at,
                first: FirstDelivery::Kept(record.alerts),
            };
            ((record.integration_id, record.key.key), known)
        });
        Ok(Self(known.collect()))
    }

    /// Decides on the delivery at index `index` of the group. Call it in the order of the group.
    pub(super) fn decide(&mut self, index: usize, delivery: &Delivery) -> KeyDecision {
        let Some(DeliveryKey { key, body }) = delivery.key else {
            return KeyDecision::Store;
        };
        let place_of_key = (delivery.integration_id, key);
        if let Some(known) = self.0.get(&place_of_key)
            && delivery.received_at
                < known
                    .received_at
                    .plus_seconds(IdempotencyRecord::RETENTION_SECONDS)
        {
            return if known.body == body {
                KeyDecision::Replay(known.first.clone())
            } else {
                KeyDecision::Refuse(KeyReused)
            };
        }
        let known = KnownKey {
            body,
            received_at: delivery.received_at,
            first: FirstDelivery::Together(index),
        };
        self.0.insert(place_of_key, known);
        KeyDecision::Store
    }
}

/// Returns the responses to keep: for each key of an endpoint, the last stored delivery of the group.
pub(super) fn records_to_store<'o>(
    stored: impl Iterator<Item = (&'o Delivery, &'o [(AlertIid, String)])>,
) -> Vec<IdempotencyRecord> {
    let mut places: HashMap<(IntegrationId, ContentDigest), usize> = HashMap::new();
    let mut records: Vec<IdempotencyRecord> = Vec::new();
    for (delivery, alerts) in stored {
        let Some(key) = delivery.key else { continue };
        let record = IdempotencyRecord {
            integration_id: delivery.integration_id,
            key,
            alerts: alerts.to_vec(),
            received_at: delivery.received_at,
        };
        let index = *places
            .entry((delivery.integration_id, key.key))
            .or_insert(records.len());
        match records.get_mut(index) {
            Some(earlier) => *earlier = record,
            None => records.push(record),
        }
    }
    records
}
