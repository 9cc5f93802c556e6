//! The repository traits of deployments.

use api_conventions::ids::{DeploymentId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use storage::{Locked, StoreError};

use crate::model::{Deployment, DeploymentChange, DeploymentFilter, NewDeployment};

/// What a transaction of either kind can tell about deployments.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. What does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait DeploymentQueries {
    /// The deployment of a project with this id.
    fn find_deployment(
        &mut self,
        project: ProjectId,
        id: DeploymentId,
    ) -> Result<Option<Deployment>, StoreError>;

    /// One page of the deployments that match, in the order of the filter. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// # Errors
    /// An adapter may limit the deployments that it examines where no index gives what is wanted, to no fewer than 100,000, and to no
    /// fewer than 10,000 where those that changed in a range of time are listed in another order than that of the change:
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork).
    fn list_deployments(
        &mut self,
        filter: &DeploymentFilter,
        page: OffsetPage,
    ) -> Result<Page<Deployment>, StoreError>;
}

/// What a write transaction can change about deployments. `at` is what
/// [`lock_reports`](super::PipelineRepository::lock_reports) gave for the project.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(keeps(insert_deployment, update_deployment, delete_deployment))]
pub trait DeploymentRepository: DeploymentQueries {
    /// Inserts a deployment of the project that is locked. Its number follows the last one of the project.
    fn insert_deployment(
        &mut self,
        at: &Locked<ProjectId>,
        new: &NewDeployment,
    ) -> Result<Deployment, StoreError>;

    /// Changes a deployment; whether it was there.
    fn update_deployment(
        &mut self,
        at: &Locked<ProjectId>,
        id: DeploymentId,
        change: DeploymentChange,
    ) -> Result<bool, StoreError>;

    /// Deletes a deployment; whether it was there.
    fn delete_deployment(
        &mut self,
        at: &Locked<ProjectId>,
        id: DeploymentId,
    ) -> Result<bool, StoreError>;
}
