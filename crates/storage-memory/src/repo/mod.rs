//! The repositories: per domain crate its tables and the traits over them.

#[cfg(feature = "accounts")]
pub(crate) mod accounts;
#[cfg(feature = "alert-intake")]
pub(crate) mod alerts;
#[cfg(feature = "accounts")]
pub(crate) mod audit;
#[cfg(feature = "accounts")]
pub(crate) mod credentials;
#[cfg(feature = "projects")]
mod deletions;
#[cfg(feature = "deprecations")]
pub(crate) mod deprecations;
#[cfg(feature = "error-tracking")]
pub(crate) mod errors;
#[cfg(feature = "events")]
pub(crate) mod events;
#[cfg(feature = "projects")]
mod groups;
#[cfg(feature = "projects")]
pub(crate) mod issues;
#[cfg(feature = "projects")]
pub(crate) mod members;
#[cfg(feature = "projects")]
pub(crate) mod notes;
#[cfg(feature = "oauth-provider")]
pub(crate) mod oauth;
#[cfg(feature = "pipelines")]
pub(crate) mod pipelines;
#[cfg(feature = "projects")]
mod project_records;
#[cfg(feature = "projects")]
pub(crate) mod projects;
#[cfg(all(
    test,
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events",
    feature = "oauth-provider",
    feature = "deprecations",
    feature = "pipelines"
))]
mod proof;
#[cfg(feature = "accounts")]
pub(crate) mod sessions;
#[cfg(feature = "projects")]
pub(crate) mod spam;

#[cfg(any(
    feature = "accounts",
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "oauth-provider"
))]
use storage::{StoreError, StoreErrorKind};

/// The error of a row that would stand where there can be one only.
#[cfg(any(
    feature = "accounts",
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "oauth-provider"
))]
fn conflict(operation: &'static str) -> StoreError {
    StoreError::new(StoreErrorKind::Conflict, operation)
}
