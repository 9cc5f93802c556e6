//! Pipelines, their variables, and the lock on the reports of a project.

use ::pipelines::model::{
    CiStatus, NewPipeline, Pipeline, PipelineChange, PipelineFilter, PipelineOrder, PipelineScope,
    PipelineSource, Variable, VariableKind,
};
use ::pipelines::store::{PipelineQueries, PipelineRepository};
use api_conventions::ids::{PipelineId, PipelineIid, ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use storage::{Locked, StoreError};
use storage_diesel_macros::for_each_database;

use super::plan::{EXAMINED, Order, Plan, QueryCondition};
use crate::bulk::ComposedQuery;
use crate::delete_some::{UserReference, delete_some};
use crate::entity::entity;
use crate::rows::{DomainRow, RowReader};
use crate::transaction::Backend;

entity! {
    pipelines: PipelineRow, NewPipelineRow, ChangedPipelineRow;
    fixed {
        project_id: BigInt,
        iid: BigInt,
        reference: Text,
        tag: Bool,
        source: SmallInt,
        user_id: Nullable<BigInt>,
        created_at: BigInt,
    }
    changing {
        sha: Nullable<Text>,
        status: SmallInt,
        updated_at: BigInt,
        started_at: Nullable<BigInt>,
        finished_at: Nullable<BigInt>,
    }
}

diesel::table! {
    pipeline_variables (pipeline_id, position) {
        pipeline_id -> BigInt,
        position -> BigInt,
        key -> Text,
        value -> Text,
        kind -> SmallInt,
    }
}

impl DomainRow for PipelineRow {
    type Value = Pipeline;

    fn read(self) -> Result<Pipeline, StoreError> {
        let row = self.reader();
        let source = PipelineSource::from_number(self.source);
        let status = CiStatus::from_number(self.status);
        Ok(Pipeline {
            id: PipelineId::new(self.id),
            iid: PipelineIid::new(self.iid),
            project_id: ProjectId::new(self.project_id),
            sha: self.sha,
            reference: self.reference,
            tag: self.tag,
            source: row.require(source, "unknown source")?,
            user_id: self.user_id.map(UserId::new),
            status: row.require(status, "unknown status")?,
            created_at: row.timestamp(self.created_at)?,
            updated_at: row.timestamp(self.updated_at)?,
            started_at: row.optional_timestamp(self.started_at)?,
            finished_at: row.optional_timestamp(self.finished_at)?,
        })
    }
}

impl<'v> NewPipelineRow<'v> {
    fn of(new: &'v NewPipeline, iid: i64) -> Self {
        Self {
            project_id: new.project_id.get(),
            iid,
            reference: new.reference.as_str().into(),
            tag: new.tag,
            source: new.source.number(),
            user_id: new.user_id.map(UserId::get),
            created_at: new.created_at.as_micros(),
            changing: ChangedPipelineRow {
                sha: new.sha.as_deref().map(Into::into),
                status: CiStatus::Created.number(),
                updated_at: new.created_at.as_micros(),
                started_at: None,
                finished_at: None,
            },
        }
    }
}

impl<'v> From<&'v PipelineChange> for ChangedPipelineRow<'v> {
    fn from(change: &'v PipelineChange) -> Self {
        Self {
            sha: change.sha.as_deref().map(Into::into),
            status: change.status.number(),
            updated_at: change.updated_at.as_micros(),
            started_at: change.started_at.map(Timestamp::as_micros),
            finished_at: change.finished_at.map(Timestamp::as_micros),
        }
    }
}

/// Returns the statuses that a filter accepts; `None` for all.
fn statuses(filter: &PipelineFilter) -> Option<Vec<i16>> {
    let of_scope = filter.scope.map(PipelineScope::statuses);
    let of_scope = of_scope.filter(|statuses| !statuses.is_empty());
    let numbers = |statuses: &[CiStatus]| statuses.iter().map(|one| one.number()).collect();
    match (of_scope, filter.status) {
        (None, None) => None,
        (None, Some(status)) => Some(vec![status.number()]),
        (Some(statuses), None) => Some(numbers(statuses)),
        (Some(statuses), Some(status)) => {
            let both: Vec<CiStatus> = statuses
                .iter()
                .copied()
                .filter(|one| *one == status)
                .collect();
            Some(numbers(&both))
        }
    }
}

fn plan(filter: &PipelineFilter) -> Plan {
    let text = |column, text: &Option<String>| {
        let text = text.as_ref();
        text.map(|text| QueryCondition::Text(column, text.clone()))
    };
    let sha = text("sha", &filter.sha);
    let reference = text("reference", &filter.reference);
    let user = filter
        .user_id
        .map(|user| QueryCondition::equal("user_id", user.get()));
    let updated: Vec<QueryCondition> =
        QueryCondition::range("updated_at", filter.updated).collect();
    let created: Vec<QueryCondition> =
        QueryCondition::range("created_at", filter.created).collect();
    let statuses = statuses(filter).map(QueryCondition::Statuses);
    // An index finds the pipelines by the first of these that is present, and has the named order.
    let mut ways = [
        (Vec::from_iter(sha), Some(PipelineOrder::Id)),
        (Vec::from_iter(reference), Some(PipelineOrder::Id)),
        (Vec::from_iter(user), Some(PipelineOrder::Id)),
        (updated, Some(PipelineOrder::UpdatedAt)),
        (created, None),
        (Vec::from_iter(statuses), Some(PipelineOrder::Id)),
    ]
    .into_iter()
    .filter(|(conditions, _)| !conditions.is_empty());
    let way = ways.next();
    let mut filtered_by: Vec<QueryCondition> =
        ways.flat_map(|(conditions, _)| conditions).collect();
    let source = filter
        .source
        .map(|source| QueryCondition::equal("source", source.number().into()));
    filtered_by.extend(source);
    filtered_by.extend(match filter.scope {
        Some(PipelineScope::Branches) => Some(QueryCondition::Is("NOT tag")),
        Some(PipelineScope::Tags) => Some(QueryCondition::Is("tag")),
        _ => None,
    });
    let is_in_order = match &way {
        Some((_, order)) => Some(filter.order_by) == *order,
        None => filter.order_by != PipelineOrder::UserId,
    };
    let mut found_by = vec![QueryCondition::equal("project_id", filter.project_id.get())];
    found_by.extend(way.into_iter().flat_map(|(conditions, _)| conditions));
    Plan {
        table: "pipelines",
        max_found: (!is_in_order || !filtered_by.is_empty()).then_some(EXAMINED),
        found_by,
        filtered_by,
        order: order(filter.order_by, is_in_order),
        sort: filter.sort,
        is_in_order,
    }
}

/// Returns the order of a list: by the columns of an index, or by sums that no index has.
fn order(order: PipelineOrder, is_in_order: bool) -> Order {
    match (order, is_in_order) {
        (PipelineOrder::Id, _) => Order::Id,
        (PipelineOrder::Status, true) => Order::Column("status"),
        (PipelineOrder::Status, false) => Order::Column("status + 0"),
        (PipelineOrder::Ref, true) => Order::Column("reference"),
        (PipelineOrder::Ref, false) => Order::Column("reference || ''"),
        (PipelineOrder::UpdatedAt, true) => Order::Column("updated_at"),
        (PipelineOrder::UpdatedAt, false) => Order::Column("updated_at + 0"),
        (PipelineOrder::UserId, _) => Order::Column("COALESCE(user_id, 0)"),
    }
}

/// Reserves the next number of a project.
fn next_iid(project: ProjectId) -> ComposedQuery<BigInt> {
    ComposedQuery::new(format!(
        "INSERT INTO ci_counters (project_id, last_deployment, last_pipeline) VALUES ({project}, 0, 1) \
         ON CONFLICT (project_id) DO UPDATE SET last_pipeline = ci_counters.last_pipeline + 1 RETURNING last_pipeline"
    ))
}

/// Returns the statements that delete the reports of a project, each to be completed with a limit and a parenthesis.
fn rows_of(project: ProjectId) -> Vec<String> {
    let by = |table: &str, key: &str| delete_some(table, key, project);
    vec![
        by("ci_jobs", "id"),
        format!(
            "DELETE FROM pipeline_variables WHERE (pipeline_id, position) IN (SELECT v.pipeline_id, v.position \
             FROM pipelines AS p CROSS JOIN pipeline_variables AS v WHERE p.project_id = {project} AND v.pipeline_id = p.id LIMIT "
        ),
        by("pipelines", "id"),
        by("deployments", "id"),
        by("environments", "id"),
        by("ci_counters", "project_id"),
    ]
}

const LIST: &str = "list pipelines";
const INSERT: &str = "insert pipeline";

#[for_each_database(dialect = crate::pipelines)]
mod database {
    impl ::pipelines::store::PipelineQueriesWrapper for WriteTx<'_> {}

    impl PipelineQueries for ReadTx<'_> {
        fn find_pipeline(
            &mut self,
            project: ProjectId,
            id: PipelineId,
        ) -> Result<Option<Pipeline>, StoreError> {
            let of_project = pipelines::project_id.eq(project.get());
            let found = pipelines::table.find(id.get()).filter(of_project);
            self.find::<PipelineRow>("find pipeline", found)
        }

        fn find_latest_pipeline(
            &mut self,
            project: ProjectId,
            sha: &str,
            reference: Option<&str>,
        ) -> Result<Option<Pipeline>, StoreError> {
            let mut found: pipelines::BoxedQuery<'_, Backend<Self>> = pipelines::table
                .filter(pipelines::project_id.eq(project.get()))
                .filter(pipelines::sha.eq(sha))
                .order(pipelines::id.desc())
                .limit(1)
                .into_boxed();
            if let Some(reference) = reference {
                found = found.filter(pipelines::reference.eq(reference));
            }
            self.find::<PipelineRow>("find latest pipeline", found)
        }

        fn list_pipelines_by_id(
            &mut self,
            ids: &[PipelineId],
        ) -> Result<Vec<Pipeline>, StoreError> {
            let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
            self.list::<PipelineRow>(LIST, pipelines::table.filter(pipelines::id.eq_any(ids)))
        }

        fn list_pipelines(
            &mut self,
            filter: &PipelineFilter,
            page: OffsetPage,
        ) -> Result<Page<Pipeline>, StoreError> {
            let (window, ids) = self.ids_of_page(LIST, &plan(filter), page)?;
            if ids.is_empty() {
                return Ok(window.page(Vec::new()));
            }
            let rows = pipelines::table.filter(pipelines::id.eq_any(ids.clone()));
            Ok(window.page(self.list_in_order::<PipelineRow>(LIST, &ids, rows)?))
        }

        fn list_pipeline_variables(
            &mut self,
            pipeline: PipelineId,
        ) -> Result<Vec<Variable>, StoreError> {
            let rows = pipeline_variables::table
                .filter(pipeline_variables::pipeline_id.eq(pipeline.get()))
                .order(pipeline_variables::position)
                .select((
                    pipeline_variables::key,
                    pipeline_variables::value,
                    pipeline_variables::kind,
                ));
            let rows: Vec<(String, String, i16)> =
                self.values("list variables of pipeline", rows)?;
            let reader = RowReader::new("pipeline_variables", pipeline.get());
            let variables = rows.into_iter().map(|(key, value, kind)| {
                let kind = VariableKind::from_number(kind);
                let kind = reader.require(kind, "unknown kind")?;
                Ok(Variable { key, value, kind })
            });
            variables.collect()
        }
    }

    impl PipelineRepository for WriteTx<'_> {
        fn lock_reports(&mut self, project: ProjectId) -> Result<Locked<ProjectId>, StoreError> {
            dialect::lock_reports(self, project.get())?;
            Ok(Locked::by_adapter(project))
        }

        fn insert_pipeline(
            &mut self,
            at: &Locked<ProjectId>,
            new: &NewPipeline,
        ) -> Result<Pipeline, StoreError> {
            let iid: i64 = self.value(INSERT, next_iid(**at))?;
            let insert = diesel::insert_into(pipelines::table)
                .values(NewPipelineRow::of(new, iid))
                .returning(pipelines::id);
            let id: i64 = self.value(INSERT, insert)?;
            for (position, variable) in (0_i64..).zip(&new.variables) {
                let insert = diesel::insert_into(pipeline_variables::table).values((
                    pipeline_variables::pipeline_id.eq(id),
                    pipeline_variables::position.eq(position),
                    pipeline_variables::key.eq(&variable.key),
                    pipeline_variables::value.eq(&variable.value),
                    pipeline_variables::kind.eq(variable.kind.number()),
                ));
                self.execute("insert variable of pipeline", insert)?;
            }
            Ok(new.stored(PipelineId::new(id), PipelineIid::new(iid)))
        }

        fn update_pipeline(
            &mut self,
            at: &Locked<ProjectId>,
            id: PipelineId,
            change: &PipelineChange,
        ) -> Result<bool, StoreError> {
            let of_project = pipelines::project_id.eq(at.get());
            let found = pipelines::table.find(id.get()).filter(of_project);
            let update = diesel::update(found).set(ChangedPipelineRow::from(change));
            self.changes("update pipeline", update)
        }

        fn delete_reports_of(
            &mut self,
            project: ProjectId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let mut left = limit;
            for text in rows_of(project) {
                if left == 0 {
                    break;
                }
                let delete = diesel::sql_query(format!("{text}{left})"));
                left -= self.execute("delete reports of project", delete)?;
            }
            Ok(limit - left)
        }

        fn release_reports_of(
            &mut self,
            user: UserId,
            successor: UserId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let mut left = limit;
            for table in ["ci_jobs", "pipelines", "deployments"] {
                let of_user = UserReference::new(table, "id", "user_id");
                let some = of_user.replace(user, Some(successor));
                let update = diesel::sql_query(format!("{some}{left})"));
                left -= self.execute("release reports of user", update)?;
            }
            Ok(limit - left)
        }
    }
}
