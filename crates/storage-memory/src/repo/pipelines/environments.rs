//! Environments.

use std::ops::Deref;

use api_conventions::ids::{EnvironmentId, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use pipelines::model::{
    Environment, EnvironmentChange, EnvironmentFilter, EnvironmentName, NewEnvironment,
};
use pipelines::store::{
    EnvironmentQueries, EnvironmentRepository, InsertEnvironment, UpdateEnvironment,
};
use storage::{Locked, StoreError};

use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::any_holds;

fn matches(environment: &Environment, filter: &EnvironmentFilter) -> bool {
    let is_named = |wanted: &EnvironmentName| match wanted {
        EnvironmentName::Is(name) => environment.name == *name,
        EnvironmentName::Holds(text) => any_holds(&[&environment.name], text),
    };
    environment.project_id == filter.project_id
        && filter.name.as_ref().is_none_or(is_named)
        && filter.state.is_none_or(|state| environment.state == state)
}

impl<S: Deref<Target = State>> EnvironmentQueries for MemoryTx<S> {
    fn find_environment(
        &mut self,
        project: ProjectId,
        id: EnvironmentId,
    ) -> Result<Option<Environment>, StoreError> {
        let found = self.0.pipelines.environments.get(id);
        Ok(found.filter(|one| one.project_id == project).cloned())
    }

    fn find_environment_by_name(
        &mut self,
        project: ProjectId,
        name: &str,
    ) -> Result<Option<Environment>, StoreError> {
        let is_it = |one: &Environment| one.project_id == project && one.name == name;
        Ok(self.0.pipelines.environments.find(is_it).cloned())
    }

    fn list_environments_by_id(
        &mut self,
        ids: &[EnvironmentId],
    ) -> Result<Vec<Environment>, StoreError> {
        let rows = self.0.pipelines.environments.rows();
        Ok(rows.filter(|one| ids.contains(&one.id)).cloned().collect())
    }

    fn list_environments(
        &mut self,
        filter: &EnvironmentFilter,
        page: OffsetPage,
    ) -> Result<Page<Environment>, StoreError> {
        let rows = &self.0.pipelines.environments;
        let is_listed = |one: &Environment| matches(one, filter);
        Ok(rows.page(is_listed, |_| (), SortOrder::Ascending, page))
    }
}

impl EnvironmentRepository for MemoryWriteTx<'_> {
    fn insert_environment(
        &mut self,
        at: &Locked<ProjectId>,
        new: &NewEnvironment,
    ) -> Result<InsertEnvironment, StoreError> {
        let rows = &mut self.0.pipelines.environments;
        let of_project = |one: &Environment| one.project_id == **at;
        if rows.has(|one| of_project(one) && one.name == new.name) {
            return Ok(InsertEnvironment::NameTaken);
        }
        if rows.has(|one| of_project(one) && one.slug == new.slug) {
            return Ok(InsertEnvironment::SlugTaken);
        }
        Ok(InsertEnvironment::Inserted(
            rows.insert_copy(|id| new.stored(id)),
        ))
    }

    fn update_environment(
        &mut self,
        at: &Locked<ProjectId>,
        id: EnvironmentId,
        change: &EnvironmentChange,
    ) -> Result<UpdateEnvironment, StoreError> {
        let rows = &mut self.0.pipelines.environments;
        let has_name =
            |one: &Environment| one.project_id == **at && one.id != id && one.name == change.name;
        let is_taken = rows.has(has_name);
        let found = rows.get_mut(id).filter(|one| one.project_id == **at);
        Ok(match found {
            None => UpdateEnvironment::NotFound,
            Some(_) if is_taken => UpdateEnvironment::NameTaken,
            Some(found) => {
                change.apply(found);
                UpdateEnvironment::Updated
            }
        })
    }

    fn delete_environment(
        &mut self,
        at: &Locked<ProjectId>,
        id: EnvironmentId,
    ) -> Result<bool, StoreError> {
        if self.find_environment(**at, id)?.is_none() {
            return Ok(false);
        }
        let tables = &mut self.0.pipelines;
        let went_there = |one: &pipelines::model::Deployment| one.environment_id == id;
        tables.deployments.remove_where(usize::MAX, went_there);
        Ok(tables.environments.remove(id))
    }
}
