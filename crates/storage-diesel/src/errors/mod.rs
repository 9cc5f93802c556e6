//! Errors, their events, and the settings of error tracking.

mod changes;
mod collect;
mod counted;
mod deletion;
mod events;
mod lists;
mod merge;
mod part;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
mod queries;
mod rows;
mod settings;
mod shared;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;
mod statements;
mod tables;

#[cfg(test)]
pub(crate) use tables::described;

use storage::{StoreError, StoreErrorKind};

/// Errors of a project that a list examines, at most, where a condition has no index.
const EXAMINED: i64 = 100_000;

fn too_much() -> StoreError {
    StoreError::new(StoreErrorKind::TooMuchWork, "list errors")
        .with_detail(format!("more than {EXAMINED} errors would be examined"))
}

/// A row that a transaction had locked is gone.
fn gone(operation: &'static str) -> StoreError {
    StoreError::new(StoreErrorKind::Internal, operation).with_detail("what was locked is gone")
}
