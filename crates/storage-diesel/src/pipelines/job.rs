//! Jobs.

use ::pipelines::model::{
    CiStatus, CommitStatusFilter, Coverage, Job, JobChange, JobDetails, JobFilter, NewJob,
};
use ::pipelines::store::{JobQueries, JobRepository};
use api_conventions::ids::{JobId, PipelineId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use storage::{Locked, StoreError};
use storage_diesel_macros::for_each_database;

use super::plan::{EXAMINED, Order, Plan, QueryCondition};
use crate::bulk::ComposedQuery;
use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    ci_jobs: JobRow, NewJobRow, ChangedJobRow;
    fixed {
        project_id: BigInt,
        pipeline_id: BigInt,
        sha: Text,
        reference: Text,
        tag: Bool,
        name: Text,
        stage: Text,
        user_id: Nullable<BigInt>,
        created_at: BigInt,
    }
    changing {
        status: SmallInt,
        target_url: Nullable<Text>,
        description: Nullable<Text>,
        coverage: Nullable<BigInt>,
        updated_at: BigInt,
        started_at: Nullable<BigInt>,
        finished_at: Nullable<BigInt>,
    }
    later { retried: Bool }
}

impl DomainRow for JobRow {
    type Value = Job;

    fn read(self) -> Result<Job, StoreError> {
        let row = self.reader();
        let coverage = self.coverage.map(Coverage::from_parts);
        let coverage = coverage.map(|coverage| row.require(coverage, "invalid coverage"));
        Ok(Job {
            id: JobId::new(self.id),
            project_id: ProjectId::new(self.project_id),
            pipeline_id: PipelineId::new(self.pipeline_id),
            sha: self.sha,
            reference: self.reference,
            tag: self.tag,
            name: self.name,
            stage: self.stage,
            status: row.require(CiStatus::from_number(self.status), "unknown status")?,
            details: JobDetails {
                target_url: self.target_url,
                description: self.description,
                coverage: coverage.transpose()?,
            },
            user_id: self.user_id.map(UserId::new),
            retried: self.retried,
            created_at: row.timestamp(self.created_at)?,
            updated_at: row.timestamp(self.updated_at)?,
            started_at: row.optional_timestamp(self.started_at)?,
            finished_at: row.optional_timestamp(self.finished_at)?,
        })
    }
}

impl<'v> From<&'v NewJob> for NewJobRow<'v> {
    fn from(new: &'v NewJob) -> Self {
        Self {
            project_id: new.project_id.get(),
            pipeline_id: new.pipeline_id.get(),
            sha: new.sha.as_str().into(),
            reference: new.reference.as_str().into(),
            tag: new.tag,
            name: new.name.as_str().into(),
            stage: new.stage.as_str().into(),
            user_id: new.user_id.map(UserId::get),
            created_at: new.created_at.as_micros(),
            changing: ChangedJobRow::of(
                new.status,
                &new.details,
                [new.started_at, new.finished_at],
                new.created_at,
            ),
        }
    }
}

impl<'v> ChangedJobRow<'v> {
    fn of(
        status: CiStatus,
        details: &'v JobDetails,
        [started_at, finished_at]: [Option<Timestamp>; 2],
        updated_at: Timestamp,
    ) -> Self {
        Self {
            status: status.number(),
            target_url: details.target_url.as_deref().map(Into::into),
            description: details.description.as_deref().map(Into::into),
            coverage: details.coverage.map(Coverage::parts),
            updated_at: updated_at.as_micros(),
            started_at: started_at.map(Timestamp::as_micros),
            finished_at: finished_at.map(Timestamp::as_micros),
        }
    }
}

const CURRENT: QueryCondition = QueryCondition::Is("NOT retried");

fn plan(filter: &JobFilter, sort: SortOrder) -> Plan {
    let project = QueryCondition::equal("project_id", filter.project_id.get());
    let numbers = |statuses: &Vec<CiStatus>| statuses.iter().map(|one| one.number()).collect();
    let statuses = filter.statuses.as_ref().map(numbers);
    let statuses = statuses.map(QueryCondition::Statuses);
    let current = (!filter.with_retried).then_some(CURRENT);
    let (found_by, filtered_by): (Vec<QueryCondition>, Vec<QueryCondition>) =
        if let Some(pipeline) = filter.pipeline_id {
            let of_pipeline = QueryCondition::equal("pipeline_id", pipeline.get());
            let filtered_by = [Some(project), statuses, current];
            (
                vec![of_pipeline],
                filtered_by.into_iter().flatten().collect(),
            )
        } else {
            let found_by = [Some(project), statuses].into_iter().flatten();
            (found_by.collect(), Vec::from_iter(current))
        };
    Plan {
        table: "ci_jobs",
        max_found: (!filtered_by.is_empty()).then_some(EXAMINED),
        found_by,
        filtered_by,
        order: Order::Id,
        sort,
        is_in_order: true,
    }
}

fn plan_of_commit(filter: &CommitStatusFilter) -> Plan {
    let text = |column, text: &Option<String>| {
        let text = text.as_ref();
        text.map(|text| QueryCondition::Text(column, text.clone()))
    };
    let pipeline = |id: PipelineId| QueryCondition::equal("pipeline_id", id.get());
    let filtered_by = [
        text("reference", &filter.reference),
        text("stage", &filter.stage),
        text("name", &filter.name),
        filter.pipeline_id.map(pipeline),
        (!filter.with_retried).then_some(CURRENT),
    ];
    Plan {
        table: "ci_jobs",
        found_by: vec![
            QueryCondition::equal("project_id", filter.project_id.get()),
            QueryCondition::Text("sha", filter.sha.clone()),
        ],
        filtered_by: filtered_by.into_iter().flatten().collect(),
        order: Order::Id,
        sort: SortOrder::Ascending,
        is_in_order: true,
        max_found: Some(EXAMINED),
    }
}

/// Selects the numbers of the statuses that jobs of a pipeline have, with one look-up per status.
fn statuses_of(pipeline: PipelineId) -> ComposedQuery<BigInt> {
    let of_status = |status: &CiStatus| {
        let number = status.number();
        format!(
            "SELECT CAST({number} AS BIGINT) WHERE EXISTS \
             (SELECT 1 FROM ci_jobs WHERE pipeline_id = {pipeline} AND status = {number} AND NOT retried)"
        )
    };
    let all: Vec<String> = CiStatus::ALL.iter().map(of_status).collect();
    ComposedQuery::new(all.join(" UNION ALL "))
}

const LIST: &str = "list jobs";
const STATUSES: &str = "list statuses of pipeline";

#[for_each_database]
mod database {
    impl ReadTx<'_> {
        /// Returns jobs by their ids, in this order.
        fn jobs_in_order(&mut self, ids: &[i64]) -> Result<Vec<Job>, StoreError> {
            if ids.is_empty() {
                return Ok(Vec::new());
            }
            let rows = ci_jobs::table.filter(ci_jobs::id.eq_any(ids.to_vec()));
            self.list_in_order::<JobRow>(LIST, ids, rows)
        }
    }

    impl ::pipelines::store::JobQueriesWrapper for WriteTx<'_> {}

    impl JobQueries for ReadTx<'_> {
        fn find_job(&mut self, project: ProjectId, id: JobId) -> Result<Option<Job>, StoreError> {
            let of_project = ci_jobs::project_id.eq(project.get());
            self.find::<JobRow>("find job", ci_jobs::table.find(id.get()).filter(of_project))
        }

        fn find_current_job(
            &mut self,
            pipeline: PipelineId,
            name: &str,
        ) -> Result<Option<Job>, StoreError> {
            // As text, not as a parameter: only then can the planner choose the partial index.
            let found = ci_jobs::table
                .filter(ci_jobs::pipeline_id.eq(pipeline.get()))
                .filter(ci_jobs::name.eq(name))
                .filter(sql::<Bool>("NOT retried"));
            self.find::<JobRow>("find current job", found)
        }

        fn list_jobs(
            &mut self,
            filter: &JobFilter,
            page: OffsetPage,
        ) -> Result<Page<Job>, StoreError> {
            let plan = plan(filter, SortOrder::Descending);
            let (window, ids) = self.ids_of_page(LIST, &plan, page)?;
            Ok(window.page(self.jobs_in_order(&ids)?))
        }

        fn list_jobs_after(
            &mut self,
            filter: &JobFilter,
            beyond: Option<JobId>,
            page: KeysetPage,
        ) -> Result<KeysetSlice<Job>, StoreError> {
            let mut plan = plan(filter, page.sort());
            let comparison = match page.sort() {
                SortOrder::Ascending => ">",
                SortOrder::Descending => "<",
            };
            let beyond = beyond.map(|id| QueryCondition::Number("id", comparison, id.get()));
            plan.found_by.extend(beyond);
            let ids = self.first_ids(LIST, &plan, page.fetch_limit())?;
            Ok(KeysetSlice::from_fetched(self.jobs_in_order(&ids)?, page))
        }

        fn list_commit_statuses(
            &mut self,
            filter: &CommitStatusFilter,
            page: OffsetPage,
        ) -> Result<Page<Job>, StoreError> {
            const LIST: &str = "list statuses of commit";
            let (window, ids) = self.ids_of_page(LIST, &plan_of_commit(filter), page)?;
            Ok(window.page(self.jobs_in_order(&ids)?))
        }

        fn list_statuses_of(&mut self, pipeline: PipelineId) -> Result<Vec<CiStatus>, StoreError> {
            let numbers: Vec<i64> = self.values(STATUSES, statuses_of(pipeline))?;
            let wrong = |number| StoreError::inconsistent("ci_jobs", number, "unknown status");
            let status = |number: i64| {
                let status = i16::try_from(number).ok().and_then(CiStatus::from_number);
                status.ok_or_else(|| wrong(number))
            };
            numbers.into_iter().map(status).collect()
        }
    }

    impl JobRepository for WriteTx<'_> {
        fn insert_job(&mut self, at: &Locked<ProjectId>, new: &NewJob) -> Result<Job, StoreError> {
            let current = ci_jobs::table
                .filter(ci_jobs::pipeline_id.eq(new.pipeline_id.get()))
                .filter(ci_jobs::name.eq(&new.name))
                .filter(ci_jobs::project_id.eq(at.get()))
                .filter(sql::<Bool>("NOT retried"));
            let retry = diesel::update(current).set(ci_jobs::retried.eq(true));
            self.execute("mark job as retried", retry)?;
            let insert = diesel::insert_into(ci_jobs::table)
                .values(NewJobRow::from(new))
                .returning(ci_jobs::id);
            let id: i64 = self.value("insert job", insert)?;
            Ok(new.stored(JobId::new(id)))
        }

        fn update_job(
            &mut self,
            at: &Locked<ProjectId>,
            id: JobId,
            change: &JobChange,
        ) -> Result<bool, StoreError> {
            let of_project = ci_jobs::project_id.eq(at.get());
            let found = ci_jobs::table.find(id.get()).filter(of_project);
            let changed = ChangedJobRow::of(
                change.status,
                &change.details,
                [change.started_at, change.finished_at],
                change.updated_at,
            );
            self.changes("update job", diesel::update(found).set(changed))
        }
    }
}
