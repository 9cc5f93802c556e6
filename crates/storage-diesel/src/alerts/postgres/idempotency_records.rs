//! Idempotency records (answers kept for retries) on PostgreSQL: one statement for any number of them.

use alert_intake::model::{ContentDigest, IdempotencyRecord};
use api_conventions::ids::IntegrationId;
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::StoreError;

use super::statements::{IdempotencyRecordsByKey, PutIdempotencyRecords};
use crate::alerts::idempotency_records::{IdempotencyRecordRow, alerts_of};
use crate::alerts::tables::alert_kept_answers::{self as kept, dsl};
use crate::postgres::PgWriteTx;

pub(crate) fn list_idempotency_records(
    connection: &mut PgConnection,
    keys: &[(IntegrationId, ContentDigest)],
) -> QueryResult<Vec<IdempotencyRecordRow>> {
    let mut wanted = IdempotencyRecordsByKey::default();
    for (integration, key) in keys {
        wanted.integrations.push(integration.get());
        wanted.keys.push(key.as_bytes());
    }
    wanted.load(connection)
}

pub(crate) fn put_idempotency_records(
    tx: &mut PgWriteTx<'_>,
    answers: &[IdempotencyRecord],
) -> Result<(), StoreError> {
    let mut columns = PutIdempotencyRecords::default();
    let mut bytes = 0;
    for answer in answers {
        let alerts = alerts_of(answer);
        bytes += size_of_val(answer) + alerts.len();
        columns.integration_id.push(answer.integration_id.get());
        columns.key_digest.push(answer.key.key.as_bytes().to_vec());
        columns
            .body_digest
            .push(answer.key.body.as_bytes().to_vec());
        columns.alerts.push(alerts);
        columns.received_at.push(answer.received_at.as_micros());
    }
    tx.write_rows(
        "insert idempotency records",
        "alert_kept_answers",
        columns,
        bytes,
    )
}

/// Deletes old answers.
/// Skips rows that others have locked, so that cleanup never waits for intake and the two cannot wait for each other.
pub(crate) fn delete_idempotency_records(
    connection: &mut PgConnection,
    before: Timestamp,
    limit: i64,
) -> QueryResult<usize> {
    let old: Vec<i64> = kept::table
        .filter(dsl::received_at.lt(before.as_micros()))
        .order(dsl::received_at.asc())
        .limit(limit)
        .select(dsl::id)
        .for_update()
        .skip_locked()
        .load(connection)?;
    diesel::delete(kept::table.filter(dsl::id.eq_any(old))).execute(connection)
}
