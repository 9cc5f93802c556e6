//! Errors, their events, and the settings of error tracking.

mod changes;
mod collect;
mod deletion;
mod events;
mod lists;
mod merge;
mod monitors;
mod part;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
mod queries;
mod recent;
mod rows;
mod settings;
mod shared;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;
mod statements;
mod stored_values;
mod tables;

#[cfg(test)]
pub(crate) use tables::described;

use storage::{StoreError, StoreErrorKind};

/// Maximum number of errors of a project that a list examines, if a condition has no index.
const EXAMINED: i64 = 100_000;

fn too_much() -> StoreError {
    StoreError::new(StoreErrorKind::TooMuchWork, "list errors")
        .with_detail(format!("more than {EXAMINED} errors"))
}

/// Returns the error for a locked row that does not exist any more.
fn row_deleted(operation: &'static str) -> StoreError {
    StoreError::new(StoreErrorKind::Internal, operation).with_detail("the locked row was deleted")
}
