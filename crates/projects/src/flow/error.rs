//! Errors from operations on groups and projects.

use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::validation;
use storage::StoreError;
use validator::Validate;

/// Error from creating, updating, transferring or deleting a group or a project.
/// Nothing is stored in that case.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// Invalid attributes, each with its errors.
    #[error("it is not valid: {0}")]
    Invalid(ValidationFailures),
    /// A group, a user or a project has this full path.
    #[error("the path has already been taken")]
    PathTaken,
    /// Another project of the namespace has this name.
    #[error("the name has already been taken")]
    NameTaken,
    /// The resource does not exist, or the caller may not know of it.
    #[error("there is no such {0}")]
    Unknown(&'static str),
    /// The caller's role is too low.
    #[error("the role of the caller is too low")]
    Forbidden,
    /// The operation is not possible on this resource; the text says why.
    #[error("{0}")]
    Impossible(&'static str),
    /// The deletion has begun and can no longer be cancelled.
    #[error("the deletion has begun")]
    TooLate,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<PlaceError> for ApiError {
    fn from(error: PlaceError) -> Self {
        match error {
            PlaceError::Invalid(failures) => Self::validation(&failures),
            PlaceError::PathTaken => Self::conflict("path has already been taken"),
            PlaceError::NameTaken => Self::conflict("name has already been taken"),
            PlaceError::Unknown(thing) => Self::not_found(thing),
            PlaceError::Forbidden => Self::forbidden(),
            PlaceError::Impossible(reason) => Self::bad_request(reason),
            PlaceError::TooLate => Self::conflict("the deletion has begun"),
            PlaceError::Store(store) => Self::storage_failure(store.is_retryable()),
        }
    }
}

impl PlaceError {
    /// Error for one attribute.
    pub fn of(attribute: &str, text: impl Into<String>) -> Self {
        let mut failures = ValidationFailures::default();
        failures.add(attribute, text);
        Self::Invalid(failures)
    }
}

/// Validates a request.
pub(super) fn check<R: Validate>(record: &R) -> Result<(), PlaceError> {
    let failures = validation::check(record);
    failures
        .is_empty()
        .then_some(())
        .ok_or(PlaceError::Invalid(failures))
}
