//! Deployments.

use ::pipelines::model::{
    Deployment, DeploymentChange, DeploymentFilter, DeploymentOrder, DeploymentStatus,
    NewDeployment,
};
use ::pipelines::store::{DeploymentQueries, DeploymentRepository};
use api_conventions::ids::{DeploymentId, DeploymentIid, EnvironmentId, ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};
use storage::{Locked, StoreError};
use storage_diesel_macros::for_each_database;

use super::plan::{EXAMINED, Order, Plan, QueryCondition};
use crate::bulk::ComposedQuery;
use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    deployments: DeploymentRow, NewDeploymentRow, ChangedDeploymentRow;
    fixed {
        project_id: BigInt,
        iid: BigInt,
        environment_id: BigInt,
        user_id: Nullable<BigInt>,
        sha: Text,
        reference: Text,
        tag: Bool,
        created_at: BigInt,
    }
    changing {
        status: SmallInt,
        updated_at: BigInt,
        finished_at: Nullable<BigInt>,
    }
}

impl DomainRow for DeploymentRow {
    type Value = Deployment;

    fn read(self) -> Result<Deployment, StoreError> {
        let row = self.reader();
        let status = DeploymentStatus::from_number(self.status);
        Ok(Deployment {
            id: DeploymentId::new(self.id),
            iid: DeploymentIid::new(self.iid),
            project_id: ProjectId::new(self.project_id),
            environment_id: EnvironmentId::new(self.environment_id),
            user_id: self.user_id.map(UserId::new),
            sha: self.sha,
            reference: self.reference,
            tag: self.tag,
            status: row.require(status, "unknown status")?,
            created_at: row.timestamp(self.created_at)?,
            updated_at: row.timestamp(self.updated_at)?,
            finished_at: row.optional_timestamp(self.finished_at)?,
        })
    }
}

impl<'v> NewDeploymentRow<'v> {
    fn of(new: &'v NewDeployment, iid: i64) -> Self {
        Self {
            project_id: new.project_id.get(),
            iid,
            environment_id: new.environment_id.get(),
            user_id: new.user_id.map(UserId::get),
            sha: new.sha.as_str().into(),
            reference: new.reference.as_str().into(),
            tag: new.tag,
            created_at: new.created_at.as_micros(),
            changing: DeploymentChange {
                status: new.status,
                finished_at: new.finished_at,
                updated_at: new.created_at,
            }
            .into(),
        }
    }
}

impl From<DeploymentChange> for ChangedDeploymentRow<'_> {
    fn from(change: DeploymentChange) -> Self {
        Self {
            status: change.status.number(),
            updated_at: change.updated_at.as_micros(),
            finished_at: change.finished_at.map(Timestamp::as_micros),
        }
    }
}

/// Maximum number of deployments that changed in a range of time and are listed in another order.
const UNPAIRED: i64 = 10_000;
/// Sort key for the finish time.
/// Unfinished deployments come first.
const FINISHED: &str = "COALESCE(finished_at, -9223372036854775807)";

fn plan(filter: &DeploymentFilter) -> Plan {
    let project = QueryCondition::equal("project_id", filter.project_id.get());
    let environment = |id: EnvironmentId| QueryCondition::equal("environment_id", id.get());
    let environment = filter.environment_id.map(environment);
    let status = |status: DeploymentStatus| QueryCondition::equal("status", status.number().into());
    let status = filter.status.map(status);
    let updated: Vec<QueryCondition> =
        QueryCondition::range("updated_at", filter.updated).collect();
    let finished: Vec<QueryCondition> =
        QueryCondition::range("finished_at", filter.finished).collect();
    let ends = filter.order_by == DeploymentOrder::FinishedAt || !finished.is_empty();
    let (mut found_by, mut filtered_by) = (vec![project], Vec::new());
    let mut max_found = EXAMINED;
    // Determines whether the index that finds the rows by these conditions also has the order.
    let is_in_order = if !updated.is_empty() {
        found_by.extend(updated);
        filtered_by.extend(environment.into_iter().chain(status).chain(finished));
        let is_paired = filter.order_by == DeploymentOrder::UpdatedAt;
        max_found = if is_paired { EXAMINED } else { UNPAIRED };
        is_paired
    } else if ends && status.is_some() {
        found_by.extend(status.into_iter().chain(finished));
        filtered_by.extend(environment);
        filter.order_by == DeploymentOrder::FinishedAt
    } else {
        let is_all = environment.is_none() && status.is_none() && !ends;
        found_by.extend(environment.into_iter().chain(status));
        filtered_by.extend(finished);
        is_all || (order(filter, true) == Order::Id && !ends)
    };
    Plan {
        table: "deployments",
        max_found: (!is_in_order || !filtered_by.is_empty()).then_some(max_found),
        found_by,
        filtered_by,
        order: order(filter, is_in_order),
        sort: filter.sort,
        is_in_order,
    }
}

/// Returns the order of a list: by the columns of an index, or by sums that no index has.
fn order(filter: &DeploymentFilter, is_in_order: bool) -> Order {
    match filter.order_by {
        DeploymentOrder::Id | DeploymentOrder::Iid | DeploymentOrder::CreatedAt => Order::Id,
        DeploymentOrder::UpdatedAt if is_in_order => Order::HighestFirst("updated_at"),
        DeploymentOrder::UpdatedAt => Order::HighestFirst("updated_at + 0"),
        DeploymentOrder::FinishedAt if is_in_order => Order::Column("finished_at"),
        DeploymentOrder::FinishedAt => Order::Column(FINISHED),
        DeploymentOrder::Ref if is_in_order => Order::Column("reference"),
        DeploymentOrder::Ref => Order::Column("reference || ''"),
    }
}

/// Reserves the next number of a project.
fn next_iid(project: ProjectId) -> ComposedQuery<BigInt> {
    ComposedQuery::new(format!(
        "INSERT INTO ci_counters (project_id, last_deployment, last_pipeline) VALUES ({project}, 1, 0) \
         ON CONFLICT (project_id) DO UPDATE SET last_deployment = ci_counters.last_deployment + 1 RETURNING last_deployment"
    ))
}

/// Selects the id of the latest deployment to each of these environments, of which there is at least one: one place of the
/// index for each.
fn last_ids(environments: &[EnvironmentId]) -> ComposedQuery<Nullable<BigInt>> {
    let ids: Vec<String> = environments.iter().map(EnvironmentId::to_string).collect();
    ComposedQuery::new(format!(
        "SELECT (SELECT d.id FROM deployments AS d WHERE d.project_id = e.project_id AND d.environment_id = e.id \
         ORDER BY d.id DESC LIMIT 1) FROM environments AS e WHERE e.id IN ({})",
        ids.join(", ")
    ))
}

const LIST: &str = "list deployments";
const INSERT: &str = "insert deployment";

#[for_each_database]
mod database {
    impl ::pipelines::store::DeploymentQueriesWrapper for WriteTx<'_> {}

    impl DeploymentQueries for ReadTx<'_> {
        fn find_deployment(
            &mut self,
            project: ProjectId,
            id: DeploymentId,
        ) -> Result<Option<Deployment>, StoreError> {
            let of_project = deployments::project_id.eq(project.get());
            let found = deployments::table.find(id.get()).filter(of_project);
            self.find::<DeploymentRow>("find deployment", found)
        }

        fn list_last_deployments(
            &mut self,
            environments: &[EnvironmentId],
        ) -> Result<Vec<Deployment>, StoreError> {
            if environments.is_empty() {
                return Ok(Vec::new());
            }
            let ids: Vec<Option<i64>> = self.values(LIST, last_ids(environments))?;
            let ids: Vec<i64> = ids.into_iter().flatten().collect();
            let rows = deployments::table.filter(deployments::id.eq_any(ids));
            self.list::<DeploymentRow>(LIST, rows)
        }

        fn list_deployments(
            &mut self,
            filter: &DeploymentFilter,
            page: OffsetPage,
        ) -> Result<Page<Deployment>, StoreError> {
            let (window, ids) = self.ids_of_page(LIST, &plan(filter), page)?;
            if ids.is_empty() {
                return Ok(window.page(Vec::new()));
            }
            let rows = deployments::table.filter(deployments::id.eq_any(ids.clone()));
            Ok(window.page(self.list_in_order::<DeploymentRow>(LIST, &ids, rows)?))
        }
    }

    impl DeploymentRepository for WriteTx<'_> {
        fn insert_deployment(
            &mut self,
            at: &Locked<ProjectId>,
            new: &NewDeployment,
        ) -> Result<Deployment, StoreError> {
            let iid: i64 = self.value(INSERT, next_iid(**at))?;
            let insert = diesel::insert_into(deployments::table)
                .values(NewDeploymentRow::of(new, iid))
                .returning(deployments::id);
            let id: i64 = self.value(INSERT, insert)?;
            Ok(new.stored(DeploymentId::new(id), DeploymentIid::new(iid)))
        }

        fn update_deployment(
            &mut self,
            at: &Locked<ProjectId>,
            id: DeploymentId,
            change: DeploymentChange,
        ) -> Result<bool, StoreError> {
            let of_project = deployments::project_id.eq(at.get());
            let found = deployments::table.find(id.get()).filter(of_project);
            let update = diesel::update(found).set(ChangedDeploymentRow::from(change));
            self.changes("update deployment", update)
        }

        fn delete_deployment(
            &mut self,
            at: &Locked<ProjectId>,
            id: DeploymentId,
        ) -> Result<bool, StoreError> {
            let of_project = deployments::project_id.eq(at.get());
            let found = deployments::table.find(id.get()).filter(of_project);
            self.changes("delete deployment", diesel::delete(found))
        }
    }
}
