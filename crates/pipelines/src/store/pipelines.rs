//! Repository traits of pipelines.

use api_conventions::ids::{PipelineId, ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page};
use storage::{Locked, StoreError};

use crate::model::{NewPipeline, Pipeline, PipelineChange, PipelineFilter, Variable};

/// Queries for pipelines, in a transaction of either kind.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait PipelineQueries {
    /// Returns the pipeline of a project with this id.
    fn find_pipeline(
        &mut self,
        project: ProjectId,
        id: PipelineId,
    ) -> Result<Option<Pipeline>, StoreError>;

    /// Returns the newest pipeline of a commit, limited to this branch or tag if one is given.
    fn find_latest_pipeline(
        &mut self,
        project: ProjectId,
        sha: &str,
        reference: Option<&str>,
    ) -> Result<Option<Pipeline>, StoreError>;

    /// Lists the pipelines with these ids, of any project. Unknown ids are left out; the order does not matter.
    fn list_pipelines_by_id(&mut self, ids: &[PipelineId]) -> Result<Vec<Pipeline>, StoreError>;

    /// Lists one page of the pipelines that match, in the order of the filter. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// # Errors
    /// An adapter may limit the pipelines that it examines for a query without a matching index, to at least 100,000.
    /// Beyond the limit it fails with [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork).
    fn list_pipelines(
        &mut self,
        filter: &PipelineFilter,
        page: OffsetPage,
    ) -> Result<Page<Pipeline>, StoreError>;

    /// Lists the variables of a pipeline in their given order.
    fn list_pipeline_variables(
        &mut self,
        pipeline: PipelineId,
    ) -> Result<Vec<Variable>, StoreError>;
}

/// Writes to pipelines.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(keeps(
    lock_reports,
    insert_pipeline,
    update_pipeline,
    delete_reports_of,
    release_reports_of
))]
pub trait PipelineRepository: PipelineQueries {
    /// Locks the environments, deployments, pipelines and jobs of a project against changes by other transactions until
    /// this one ends. The project must exist.
    fn lock_reports(&mut self, project: ProjectId) -> Result<Locked<ProjectId>, StoreError>;

    /// Inserts a pipeline of the locked project with its variables. Its number follows the project's last one.
    fn insert_pipeline(
        &mut self,
        at: &Locked<ProjectId>,
        new: &NewPipeline,
    ) -> Result<Pipeline, StoreError>;

    /// Updates a pipeline of the locked project. Returns `false` if it does not exist.
    fn update_pipeline(
        &mut self,
        at: &Locked<ProjectId>,
        id: PipelineId,
        change: &PipelineChange,
    ) -> Result<bool, StoreError>;

    /// Deletes at most `limit` rows of a project that is being deleted: jobs, variables, pipelines, deployments,
    /// environments, and finally the counters of their numbers. Returns how many were deleted; 0 if none were left.
    fn delete_reports_of(&mut self, project: ProjectId, limit: usize) -> Result<usize, StoreError>;

    /// Makes `successor` the user of at most `limit` pipelines, jobs and deployments of a user who is deleted.
    /// Returns the number of rows updated; 0 when none was left.
    fn release_reports_of(
        &mut self,
        user: UserId,
        successor: UserId,
        limit: usize,
    ) -> Result<usize, StoreError>;
}
