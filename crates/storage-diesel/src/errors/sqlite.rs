//! SQLite specifics of errors.

use diesel::prelude::*;
use storage::StoreError;

use super::rows::events::{NewEventRow, error_events};
use crate::bulk::Bulk;
use crate::sqlite::SqliteWriteTx;
use crate::transaction::Transaction as _;

/// Does nothing: there is one writer, so nothing else changes errors in the meantime.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the other database does some work here"
)]
pub(super) fn lock_errors(_: &mut SqliteWriteTx<'_>, _: &[i64]) -> Result<(), StoreError> {
    Ok(())
}

/// Writes rows of a table by a statement that returns nothing.
pub(super) fn write(
    tx: &mut SqliteWriteTx<'_>,
    operation: &'static str,
    _table: &'static str,
    rows: Bulk,
) -> Result<(), StoreError> {
    tx.execute(operation, rows).map(drop)
}

pub(super) fn insert_events(
    tx: &mut SqliteWriteTx<'_>,
    rows: Vec<NewEventRow<'_>>,
) -> Result<(), StoreError> {
    tx.run("insert error events", |connection| {
        for row in rows {
            diesel::insert_into(error_events::table)
                .values(row)
                .execute(connection)?;
        }
        Ok(())
    })
}
