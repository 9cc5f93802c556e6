//! Rows of idempotency records: the answers that are kept for retries.

use alert_intake::model::{ContentDigest, DeliveryKey, IdempotencyRecord};
use api_conventions::ids::{AlertIid, IntegrationId};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Text};
use storage::StoreError;

use super::tables::alert_kept_answers;
use crate::rows::{DomainRow, RowReader};

#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = alert_kept_answers)]
pub(crate) struct IdempotencyRecordRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = BigInt)]
    integration_id: i64,
    #[diesel(sql_type = Binary)]
    key_digest: Vec<u8>,
    #[diesel(sql_type = Binary)]
    body_digest: Vec<u8>,
    #[diesel(sql_type = Text)]
    alerts: String,
    #[diesel(sql_type = BigInt)]
    received_at: i64,
}

impl DomainRow for IdempotencyRecordRow {
    type Value = IdempotencyRecord;

    fn read(self) -> Result<IdempotencyRecord, StoreError> {
        let row = RowReader::new("alert_kept_answers", self.id);
        let alerts: Result<Vec<(i64, String)>, _> = serde_json::from_str(&self.alerts);
        let alerts = alerts.map_err(|_| row.inconsistent("alerts are not a list of pairs"))?;
        Ok(IdempotencyRecord {
            integration_id: IntegrationId::new(self.integration_id),
            key: DeliveryKey {
                key: ContentDigest::from_bytes(row.digest(self.key_digest)?),
                body: ContentDigest::from_bytes(row.digest(self.body_digest)?),
            },
            alerts: alerts
                .into_iter()
                .map(|(iid, title)| (AlertIid::new(iid), title))
                .collect(),
            received_at: row.timestamp(self.received_at)?,
        })
    }
}

/// Returns the alerts of an answer as JSON.
pub(crate) fn alerts_of(answer: &IdempotencyRecord) -> String {
    let pairs: Vec<(i64, &str)> = answer
        .alerts
        .iter()
        .map(|(iid, title)| (iid.get(), title.as_str()))
        .collect();
    serde_json::json!(pairs).to_string()
}
