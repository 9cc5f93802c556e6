//! Health check of a store.

use diesel::connection::LoadConnection;
use diesel::prelude::*;
use diesel::query_builder::SqlQuery;
use diesel::query_dsl::methods::ExecuteDsl;
use storage::{StoreError, StoreErrorKind};

use crate::error::{Health, from_diesel};

/// Returns an error if the database was ever found damaged.
pub(crate) fn check_undamaged(health: &Health) -> Result<(), StoreError> {
    if health.is_damaged() {
        let damaged = StoreError::new(StoreErrorKind::Unavailable, "check for damage");
        return Err(damaged.with_detail(
            "the database is damaged; run `gatehouse check`, and restore a backup (`gatehouse restore FILE`)",
        ));
    }
    Ok(())
}

/// Writes a row, in order to notice a disk that is full or accepts no writes at all.
pub(crate) fn write_probe<C>(connection: &mut C) -> Result<(), StoreError>
where
    C: LoadConnection,
    SqlQuery: ExecuteDsl<C>,
{
    let mark = diesel::sql_query("UPDATE store_probe SET proofs = proofs + 1 WHERE id = 1");
    let written = mark
        .execute(connection)
        .map_err(|error| from_diesel("write health probe", error))?;
    if written == 1 {
        Ok(())
    } else {
        Err(StoreError::inconsistent("store_probe", 1, "row is missing"))
    }
}
