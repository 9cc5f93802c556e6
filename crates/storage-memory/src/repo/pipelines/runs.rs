//! Pipelines.

use std::ops::Deref;

use api_conventions::ids::{PipelineId, PipelineIid, ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page};
use pipelines::model::{
    NewPipeline, Pipeline, PipelineChange, PipelineFilter, PipelineOrder, Variable,
};
use pipelines::store::{PipelineQueries, PipelineRepository};
use storage::{Locked, StoreError};

use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};

/// Whether a condition on one value holds.
pub(super) fn is<T: PartialEq + ?Sized>(wanted: Option<&T>, value: &T) -> bool {
    wanted.is_none_or(|wanted| wanted == value)
}

fn matches(one: &Pipeline, filter: &PipelineFilter) -> bool {
    let sha = filter.sha.as_deref();
    one.project_id == filter.project_id
        && filter.scope.is_none_or(|scope| scope.holds(one))
        && is(filter.status.as_ref(), &one.status)
        && is(filter.source.as_ref(), &one.source)
        && is(filter.reference.as_ref(), &one.reference)
        && (sha.is_none() || one.sha.as_deref() == sha)
        && (filter.user_id.is_none() || one.user_id == filter.user_id)
        && (filter.updated.is_everything() || filter.updated.holds(one.updated_at))
        && filter.created.holds(one.created_at)
}

impl<S: Deref<Target = State>> PipelineQueries for MemoryTx<S> {
    fn find_pipeline(
        &mut self,
        project: ProjectId,
        id: PipelineId,
    ) -> Result<Option<Pipeline>, StoreError> {
        let found = self.0.pipelines.pipelines.get(id);
        Ok(found.filter(|one| one.project_id == project).cloned())
    }

    fn find_latest_pipeline(
        &mut self,
        project: ProjectId,
        sha: &str,
        reference: Option<&str>,
    ) -> Result<Option<Pipeline>, StoreError> {
        let is_of = |one: &&Pipeline| {
            one.project_id == project
                && one.sha.as_deref() == Some(sha)
                && is(reference, &one.reference)
        };
        let pipelines = self.0.pipelines.pipelines.rows();
        Ok(pipelines.filter(is_of).last().cloned())
    }

    fn list_pipelines_by_id(&mut self, ids: &[PipelineId]) -> Result<Vec<Pipeline>, StoreError> {
        let rows = self.0.pipelines.pipelines.rows();
        Ok(rows.filter(|one| ids.contains(&one.id)).cloned().collect())
    }

    fn list_pipelines(
        &mut self,
        filter: &PipelineFilter,
        page: OffsetPage,
    ) -> Result<Page<Pipeline>, StoreError> {
        let (table, sort) = (&self.0.pipelines.pipelines, filter.sort);
        let is_listed = |one: &Pipeline| matches(one, filter);
        Ok(match filter.order_by {
            PipelineOrder::Id => table.page(is_listed, |_| (), sort, page),
            PipelineOrder::Status => table.page(is_listed, |one| one.status, sort, page),
            PipelineOrder::Ref => table.page(is_listed, |one| one.reference.clone(), sort, page),
            PipelineOrder::UpdatedAt => table.page(is_listed, |one| one.updated_at, sort, page),
            PipelineOrder::UserId => {
                let key = |one: &Pipeline| one.user_id.map_or(0, UserId::get);
                table.page(is_listed, key, sort, page)
            }
        })
    }

    fn list_pipeline_variables(
        &mut self,
        pipeline: PipelineId,
    ) -> Result<Vec<Variable>, StoreError> {
        let variables = self.0.pipelines.variables.get(&pipeline);
        Ok(variables.cloned().unwrap_or_default())
    }
}

impl PipelineRepository for MemoryWriteTx<'_> {
    /// There is one write transaction at a time, so nothing has to be locked.
    fn lock_reports(&mut self, project: ProjectId) -> Result<Locked<ProjectId>, StoreError> {
        Ok(Locked::by_adapter(project))
    }

    fn insert_pipeline(
        &mut self,
        at: &Locked<ProjectId>,
        new: &NewPipeline,
    ) -> Result<Pipeline, StoreError> {
        let tables = &mut self.0.pipelines;
        let last = tables.last_iids.entry(**at).or_default();
        last.pipeline += 1;
        let iid = PipelineIid::new(last.pipeline);
        let pipeline = tables.pipelines.insert_copy(|id| new.stored(id, iid));
        tables.variables.insert(pipeline.id, new.variables.clone());
        Ok(pipeline)
    }

    fn update_pipeline(
        &mut self,
        at: &Locked<ProjectId>,
        id: PipelineId,
        change: &PipelineChange,
    ) -> Result<bool, StoreError> {
        let found = self.0.pipelines.pipelines.get_mut(id);
        let found = found.filter(|one| one.project_id == **at);
        Ok(found.map(|one| change.apply(one)).is_some())
    }

    fn delete_reports_of(&mut self, project: ProjectId, limit: usize) -> Result<usize, StoreError> {
        Ok(self.0.pipelines.delete_of(project, limit))
    }
}
