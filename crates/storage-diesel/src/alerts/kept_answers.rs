//! Rows of idempotency records: the answers that are kept for retries.

use alert_intake::model::{ContentDigest, DeliveryKey, KeptAnswer};
use api_conventions::ids::{AlertIid, IntegrationId};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Text};
use storage::StoreError;

use super::tables::alert_kept_answers;
use crate::rows::{Row, RowReader};

#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = alert_kept_answers)]
pub(crate) struct KeptAnswerRow {
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

impl Row for KeptAnswerRow {
    type Value = KeptAnswer;

    fn read(self) -> Result<KeptAnswer, StoreError> {
        let row = RowReader::new("alert_kept_answers", self.id);
        let alerts: Result<Vec<(i64, String)>, _> = serde_json::from_str(&self.alerts);
        let alerts = alerts.map_err(|_| row.wrong("alerts that are no list of pairs"))?;
        Ok(KeptAnswer {
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
pub(crate) fn alerts_of(answer: &KeptAnswer) -> String {
    let pairs: Vec<(i64, &str)> = answer
        .alerts
        .iter()
        .map(|(iid, title)| (iid.get(), title.as_str()))
        .collect();
    serde_json::json!(pairs).to_string()
}
