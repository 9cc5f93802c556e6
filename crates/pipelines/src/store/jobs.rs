//! Repository traits of jobs.

use api_conventions::ids::{JobId, PipelineId, ProjectId};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page};
use storage::{Locked, StoreError};

use crate::model::{CiStatus, CommitStatusFilter, Job, JobChange, JobFilter, NewJob};

/// Queries for jobs, in a transaction of either kind.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait JobQueries {
    /// Returns the job of a project with this id.
    fn find_job(&mut self, project: ProjectId, id: JobId) -> Result<Option<Job>, StoreError>;

    /// Returns the job of a pipeline with this name that was not retried.
    fn find_current_job(
        &mut self,
        pipeline: PipelineId,
        name: &str,
    ) -> Result<Option<Job>, StoreError>;

    /// Lists one page of the jobs that match, newest first. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// # Errors
    /// An adapter may limit the jobs of a pipeline that it examines, to at least 100,000. Beyond the limit it fails
    /// with [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork).
    fn list_jobs(&mut self, filter: &JobFilter, page: OffsetPage) -> Result<Page<Job>, StoreError>;

    /// Lists one keyset page of the jobs that match, in id order: those beyond the id `beyond` in the direction of the
    /// page.
    ///
    /// # Errors
    /// The same as those of [`Self::list_jobs`].
    fn list_jobs_after(
        &mut self,
        filter: &JobFilter,
        beyond: Option<JobId>,
        page: KeysetPage,
    ) -> Result<KeysetSlice<Job>, StoreError>;

    /// Lists one page of a commit's statuses that match, in id order. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// # Errors
    /// An adapter may limit the statuses of the commit that it examines, to at least 100,000. Beyond the limit it fails
    /// with [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork).
    fn list_commit_statuses(
        &mut self,
        filter: &CommitStatusFilter,
        page: OffsetPage,
    ) -> Result<Page<Job>, StoreError>;

    /// Lists the distinct statuses of a pipeline's jobs that were not retried. The order does not matter.
    fn list_statuses_of(&mut self, pipeline: PipelineId) -> Result<Vec<CiStatus>, StoreError>;
}

/// Writes to jobs. `at` is the lock that [`lock_reports`](super::PipelineRepository::lock_reports) returned for the
/// project.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(keeps(insert_job, update_job))]
pub trait JobRepository: JobQueries {
    /// Inserts a job of the locked project, and marks the pipeline's current job of the same name as retried.
    fn insert_job(&mut self, at: &Locked<ProjectId>, new: &NewJob) -> Result<Job, StoreError>;

    /// Updates a job. Returns `false` if it does not exist.
    fn update_job(
        &mut self,
        at: &Locked<ProjectId>,
        id: JobId,
        change: &JobChange,
    ) -> Result<bool, StoreError>;
}
