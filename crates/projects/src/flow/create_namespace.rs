//! Creation of a group, or of the namespace of a new user.

use api_conventions::error::ValidationFailures;
use api_conventions::validation;
use storage::StoreError;

use crate::model::{Namespace, NewNamespace};
use crate::store::{InsertNamespace, ProjectRepository};

/// Error from creating a namespace.
/// Nothing is stored in that case.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateNamespaceError {
    /// Invalid attributes, each with its errors.
    #[error("invalid namespace: {0}")]
    Invalid(ValidationFailures),
    /// A group, user or project has this full path.
    #[error("the path has already been taken")]
    PathTaken,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Creates a namespace, with its owner as a member.
///
/// # Errors
/// See [`CreateNamespaceError`].
pub fn create_namespace<R: ProjectRepository + ?Sized>(
    repos: &mut R,
    request: &NewNamespace,
) -> Result<Namespace, CreateNamespaceError> {
    let failures = validation::check(request);
    if !failures.is_empty() {
        return Err(CreateNamespaceError::Invalid(failures));
    }
    match repos.insert_namespace(&request.clone().trimmed())? {
        InsertNamespace::Inserted(namespace) => Ok(namespace),
        InsertNamespace::PathTaken => Err(CreateNamespaceError::PathTaken),
    }
}
