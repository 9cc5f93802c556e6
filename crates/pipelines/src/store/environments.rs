//! The repository traits of environments.

use api_conventions::ids::{EnvironmentId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use storage::{Locked, StoreError};

use crate::model::{Environment, EnvironmentChange, EnvironmentFilter, NewEnvironment};

/// What a transaction of either kind can tell about environments.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. What does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait EnvironmentQueries {
    /// The environment of a project with this id.
    fn find_environment(
        &mut self,
        project: ProjectId,
        id: EnvironmentId,
    ) -> Result<Option<Environment>, StoreError>;

    /// The environment of a project with this name.
    fn find_environment_by_name(
        &mut self,
        project: ProjectId,
        name: &str,
    ) -> Result<Option<Environment>, StoreError>;

    /// The environments with these ids, of whichever projects. Unknown ids are left out; the order does not matter.
    fn list_environments_by_id(
        &mut self,
        ids: &[EnvironmentId],
    ) -> Result<Vec<Environment>, StoreError>;

    /// One page of the environments that match, in the order of their ids. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// # Errors
    /// An adapter may limit the environments of the project that a search examines, to no fewer than 100,000:
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork).
    fn list_environments(
        &mut self,
        filter: &EnvironmentFilter,
        page: OffsetPage,
    ) -> Result<Page<Environment>, StoreError>;
}

/// What happened to an environment that was to be inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InsertEnvironment {
    /// It is there.
    Inserted(Environment),
    /// Another environment of the project has the name. Nothing was written.
    NameTaken,
    /// Another environment of the project has the slug. Nothing was written.
    SlugTaken,
}

/// What happened to a change of an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateEnvironment {
    /// It is changed.
    Updated,
    /// The project has no such environment.
    NotFound,
    /// Another environment of the project has the name. Nothing was written.
    NameTaken,
}

/// What a write transaction can change about environments. `at` is what
/// [`lock_reports`](super::PipelineRepository::lock_reports) gave for the project.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(keeps(insert_environment, update_environment, delete_environment))]
pub trait EnvironmentRepository: EnvironmentQueries {
    /// Inserts an environment of the project that is locked, unless its name or its slug is taken.
    fn insert_environment(
        &mut self,
        at: &Locked<ProjectId>,
        new: &NewEnvironment,
    ) -> Result<InsertEnvironment, StoreError>;

    /// Changes an environment.
    fn update_environment(
        &mut self,
        at: &Locked<ProjectId>,
        id: EnvironmentId,
        change: &EnvironmentChange,
    ) -> Result<UpdateEnvironment, StoreError>;

    /// Deletes an environment with its deployments; whether it was there.
    fn delete_environment(
        &mut self,
        at: &Locked<ProjectId>,
        id: EnvironmentId,
    ) -> Result<bool, StoreError>;
}
