//! Why nothing is done to members.

use api_conventions::error::{ApiError, ValidationFailures};
use storage::StoreError;

/// Why nothing is done to members or shares. Nothing is stored then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemberError {
    /// Attributes are wrong; each is named with what is wrong.
    #[error("it is not valid: {0}")]
    Invalid(ValidationFailures),
    /// The user has a role in the very place.
    #[error("member already exists")]
    Exists,
    /// The project is shared with the group.
    #[error("the project is shared with the group already")]
    IsShared,
    /// There is none, or the caller may not know of it.
    #[error("there is no such {0}")]
    Unknown(&'static str),
    /// The role of the caller is too low for this, or it would leave a group without an Owner.
    #[error("the caller may not do this")]
    Forbidden,
    /// It cannot be done here; the text says why.
    #[error("{0}")]
    Impossible(&'static str),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MemberError {
    /// The refusal of one attribute.
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
                Self::conflict("the project is shared with this group already")
            }
            MemberError::Unknown(thing) => Self::not_found(thing),
            MemberError::Forbidden => Self::forbidden(),
            MemberError::Impossible(reason) => Self::bad_request(reason),
            MemberError::Store(store) => Self::storage_failure(store.is_retryable()),
        }
    }
}
