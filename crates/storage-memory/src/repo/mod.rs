//! The repositories: per domain crate its tables and the traits over them.

#[cfg(feature = "accounts")]
pub(crate) mod accounts;
#[cfg(feature = "alert-intake")]
pub(crate) mod alerts;
#[cfg(feature = "events")]
pub(crate) mod events;
#[cfg(any(feature = "projects", feature = "alert-intake", feature = "events"))]
mod page;
#[cfg(feature = "projects")]
pub(crate) mod projects;

#[cfg(any(feature = "accounts", feature = "alert-intake"))]
use storage::{StoreError, StoreErrorKind};

/// The error of a row that would stand where there can be one only.
#[cfg(any(feature = "accounts", feature = "alert-intake"))]
fn conflict(operation: &'static str) -> StoreError {
    StoreError::new(StoreErrorKind::Conflict, operation)
}
