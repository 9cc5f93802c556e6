//! Deployments.

use std::cmp::Reverse;
use std::ops::Deref;

use api_conventions::ids::{DeploymentId, DeploymentIid, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use pipelines::model::{
    Deployment, DeploymentChange, DeploymentFilter, DeploymentOrder, NewDeployment,
};
use pipelines::store::{DeploymentQueries, DeploymentRepository};
use storage::{Locked, StoreError};

use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::page_of;

fn matches(one: &Deployment, filter: &DeploymentFilter) -> bool {
    let finished = filter.finished;
    one.project_id == filter.project_id
        && filter
            .environment_id
            .is_none_or(|id| one.environment_id == id)
        && filter.status.is_none_or(|status| one.status == status)
        && (filter.updated.is_everything() || filter.updated.holds(one.updated_at))
        && (finished.is_everything() || one.finished_at.is_some_and(|time| finished.holds(time)))
}

impl<S: Deref<Target = State>> DeploymentQueries for MemoryTx<S> {
    fn find_deployment(
        &mut self,
        project: ProjectId,
        id: DeploymentId,
    ) -> Result<Option<Deployment>, StoreError> {
        let found = self.0.pipelines.deployments.get(id);
        Ok(found.filter(|one| one.project_id == project).cloned())
    }

    fn list_deployments(
        &mut self,
        filter: &DeploymentFilter,
        page: OffsetPage,
    ) -> Result<Page<Deployment>, StoreError> {
        let rows = &self.0.pipelines.deployments;
        let is_listed = |one: &Deployment| matches(one, filter);
        let (sort, table) = (filter.sort, rows);
        Ok(match filter.order_by {
            DeploymentOrder::Id | DeploymentOrder::Iid | DeploymentOrder::CreatedAt => {
                table.page(is_listed, |_| (), sort, page)
            }
            DeploymentOrder::FinishedAt => table.page(is_listed, |one| one.finished_at, sort, page),
            DeploymentOrder::Ref => table.page(is_listed, |one| one.reference.clone(), sort, page),
            DeploymentOrder::UpdatedAt => {
                // The highest id is first among equals, whatever the direction is.
                let mut all = table.list(is_listed, |_| (), SortOrder::Descending);
                match sort {
                    SortOrder::Ascending => all.sort_by_key(|one| one.updated_at),
                    SortOrder::Descending => all.sort_by_key(|one| Reverse(one.updated_at)),
                }
                page_of(all, page)
            }
        })
    }
}

impl DeploymentRepository for MemoryWriteTx<'_> {
    fn insert_deployment(
        &mut self,
        at: &Locked<ProjectId>,
        new: &NewDeployment,
    ) -> Result<Deployment, StoreError> {
        let tables = &mut self.0.pipelines;
        let last = tables.last_iids.entry(**at).or_default();
        last.deployment += 1;
        let iid = DeploymentIid::new(last.deployment);
        Ok(tables.deployments.insert_copy(|id| new.stored(id, iid)))
    }

    fn update_deployment(
        &mut self,
        at: &Locked<ProjectId>,
        id: DeploymentId,
        change: DeploymentChange,
    ) -> Result<bool, StoreError> {
        let found = self.0.pipelines.deployments.get_mut(id);
        let found = found.filter(|one| one.project_id == **at);
        Ok(found.map(|one| change.apply(one)).is_some())
    }

    fn delete_deployment(
        &mut self,
        at: &Locked<ProjectId>,
        id: DeploymentId,
    ) -> Result<bool, StoreError> {
        let is_there = self.find_deployment(**at, id)?.is_some();
        Ok(is_there && self.0.pipelines.deployments.remove(id))
    }
}
