//! Errors of the use cases.

use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::time::Timestamp;
use api_conventions::validation;
use storage::StoreError;
use validator::Validate;

/// Reasons to refuse a request. Nothing is stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CiError {
    /// Attributes are invalid; each one is listed with its failure.
    #[error("invalid attributes: {0}")]
    Invalid(ValidationFailures),
    /// There is no such resource.
    #[error("the {0} does not exist")]
    Unknown(&'static str),
    /// The resource changed after the caller last read it.
    #[error("changed since it was read")]
    Changed,
    /// The environment is available and must be stopped first.
    #[error("the environment is available; stop it first")]
    NotStopped,
    /// The request is not possible; the text says why.
    #[error("{0}")]
    Impossible(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<CiError> for ApiError {
    fn from(error: CiError) -> Self {
        match error {
            CiError::Invalid(failures) => Self::validation(&failures),
            CiError::Unknown(thing) => Self::not_found(thing),
            CiError::Changed => Self::precondition_failed(),
            CiError::NotStopped => {
                Self::forbidden_because("the environment is available; stop it first")
            }
            CiError::Impossible(reason) => Self::bad_request(&reason),
            CiError::Store(store) => Self::storage_failure(store.is_retryable()),
        }
    }
}

impl CiError {
    /// Creates the refusal of one attribute.
    pub(super) fn of(attribute: &str, text: &str) -> Self {
        let mut failures = ValidationFailures::default();
        failures.add(attribute, text);
        Self::Invalid(failures)
    }
}

/// Refuses to delete a resource that changed in a later second than `since`, the time when the caller last read it.
pub(super) fn check_unchanged(changed: Timestamp, since: Option<Timestamp>) -> Result<(), CiError> {
    let is_later = |since: Timestamp| changed.as_unix_seconds() > since.as_unix_seconds();
    if since.is_some_and(is_later) {
        return Err(CiError::Changed);
    }
    Ok(())
}

/// Refuses an invalid record.
pub(super) fn check<R: Validate>(record: &R) -> Result<(), CiError> {
    let failures = validation::check(record);
    failures
        .is_empty()
        .then_some(())
        .ok_or(CiError::Invalid(failures))
}
