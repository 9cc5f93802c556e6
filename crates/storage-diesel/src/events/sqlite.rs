//! SQLite specifics of the feed: one cached statement that runs repeatedly.
//! A statement costs no round trip here, so this is as fast as one statement for many rows, whose text would depend on
//! their number.

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
