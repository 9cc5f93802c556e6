//! Making a project.

use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::validation;
use storage::StoreError;

use crate::model::{NewProject, Project};
use crate::store::{InsertProject, ProjectRepository};

/// Why a project is not made. Nothing is stored then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateProjectError {
    /// Attributes are wrong; each is named with what is wrong.
    #[error("the project is not valid: {0}")]
    Invalid(ValidationFailures),
    /// A group, user or project has this full path.
    #[error("the path has already been taken")]
    PathTaken,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<CreateProjectError> for ApiError {
    fn from(error: CreateProjectError) -> Self {
        match error {
            CreateProjectError::Invalid(failures) => Self::validation(&failures),
            CreateProjectError::PathTaken => Self::conflict("path has already been taken"),
            CreateProjectError::Store(store) => Self::storage_failure(store.is_retryable()),
        }
    }
}

/// Makes a project in its namespace. Whether the creator may do so there is the caller's question.
///
/// # Errors
/// See [`CreateProjectError`].
pub fn create_project<R: ProjectRepository + ?Sized>(
    repos: &mut R,
    request: &NewProject,
) -> Result<Project, CreateProjectError> {
    let failures = validation::check(request);
    if !failures.is_empty() {
        return Err(CreateProjectError::Invalid(failures));
    }
    match repos.insert_project(request)? {
        InsertProject::Inserted(project) => Ok(*project),
        InsertProject::PathTaken => Err(CreateProjectError::PathTaken),
    }
}
