//! Repository traits of environments.

use api_conventions::ids::{EnvironmentId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use storage::{Locked, StoreError};

use crate::model::{
    Environment, EnvironmentChange, EnvironmentFilter, EnvironmentState, NewEnvironment,
};

/// Queries for environments, in a transaction of either kind.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait EnvironmentQueries {
    /// Returns the environment of a project with this id.
    fn find_environment(
        &mut self,
        project: ProjectId,
        id: EnvironmentId,
    ) -> Result<Option<Environment>, StoreError>;

    /// Returns the environment of a project with this name.
    fn find_environment_by_name(
        &mut self,
        project: ProjectId,
        name: &str,
    ) -> Result<Option<Environment>, StoreError>;

    /// Lists the environments with these ids, of any project. Unknown ids are left out; the order does not matter.
    fn list_environments_by_id(
        &mut self,
        ids: &[EnvironmentId],
    ) -> Result<Vec<Environment>, StoreError>;

    /// Lists the environments of a project with these names. Unknown names are left out; the order does not matter.
    fn list_environments_named(
        &mut self,
        project: ProjectId,
        names: &[String],
    ) -> Result<Vec<Environment>, StoreError>;

    /// Lists the environments of a project in a state whose names are greater than `after`, in the order of the bytes of
    /// their names, at most `limit`.
    fn list_environments_by_name(
        &mut self,
        project: ProjectId,
        state: EnvironmentState,
        after: &str,
        limit: usize,
    ) -> Result<Vec<Environment>, StoreError>;

    /// Lists one page of the environments that match, in id order. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// # Errors
    /// An adapter may limit the environments that a search in a project examines, to at least 100,000. Beyond the limit
    /// it fails with [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork).
    fn list_environments(
        &mut self,
        filter: &EnvironmentFilter,
        page: OffsetPage,
    ) -> Result<Page<Environment>, StoreError>;
}

/// Outcome of inserting an environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InsertEnvironment {
    /// Environment inserted.
    Inserted(Environment),
    /// Another environment of the project has the name. Nothing was written.
    NameTaken,
    /// Another environment of the project has the slug. Nothing was written.
    SlugTaken,
}

/// Outcome of updating an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateEnvironment {
    /// Environment updated.
    Updated,
    /// The project has no such environment.
    NotFound,
    /// Another environment of the project has the name. Nothing was written.
    NameTaken,
}

/// Writes to environments. `at` is the lock that [`lock_reports`](super::PipelineRepository::lock_reports) returned for
/// the project.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(keeps(insert_environment, update_environment, delete_environment))]
pub trait EnvironmentRepository: EnvironmentQueries {
    /// Inserts an environment of the locked project, unless its name or slug is taken.
    fn insert_environment(
        &mut self,
        at: &Locked<ProjectId>,
        new: &NewEnvironment,
    ) -> Result<InsertEnvironment, StoreError>;

    /// Updates an environment unless its new name is taken.
    fn update_environment(
        &mut self,
        at: &Locked<ProjectId>,
        id: EnvironmentId,
        change: &EnvironmentChange,
    ) -> Result<UpdateEnvironment, StoreError>;

    /// Deletes an environment with its deployments. Returns `false` if it does not exist.
    fn delete_environment(
        &mut self,
        at: &Locked<ProjectId>,
        id: EnvironmentId,
    ) -> Result<bool, StoreError>;
}
