//! Idempotency records (answers kept for retries) on SQLite: few POSTs have a key, and a statement costs no round trip.

use alert_intake::model::{ContentDigest, IdempotencyRecord};
use api_conventions::ids::IntegrationId;
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use diesel::upsert::excluded;
use storage::StoreError;

use crate::alerts::idempotency_records::{IdempotencyRecordRow, alerts_of};
use crate::alerts::tables::alert_kept_answers::{self as kept, dsl};
use crate::sqlite::SqliteWriteTx;
use crate::transaction::Transaction as _;

pub(crate) fn list_idempotency_records(
    connection: &mut SqliteConnection,
    keys: &[(IntegrationId, ContentDigest)],
) -> QueryResult<Vec<IdempotencyRecordRow>> {
    let mut rows = Vec::new();
    for (integration, key) in keys {
        let row = kept::table
            .filter(dsl::integration_id.eq(integration.get()))
            .filter(dsl::key_digest.eq(&key.as_bytes()[..]))
            .select(IdempotencyRecordRow::as_select())
            .get_result(connection)
            .optional()?;
        rows.extend(row);
    }
    Ok(rows)
}

pub(crate) fn put_idempotency_records(
    tx: &mut SqliteWriteTx<'_>,
    answers: &[IdempotencyRecord],
) -> Result<(), StoreError> {
    tx.run("insert idempotency records", |connection| {
        for answer in answers {
            diesel::insert_into(kept::table)
                .values((
                    dsl::integration_id.eq(answer.integration_id.get()),
                    dsl::key_digest.eq(&answer.key.key.as_bytes()[..]),
                    dsl::body_digest.eq(&answer.key.body.as_bytes()[..]),
                    dsl::alerts.eq(alerts_of(answer)),
                    dsl::received_at.eq(answer.received_at.as_micros()),
                ))
                .on_conflict((dsl::integration_id, dsl::key_digest))
                .do_update()
                .set((
                    dsl::body_digest.eq(excluded(dsl::body_digest)),
                    dsl::alerts.eq(excluded(dsl::alerts)),
                    dsl::received_at.eq(excluded(dsl::received_at)),
                ))
                .execute(connection)?;
        }
        Ok(())
    })
}

pub(crate) fn delete_idempotency_records(
    connection: &mut SqliteConnection,
    before: Timestamp,
    limit: i64,
) -> QueryResult<usize> {
    let old: Vec<i64> = kept::table
        .filter(dsl::received_at.lt(before.as_micros()))
        .order(dsl::received_at.asc())
        .limit(limit)
        .select(dsl::id)
        .load(connection)?;
    diesel::delete(kept::table.filter(dsl::id.eq_any(old))).execute(connection)
}
