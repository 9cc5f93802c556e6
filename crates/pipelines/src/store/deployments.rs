//! Repository traits of deployments.

use api_conventions::ids::{DeploymentId, EnvironmentId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use storage::{Locked, StoreError};

use crate::model::{Deployment, DeploymentChange, DeploymentFilter, NewDeployment};

/// Queries for deployments, in a transaction of either kind.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait DeploymentQueries {
    /// Returns the deployment of a project with this id.
    fn find_deployment(
        &mut self,
        project: ProjectId,
        id: DeploymentId,
    ) -> Result<Option<Deployment>, StoreError>;

    /// Lists the latest deployment to each of these environments, of any status. Environments without one are left out;
    /// the order does not matter. The cost does not depend on the number of deployments.
    fn list_last_deployments(
        &mut self,
        environments: &[EnvironmentId],
    ) -> Result<Vec<Deployment>, StoreError>;

    /// Lists one page of the deployments that match, in the order of the filter. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// # Errors
    /// An adapter may limit the deployments that it examines for a query without a matching index: to at least 100,000,
    /// or at least 10,000 if the list is filtered by update time but sorted by another column. Beyond the limit it
    /// fails with [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork).
    fn list_deployments(
        &mut self,
        filter: &DeploymentFilter,
        page: OffsetPage,
    ) -> Result<Page<Deployment>, StoreError>;
}

/// Writes to deployments. `at` is the lock that [`lock_reports`](super::PipelineRepository::lock_reports) returned for
/// the project.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(keeps(insert_deployment, update_deployment, delete_deployment))]
pub trait DeploymentRepository: DeploymentQueries {
    /// Inserts a deployment of the locked project. Its number follows the project's last one.
    fn insert_deployment(
        &mut self,
        at: &Locked<ProjectId>,
        new: &NewDeployment,
    ) -> Result<Deployment, StoreError>;

    /// Updates a deployment. Returns `false` if it does not exist.
    fn update_deployment(
        &mut self,
        at: &Locked<ProjectId>,
        id: DeploymentId,
        change: DeploymentChange,
    ) -> Result<bool, StoreError>;

    /// Deletes a deployment. Returns `false` if it does not exist.
    fn delete_deployment(
        &mut self,
        at: &Locked<ProjectId>,
        id: DeploymentId,
    ) -> Result<bool, StoreError>;
}
