//! Jobs.

use std::collections::BTreeSet;
use std::ops::Deref;

use api_conventions::ids::{JobId, PipelineId, ProjectId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, SortOrder, Stretch};
use pipelines::model::{CiStatus, CommitStatusFilter, Job, JobChange, JobFilter, NewJob};
use pipelines::store::{JobQueries, JobRepository};
use storage::{Locked, StoreError};

use super::runs::is;
use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};

fn matches(job: &Job, filter: &JobFilter) -> bool {
    let statuses = filter.statuses.as_ref();
    job.project_id == filter.project_id
        && is(filter.pipeline_id.as_ref(), &job.pipeline_id)
        && statuses.is_none_or(|statuses| statuses.contains(&job.status))
        && (filter.with_retried || !job.retried)
}

fn is_status(job: &Job, filter: &CommitStatusFilter) -> bool {
    job.project_id == filter.project_id
        && job.sha == filter.sha
        && is(filter.reference.as_ref(), &job.reference)
        && is(filter.stage.as_ref(), &job.stage)
        && is(filter.name.as_ref(), &job.name)
        && is(filter.pipeline_id.as_ref(), &job.pipeline_id)
        && (filter.with_retried || !job.retried)
}

impl<S: Deref<Target = State>> JobQueries for MemoryTx<S> {
    fn find_job(&mut self, project: ProjectId, id: JobId) -> Result<Option<Job>, StoreError> {
        let found = self.0.pipelines.jobs.get(id);
        Ok(found.filter(|one| one.project_id == project).cloned())
    }

    fn find_current_job(
        &mut self,
        pipeline: PipelineId,
        name: &str,
    ) -> Result<Option<Job>, StoreError> {
        let is_it = |job: &Job| job.pipeline_id == pipeline && job.name == name && !job.retried;
        Ok(self.0.pipelines.jobs.find(is_it).cloned())
    }

    fn list_jobs(&mut self, filter: &JobFilter, page: OffsetPage) -> Result<Page<Job>, StoreError> {
        let is_listed = |job: &Job| matches(job, filter);
        let jobs = &self.0.pipelines.jobs;
        Ok(jobs.page(is_listed, |_| (), SortOrder::Descending, page))
    }

    fn walk_jobs(
        &mut self,
        filter: &JobFilter,
        beyond: Option<JobId>,
        page: KeysetPage,
    ) -> Result<Stretch<Job>, StoreError> {
        let is_beyond = |job: &Job| {
            beyond.is_none_or(|beyond| match page.sort() {
                SortOrder::Ascending => job.id > beyond,
                SortOrder::Descending => job.id < beyond,
            })
        };
        let jobs = &self.0.pipelines.jobs;
        Ok(jobs.stretch(|job| matches(job, filter) && is_beyond(job), page))
    }

    fn list_commit_statuses(
        &mut self,
        filter: &CommitStatusFilter,
        page: OffsetPage,
    ) -> Result<Page<Job>, StoreError> {
        let is_listed = |job: &Job| is_status(job, filter);
        let jobs = &self.0.pipelines.jobs;
        Ok(jobs.page(is_listed, |_| (), SortOrder::Ascending, page))
    }

    fn list_statuses_of(&mut self, pipeline: PipelineId) -> Result<Vec<CiStatus>, StoreError> {
        let jobs = self.0.pipelines.jobs.rows();
        let current = jobs.filter(|job| job.pipeline_id == pipeline && !job.retried);
        let statuses: BTreeSet<CiStatus> = current.map(|job| job.status).collect();
        Ok(statuses.into_iter().collect())
    }
}

impl JobRepository for MemoryWriteTx<'_> {
    fn insert_job(&mut self, _: &Locked<ProjectId>, new: &NewJob) -> Result<Job, StoreError> {
        let jobs = &mut self.0.pipelines.jobs;
        for job in jobs.rows_mut() {
            job.retried |= job.pipeline_id == new.pipeline_id && job.name == new.name;
        }
        Ok(jobs.insert_copy(|id| new.stored(id)))
    }

    fn update_job(
        &mut self,
        at: &Locked<ProjectId>,
        id: JobId,
        change: &JobChange,
    ) -> Result<bool, StoreError> {
        let found = self.0.pipelines.jobs.get_mut(id);
        let found = found.filter(|job| job.project_id == **at);
        Ok(found.map(|job| change.apply(job)).is_some())
    }
}
