//! The repository traits of jobs.

use api_conventions::ids::{JobId, PipelineId, ProjectId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, Stretch};
use storage::{Locked, StoreError};

use crate::model::{CiStatus, CommitStatusFilter, Job, JobChange, JobFilter, NewJob};

/// What a transaction of either kind can tell about jobs.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. What does not exist is `None`, not an error.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait JobQueries {
    /// The job of a project with this id.
    fn find_job(&mut self, project: ProjectId, id: JobId) -> Result<Option<Job>, StoreError>;

    /// The job of a pipeline with this name that was not retried.
    fn find_current_job(
        &mut self,
        pipeline: PipelineId,
        name: &str,
    ) -> Result<Option<Job>, StoreError>;

    /// One page of the jobs that match, the newest first. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// # Errors
    /// An adapter may limit the jobs of a pipeline that it examines, to no fewer than 100,000:
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork).
    fn list_jobs(&mut self, filter: &JobFilter, page: OffsetPage) -> Result<Page<Job>, StoreError>;

    /// The next jobs that match in the order of their ids, beyond the one with the id `beyond` in the direction of the page.
    ///
    /// # Errors
    /// As [`Self::list_jobs`].
    fn walk_jobs(
        &mut self,
        filter: &JobFilter,
        beyond: Option<JobId>,
        page: KeysetPage,
    ) -> Result<Stretch<Job>, StoreError>;

    /// One page of the statuses of a commit that match, in the order of their ids. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// # Errors
    /// An adapter may limit the statuses of the commit that it examines, to no fewer than 100,000:
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork).
    fn list_commit_statuses(
        &mut self,
        filter: &CommitStatusFilter,
        page: OffsetPage,
    ) -> Result<Page<Job>, StoreError>;

    /// The statuses that jobs of a pipeline have, each once, of those that were not retried. The order does not matter.
    fn list_statuses_of(&mut self, pipeline: PipelineId) -> Result<Vec<CiStatus>, StoreError>;
}

/// What a write transaction can change about jobs. `at` is what
/// [`lock_reports`](super::PipelineRepository::lock_reports) gave for the project.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(keeps(insert_job, update_job))]
pub trait JobRepository: JobQueries {
    /// Inserts a job of the project that is locked. The job of its pipeline that has its name was retried from then on.
    fn insert_job(&mut self, at: &Locked<ProjectId>, new: &NewJob) -> Result<Job, StoreError>;

    /// Changes a job; whether it was there.
    fn update_job(
        &mut self,
        at: &Locked<ProjectId>,
        id: JobId,
        change: &JobChange,
    ) -> Result<bool, StoreError>;
}
