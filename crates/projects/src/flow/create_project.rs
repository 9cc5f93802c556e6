//! Making a project.

use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::reference::is_slug;
use storage::StoreError;

use crate::model::{NewProject, Project};
use crate::store::{InsertProject, ProjectRepository};

/// The longest name, in characters.
pub const MAX_NAME: usize = 255;
/// The longest description, in characters.
pub const MAX_DESCRIPTION: usize = 2000;

/// Last segments that no project may have, because a URL below another project begins with them: `a/b/prometheus`
/// would share the address of its alerts with `a/b`.
pub const RESERVED: [&str; 1] = ["prometheus"];

/// Why a project is not made. Nothing is stored then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateProjectError {
    /// Attributes are wrong; each is named with what is wrong.
    #[error("the project is not valid")]
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
    let failures = validate(request);
    if !failures.is_empty() {
        return Err(CreateProjectError::Invalid(failures));
    }
    match repos.insert_project(request)? {
        InsertProject::Inserted(project) => Ok(*project),
        InsertProject::PathTaken => Err(CreateProjectError::PathTaken),
    }
}

fn validate(request: &NewProject) -> ValidationFailures {
    let mut failures = ValidationFailures::default();
    if request.name.trim().is_empty() {
        failures.add("name", "can't be blank");
    }
    if request.name.chars().count() > MAX_NAME {
        failures.add(
            "name",
            format!("is too long (maximum is {MAX_NAME} characters)"),
        );
    }
    if request.description.chars().count() > MAX_DESCRIPTION {
        failures.add(
            "description",
            format!("is too long (maximum is {MAX_DESCRIPTION} characters)"),
        );
    }
    if !is_slug(&request.path) || request.full_path().is_none() {
        let rule = "can contain only letters, digits, '_', '-' and '.', cannot start with '-' or '.', \
                    and cannot end in '.', '.git' or '.atom'";
        failures.add("path", rule);
    }
    if RESERVED.contains(&request.path.to_lowercase().as_str()) {
        failures.add("path", format!("'{}' is a reserved name", request.path));
    }
    failures
}
