//! Creating, getting, updating and deleting snippets.

mod change;
mod find;

use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use storage::StoreError;

pub use change::{create_snippet, delete_snippet, update_snippet};
pub use find::{find_draft, find_snippet};

use crate::model::{Snippet, Viewer};
use crate::rules::snippets::SnippetHome;

/// User who changes snippets of one home, and the current time.
#[derive(Debug, Clone, Copy)]
pub struct SnippetActor {
    /// Home of the snippets.
    pub home: SnippetHome,
    /// The user, as a viewer.
    pub viewer: Viewer,
    /// The user.
    pub user: UserId,
    /// Current time.
    pub now: Timestamp,
}

/// Error from an operation on a snippet.
/// Nothing is stored in that case.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnippetError {
    /// Invalid attributes, each with its errors.
    #[error("invalid snippet: {0}")]
    Invalid(ValidationFailures),
    /// The snippet does not exist, or the user may not know of it.
    #[error("snippet not found")]
    Unknown,
    /// The user sees the snippet but lacks permission for the operation.
    #[error("the user lacks permission for this operation on the snippet")]
    Forbidden,
    /// The snippet changed since the caller read it.
    #[error("the snippet was changed in the meantime")]
    Changed,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<SnippetError> for ApiError {
    fn from(error: SnippetError) -> Self {
        match error {
            SnippetError::Invalid(failures) => Self::validation(&failures),
            SnippetError::Unknown => Self::not_found(Snippet::NAME),
            SnippetError::Forbidden => Self::forbidden(),
            SnippetError::Changed => Self::precondition_failed(),
            SnippetError::Store(store) => Self::storage_failure(store.is_retryable()),
        }
    }
}
