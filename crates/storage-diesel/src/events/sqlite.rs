//! What SQLite does in its own way for the feed: one cached statement, run again and again. A statement costs no round
//! trip here, so this is as fast as one statement of many rows, whose text would change with their number.

use diesel::prelude::*;
use storage::StoreError;

use super::rows::{NewEventRow, events};
use crate::sqlite::SqliteWriteTx;
use crate::transaction::Transaction as _;

pub(crate) fn insert_events(
    tx: &mut SqliteWriteTx<'_>,
    rows: Vec<NewEventRow<'_>>,
) -> Result<(), StoreError> {
    tx.run("insert events", |connection| {
        for row in rows {
            diesel::insert_into(events::table)
                .values(row)
                .execute(connection)?;
        }
        Ok(())
    })
}
