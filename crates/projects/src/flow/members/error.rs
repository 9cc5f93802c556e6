//! Errors from operations on members.

use api_conventions::error::{ApiError, ValidationFailures};
use storage::StoreError;

/// Error from an operation on members or shares.
/// Nothing is stored in that case.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemberError {
    /// Invalid attributes, each with its errors.
    #[error("invalid attributes: {0}")]
    Invalid(ValidationFailures),
    /// The user is a direct member of the place already.
    #[error("member already exists")]
    Exists,
    /// The project is shared with the group already.
    #[error("the project is already shared with the group")]
    IsShared,
    /// The resource does not exist, or the caller may not know of it.
    #[error("{0} not found")]
    Unknown(&'static str),
    /// The role of the caller is too low, or the operation would leave a group without an Owner.
    #[error("the caller lacks permission for this operation")]
    Forbidden,
    /// The operation is not possible here; the text says why.
    #[error("{0}")]
    Impossible(&'static str),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MemberError {
    /// Error for one attribute.
    pub fn of(attribute: &str, text: impl Into<String>) -> Self {
        let mut failures = ValidationFailures::default();
        failures.add(attribute, text);
        Self::Invalid(failures)
    }
}

impl From<MemberError> for ApiError {
    fn from(error: MemberError) -> Self {
        match error {
            MemberError::Invalid(failures) => Self::validation(&failures),
            MemberError::Exists => Self::already_exists("Member"),
            MemberError::IsShared => {
                Self::conflict("the project is already shared with this group")
            }
            MemberError::Unknown(thing) => Self::not_found(thing),
            MemberError::Forbidden => Self::forbidden(),
            MemberError::Impossible(reason) => Self::bad_request(reason),
            MemberError::Store(store) => Self::storage_failure(store.is_retryable()),
        }
    }
}
