//! Making a group, or the namespace of a new user.

use storage::StoreError;
use validator::Validate as _;

use crate::model::{Namespace, NewNamespace};
use crate::store::{InsertNamespace, ProjectRepository};

/// Why a namespace is not made. Nothing is stored then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateNamespaceError {
    /// The path is no slug, or the full path would be too long.
    #[error(
        "a path has 1 to 255 letters, digits, '.', '_' or '-', does not start with '-' or '.', and does not end in '.', '.git' or '.atom'"
    )]
    InvalidPath,
    /// A group, user or project has this full path.
    #[error("the path has already been taken")]
    PathTaken,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes a namespace, with its owner as a member.
///
/// # Errors
/// See [`CreateNamespaceError`].
pub fn create_namespace<R: ProjectRepository + ?Sized>(
    repos: &mut R,
    request: &NewNamespace,
) -> Result<Namespace, CreateNamespaceError> {
    if request.validate().is_err() {
        return Err(CreateNamespaceError::InvalidPath);
    }
    match repos.insert_namespace(request)? {
        InsertNamespace::Inserted(namespace) => Ok(namespace),
        InsertNamespace::PathTaken => Err(CreateNamespaceError::PathTaken),
    }
}
