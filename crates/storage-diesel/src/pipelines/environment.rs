//! Environments.

use ::pipelines::model::{
    Environment, EnvironmentChange, EnvironmentFilter, EnvironmentName, EnvironmentState,
    EnvironmentTier, NewEnvironment,
};
use ::pipelines::store::{
    EnvironmentQueries, EnvironmentRepository, InsertEnvironment, UpdateEnvironment,
};
use api_conventions::ids::{EnvironmentId, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use diesel::prelude::*;
use storage::{Locked, StoreError};
use storage_diesel_macros::for_each_database;

use super::deployment::deployments;
use super::plan::{EXAMINED, Order, Plan, QueryCondition};
use crate::entity::entity;
use crate::rows::DomainRow;
use crate::transaction::row_limit;

entity! {
    environments: EnvironmentRow, NewEnvironmentRow, ChangedEnvironmentRow;
    fixed {
        project_id: BigInt,
        slug: Text,
        created_at: BigInt,
    }
    changing {
        name: Text,
        external_url: Nullable<Text>,
        state: SmallInt,
        tier: SmallInt,
        updated_at: BigInt,
    }
}

impl DomainRow for EnvironmentRow {
    type Value = Environment;

    fn read(self) -> Result<Environment, StoreError> {
        let row = self.reader();
        let (state, tier) = (self.state, self.tier);
        Ok(Environment {
            id: EnvironmentId::new(self.id),
            project_id: ProjectId::new(self.project_id),
            name: self.name,
            slug: self.slug,
            external_url: self.external_url,
            state: row.require(EnvironmentState::from_number(state), "unknown state")?,
            tier: row.require(EnvironmentTier::from_number(tier), "unknown tier")?,
            created_at: row.timestamp(self.created_at)?,
            updated_at: row.timestamp(self.updated_at)?,
        })
    }
}

impl<'v> From<&'v NewEnvironment> for NewEnvironmentRow<'v> {
    fn from(new: &'v NewEnvironment) -> Self {
        Self {
            project_id: new.project_id.get(),
            slug: new.slug.as_str().into(),
            created_at: new.created_at.as_micros(),
            changing: ChangedEnvironmentRow {
                name: new.name.as_str().into(),
                external_url: new.external_url.as_deref().map(Into::into),
                state: EnvironmentState::Available.number(),
                tier: new.tier.number(),
                updated_at: new.created_at.as_micros(),
            },
        }
    }
}

impl<'v> From<&'v EnvironmentChange> for ChangedEnvironmentRow<'v> {
    fn from(change: &'v EnvironmentChange) -> Self {
        Self {
            name: change.name.as_str().into(),
            external_url: change.external_url.as_deref().map(Into::into),
            state: change.state.number(),
            tier: change.tier.number(),
            updated_at: change.updated_at.as_micros(),
        }
    }
}

fn plan(filter: &EnvironmentFilter) -> Plan {
    let mut found_by = vec![QueryCondition::equal("project_id", filter.project_id.get())];
    let mut filtered_by = Vec::new();
    let state = |state: EnvironmentState| QueryCondition::equal("state", state.number().into());
    let state = filter.state.map(state);
    match &filter.name {
        None => found_by.extend(state),
        Some(EnvironmentName::Is(name)) => {
            found_by.push(QueryCondition::Text("name", name.clone()));
            filtered_by.extend(state);
        }
        Some(EnvironmentName::Holds(text)) => {
            found_by.extend(state);
            filtered_by.push(QueryCondition::Holds("name", text.clone()));
        }
    }
    Plan {
        table: "environments",
        max_found: (!filtered_by.is_empty()).then_some(EXAMINED),
        found_by,
        filtered_by,
        order: Order::Id,
        sort: SortOrder::Ascending,
        is_in_order: true,
    }
}

const LIST: &str = "list environments";
const INSERT: &str = "insert environment";
const UPDATE: &str = "update environment";
const DELETE: &str = "delete environment";

#[for_each_database]
mod database {
    impl ::pipelines::store::EnvironmentQueriesWrapper for WriteTx<'_> {}

    impl EnvironmentQueries for ReadTx<'_> {
        fn find_environment(
            &mut self,
            project: ProjectId,
            id: EnvironmentId,
        ) -> Result<Option<Environment>, StoreError> {
            let of_project = environments::project_id.eq(project.get());
            let found = environments::table.find(id.get()).filter(of_project);
            self.find::<EnvironmentRow>("find environment", found)
        }

        fn find_environment_by_name(
            &mut self,
            project: ProjectId,
            name: &str,
        ) -> Result<Option<Environment>, StoreError> {
            let found = environments::table
                .filter(environments::project_id.eq(project.get()))
                .filter(environments::name.eq(name));
            self.find::<EnvironmentRow>("find environment by name", found)
        }

        fn list_environments_by_id(
            &mut self,
            ids: &[EnvironmentId],
        ) -> Result<Vec<Environment>, StoreError> {
            let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
            let rows = environments::table.filter(environments::id.eq_any(ids));
            self.list::<EnvironmentRow>(LIST, rows)
        }

        fn list_environments_named(
            &mut self,
            project: ProjectId,
            names: &[String],
        ) -> Result<Vec<Environment>, StoreError> {
            if names.is_empty() {
                return Ok(Vec::new());
            }
            let rows = environments::table
                .filter(environments::project_id.eq(project.get()))
                .filter(environments::name.eq_any(names));
            self.list::<EnvironmentRow>(LIST, rows)
        }

        fn list_environments_by_name(
            &mut self,
            project: ProjectId,
            state: EnvironmentState,
            after: &str,
            limit: usize,
        ) -> Result<Vec<Environment>, StoreError> {
            let rows = environments::table
                .filter(environments::project_id.eq(project.get()))
                .filter(environments::state.eq(state.number()))
                .filter(environments::name.gt(after))
                .order(environments::name)
                .limit(row_limit(limit));
            self.list::<EnvironmentRow>(LIST, rows)
        }

        fn list_environments(
            &mut self,
            filter: &EnvironmentFilter,
            page: OffsetPage,
        ) -> Result<Page<Environment>, StoreError> {
            let (window, ids) = self.ids_of_page(LIST, &plan(filter), page)?;
            if ids.is_empty() {
                return Ok(window.page(Vec::new()));
            }
            let rows = environments::table.filter(environments::id.eq_any(ids.clone()));
            Ok(window.page(self.list_in_order::<EnvironmentRow>(LIST, &ids, rows)?))
        }
    }

    impl EnvironmentRepository for WriteTx<'_> {
        fn insert_environment(
            &mut self,
            at: &Locked<ProjectId>,
            new: &NewEnvironment,
        ) -> Result<InsertEnvironment, StoreError> {
            if self.find_environment_by_name(**at, &new.name)?.is_some() {
                return Ok(InsertEnvironment::NameTaken);
            }
            let with_slug = environments::table
                .filter(environments::project_id.eq(at.get()))
                .filter(environments::slug.eq(&new.slug));
            let is_taken = diesel::select(diesel::dsl::exists(with_slug));
            if self.value(INSERT, is_taken)? {
                return Ok(InsertEnvironment::SlugTaken);
            }
            let insert = diesel::insert_into(environments::table)
                .values(NewEnvironmentRow::from(new))
                .returning(environments::id);
            let id: i64 = self.value(INSERT, insert)?;
            Ok(InsertEnvironment::Inserted(
                new.stored(EnvironmentId::new(id)),
            ))
        }

        fn update_environment(
            &mut self,
            at: &Locked<ProjectId>,
            id: EnvironmentId,
            change: &EnvironmentChange,
        ) -> Result<UpdateEnvironment, StoreError> {
            let named = self.find_environment_by_name(**at, &change.name)?;
            if named.is_some_and(|other| other.id != id) {
                let found = self.find_environment(**at, id)?;
                return Ok(match found {
                    Some(_) => UpdateEnvironment::NameTaken,
                    None => UpdateEnvironment::NotFound,
                });
            }
            let of_project = environments::project_id.eq(at.get());
            let found = environments::table.find(id.get()).filter(of_project);
            let update = diesel::update(found).set(ChangedEnvironmentRow::from(change));
            Ok(if self.changes(UPDATE, update)? {
                UpdateEnvironment::Updated
            } else {
                UpdateEnvironment::NotFound
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
            let went_there = deployments::environment_id.eq(id.get());
            let deployments = deployments::table.filter(went_there);
            self.execute(DELETE, diesel::delete(deployments))?;
            self.changes(DELETE, diesel::delete(environments::table.find(id.get())))
        }
    }
}
