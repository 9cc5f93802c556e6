//! Errors from operations on groups and projects.

use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::validation;
use storage::StoreError;
use validator::Validate;

/// Error from creating, updating, transferring or deleting a group or a project.
/// Nothing is stored in that case.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NamespaceError {
    /// Invalid attributes, each with its errors.
    #[error("invalid attributes: {0}")]
    Invalid(ValidationFailures),
    /// A group, a user or a project has this full path.
    #[error("the path has already been taken")]
    PathTaken,
    /// Another project of the namespace has this name.
    #[error("the name has already been taken")]
    NameTaken,
    /// The resource does not exist, or the caller may not know of it.
    #[error("{0} not found")]
    Unknown(&'static str),
    /// The caller's role is too low.
    #[error("the caller's role is too low")]
    Forbidden,
    /// The operation is not possible on this resource; the text says why.
    #[error("{0}")]
    Impossible(&'static str),
    /// The deletion has begun and can no longer be cancelled.
    #[error("the deletion has already started")]
    TooLate,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<NamespaceError> for ApiError {
    fn from(error: NamespaceError) -> Self {
        match error {
            NamespaceError::Invalid(failures) => Self::validation(&failures),
            NamespaceError::PathTaken => Self::conflict("path has already been taken"),
            NamespaceError::NameTaken => Self::conflict("name has already been taken"),
            NamespaceError::Unknown(thing) => Self::not_found(thing),
            NamespaceError::Forbidden => Self::forbidden(),
            NamespaceError::Impossible(reason) => Self::bad_request(reason),
            NamespaceError::TooLate => Self::conflict("the deletion has already started"),
            NamespaceError::Store(store) => Self::storage_failure(store.is_retryable()),
        }
    }
}

impl NamespaceError {
    /// Error for one attribute.
    pub fn of(attribute: &str, text: impl Into<String>) -> Self {
        let mut failures = ValidationFailures::default();
        failures.add(attribute, text);
        Self::Invalid(failures)
    }
}

/// Validates a request.
pub(super) fn check<R: Validate>(record: &R) -> Result<(), NamespaceError> {
    let failures = validation::check(record);
    failures
        .is_empty()
        .then_some(())
        .ok_or(NamespaceError::Invalid(failures))
}
