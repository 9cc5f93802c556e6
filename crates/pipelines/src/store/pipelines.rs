//! The repository traits of pipelines.

use api_conventions::ids::{PipelineId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use storage::{Locked, StoreError};

use crate::model::{NewPipeline, Pipeline, PipelineChange, PipelineFilter, Variable};

/// What a transaction of either kind can tell about pipelines.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. What does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait PipelineQueries {
    /// The pipeline of a project with this id.
    fn find_pipeline(
        &mut self,
        project: ProjectId,
        id: PipelineId,
    ) -> Result<Option<Pipeline>, StoreError>;

    /// The newest pipeline of a commit, on this branch or tag where one is named.
    fn find_latest_pipeline(
        &mut self,
        project: ProjectId,
        sha: &str,
        reference: Option<&str>,
    ) -> Result<Option<Pipeline>, StoreError>;

    /// The pipelines with these ids, of whichever projects. Unknown ids are left out; the order does not matter.
    fn list_pipelines_by_id(&mut self, ids: &[PipelineId]) -> Result<Vec<Pipeline>, StoreError>;

    /// One page of the pipelines that match, in the order of the filter. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// # Errors
    /// An adapter may limit the pipelines that it examines where no index gives what is wanted, to no fewer than 100,000:
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork).
    fn list_pipelines(
        &mut self,
        filter: &PipelineFilter,
        page: OffsetPage,
    ) -> Result<Page<Pipeline>, StoreError>;

    /// What a pipeline was given, in the order in which it was.
    fn list_pipeline_variables(
        &mut self,
        pipeline: PipelineId,
    ) -> Result<Vec<Variable>, StoreError>;
}

/// What a write transaction can change about pipelines.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(keeps(lock_reports, insert_pipeline, update_pipeline, delete_reports_of))]
pub trait PipelineRepository: PipelineQueries {
    /// Keeps other transactions from changing environments, deployments, pipelines and jobs of a project until this one ends. The
    /// project must exist.
    fn lock_reports(&mut self, project: ProjectId) -> Result<Locked<ProjectId>, StoreError>;

    /// Inserts a pipeline of the project that is locked, with its variables. Its number follows the last one of the project.
    fn insert_pipeline(
        &mut self,
        at: &Locked<ProjectId>,
        new: &NewPipeline,
    ) -> Result<Pipeline, StoreError>;

    /// Changes a pipeline of the project that is locked; whether it was there.
    fn update_pipeline(
        &mut self,
        at: &Locked<ProjectId>,
        id: PipelineId,
        change: &PipelineChange,
    ) -> Result<bool, StoreError>;

    /// Deletes at most `limit` rows of a project that goes: jobs, variables, pipelines, deployments, environments, and at last what
    /// their numbers are counted by. Gives how many went; 0 when nothing was left.
    fn delete_reports_of(&mut self, project: ProjectId, limit: usize) -> Result<usize, StoreError>;
}
