//! `/api/v4/projects/:id/jobs`: commit statuses as the jobs of pipelines.

use std::collections::BTreeSet;

use ::pipelines::model::{CiStatus, Job, JobFilter, Pipeline};
use ::pipelines::wire::JobJson;
use accounts::wire::UserSummary;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{JobId, PipelineId, ProjectId};
use api_conventions::page::{KeysetPage, OffsetPage, SortOrder};
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use gatehouse_core::database::ReadTransaction;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Pages, Parameter, ParameterKind, ResponseSpec, get};

use super::runs;
use super::shared::{Links, People};
use crate::config::RequestLimit;
use crate::frame::limits::LimitedOperation as _;
use crate::frame::project::PROJECT;
use crate::frame::project_feature::{Jobs, SeesFeature};
use crate::frame::scopes::ReadApi;

const TAG: &str = "jobs";
const JOBS: &str = "/api/v4/projects/{id}/jobs";
const JOB: &str = "/api/v4/projects/{id}/jobs/{job_id}";
const OF_PIPELINE: &str = "/api/v4/projects/{id}/pipelines/{pipeline_id}/jobs";
const RESOURCE: &str = "Job";

const ID: Parameter = Parameter::path("job_id", ParameterKind::ID, "ID of the job.");
/// Job statuses known to clients.
/// Those of jobs that a runner executes never occur here.
const SCOPES: &[&str] = &[
    "created",
    "pending",
    "running",
    "success",
    "failed",
    "canceled",
    "skipped",
    "waiting_for_resource",
    "preparing",
    "scheduled",
    "manual",
];
const SCOPE: Parameter =
    Parameter::query("scope", ParameterKind::Words(SCOPES), "Filter by status.");
const BEFORE: Parameter = Parameter::query(
    "id_before",
    ParameterKind::ID,
    "Only jobs with a lower ID. Links of keyset pagination contain it; refused with offset pagination.",
);

const ORDER_BY: Parameter = Parameter::query(
    "order_by",
    ParameterKind::Word(&["id"]),
    "Sort column of keyset pagination.",
);
const SORT: Parameter = Parameter::query(
    "sort",
    ParameterKind::Word(&["desc"]),
    "Sort direction of keyset pagination.",
);

type JobResponse = JobJson<UserSummary>;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let retried = "True to include retried jobs.";
    vec![
        get("listJobs", JOBS, list)
            .limited_by(RequestLimit::JobList)
            .documented(TAG, "List the jobs of a project")
            .takes([PROJECT, SCOPE, BEFORE, ORDER_BY, SORT])
            .paged(Pages::OffsetAndKeyset)
            .response(ResponseSpec::json::<Vec<JobResponse>>(
                200,
                "A page of jobs, newest first.",
            )),
        get("showJob", JOB, show)
            .documented(TAG, "Get a job")
            .takes([PROJECT, ID])
            .response(ResponseSpec::json::<JobResponse>(200, "The job.")),
        get("listPipelineJobs", OF_PIPELINE, list_of_pipeline)
            .documented(TAG, "List the jobs of a pipeline")
            .takes([PROJECT, runs::ID, SCOPE])
            .takes([Parameter::query(
                "include_retried",
                ParameterKind::Boolean,
                retried,
            )])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<JobResponse>>(
                200,
                "A page of jobs, newest first.",
            )),
    ]
}

/// Validates `id_before`, which keyset pagination parses again later.
/// An invalid value is refused with either kind of pagination.
fn check_before(params: &Params) -> Result<(), ApiError> {
    let mut read = params.reader();
    read.integer_within(BEFORE.name, 1..=i64::MAX);
    read.finish()
}

/// Refuses any other order than the only one that this list supports.
/// Keyset pagination reports this itself.
fn check_order(params: &Params) -> Result<(), ApiError> {
    let mut read = params.reader();
    read.word(ORDER_BY.name, |word| (word == "id").then_some(()));
    read.word(SORT.name, |word| (word == "desc").then_some(()));
    read.finish()
}

async fn list(request: SeesFeature<Jobs, ReadApi>) -> Result<HttpResponse, Failure> {
    let max_offset = request.settings().paging.max_offset;
    let filter = read_filter(request.params())?;
    check_before(request.params())?;
    match Paging::by_id(request.params(), max_offset)? {
        Paging::Offset(_) if is_given(request.params(), BEFORE.name) => {
            let reason = "id_before requires pagination=keyset: send both, or omit id_before";
            Err(ApiError::invalid_parameters(&[reason.to_owned()]).into())
        }
        Paging::Offset(page) => {
            check_order(request.params())?;
            list_page(&request, filter, page).await
        }
        Paging::Keyset {
            sort: SortOrder::Ascending,
            ..
        } => {
            let reason = "Keyset pagination of jobs is ordered by id, descending";
            Err(ApiError::paging_not_allowed(reason).into())
        }
        Paging::Keyset { per_page, sort } => {
            list_by_keyset(&request, filter, KeysetPage::new(per_page, sort)).await
        }
    }
}

/// Parses the filter of a request.
/// The project is set once it is resolved.
fn read_filter(params: &Params) -> Result<JobFilter, ApiError> {
    let mut read = params.reader();
    let parse = |word: &str| SCOPES.contains(&word).then(|| CiStatus::parse(word));
    let scope = read.words(SCOPE.name, parse);
    let statuses = (!scope.is_empty()).then(|| scope.into_iter().flatten());
    let statuses: Option<BTreeSet<CiStatus>> = statuses.map(Iterator::collect);
    let filter = JobFilter {
        statuses: statuses.map(|statuses| statuses.into_iter().collect()),
        ..JobFilter::new(ProjectId::new(0))
    };
    read.finish()?;
    Ok(filter)
}

/// Responds with a page of offset pagination.
async fn list_page(
    request: &SeesFeature<Jobs, ReadApi>,
    mut filter: JobFilter,
    page: OffsetPage,
) -> Result<HttpResponse, Failure> {
    let found = request.read(move |tx, project, _| {
        filter.project_id = project.id;
        let jobs = tx.list_jobs(&filter, page)?;
        let context = JobContext::of(tx, &jobs.items)?;
        Ok((jobs, context, project))
    });
    let (jobs, context, project) = found.await?;
    let links = Links::new(&project, request.base_url());
    request.page(page, jobs, |job| {
        context.to_json(job, &links, request.base_url())
    })
}

/// True if a parameter has a value.
/// An empty value counts as none.
fn is_given(params: &Params, name: &str) -> bool {
    let value = params.get(name);
    value.is_some_and(|value| !value.is_null() && *value != "")
}

/// Responds with a page of keyset pagination.
async fn list_by_keyset(
    request: &SeesFeature<Jobs, ReadApi>,
    mut filter: JobFilter,
    page: KeysetPage,
) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let beyond = read.integer_within(BEFORE.name, 1..=i64::MAX);
    read.finish()?;
    let beyond = beyond.map(JobId::new);
    let found = request.read(move |tx, project, _| {
        filter.project_id = project.id;
        let jobs = tx.list_jobs_after(&filter, beyond, page)?;
        let context = JobContext::of(tx, &jobs.items)?;
        Ok((jobs, context, project))
    });
    let (jobs, context, project) = found.await?;
    let links = Links::new(&project, request.base_url());
    let last = jobs.items.last().filter(|_| jobs.has_next);
    let last = last.map(|job| job.id.get());
    let headers = request.list_address().keyset_headers(page.sort(), last);
    let shown = jobs.items.into_iter();
    let shown: Vec<JobResponse> = shown
        .map(|job| context.to_json(job, &links, request.base_url()))
        .collect();
    request.json_with(&shown, headers)
}

/// Pipelines of jobs, and the users who reported the jobs.
struct JobContext {
    pipelines: Vec<Pipeline>,
    people: People,
}

impl JobContext {
    fn of<T: ReadTransaction + ?Sized>(tx: &mut T, jobs: &[Job]) -> Result<Self, StoreError> {
        let ids: BTreeSet<PipelineId> = jobs.iter().map(|job| job.pipeline_id).collect();
        let ids: Vec<PipelineId> = ids.into_iter().collect();
        Ok(Self {
            pipelines: tx.list_pipelines_by_id(&ids)?,
            people: People::load(tx, jobs.iter().map(|job| job.user_id))?,
        })
    }

    fn to_json(&self, job: Job, links: &Links, base_url: &str) -> JobResponse {
        let is_its = |pipeline: &&Pipeline| pipeline.id == job.pipeline_id;
        let pipeline = self.pipelines.iter().find(is_its).cloned();
        let user = self.people.summary(job.user_id, base_url);
        JobJson::new(job, pipeline, user, links.get())
    }
}

async fn show(request: SeesFeature<Jobs, ReadApi>) -> Result<HttpResponse, Failure> {
    let id = JobId::new(request.number(ID.name, RESOURCE)?);
    let found = request.read(move |tx, project, _| {
        let found = tx.find_job(project.id, id)?;
        let job = found.ok_or_else(|| ApiError::not_found(RESOURCE))?;
        let context = JobContext::of(tx, std::slice::from_ref(&job))?;
        Ok((job, context, project))
    });
    let (job, context, project) = found.await?;
    let links = Links::new(&project, request.base_url());
    request.json(&context.to_json(job, &links, request.base_url()))
}

async fn list_of_pipeline(request: SeesFeature<Jobs, ReadApi>) -> Result<HttpResponse, Failure> {
    let id = runs::pipeline_id(&request)?;
    let page = Paging::offset(request.params())?;
    let mut filter = read_filter(request.params())?;
    let mut read = request.params().reader();
    filter.with_retried = read.boolean("include_retried").unwrap_or_default();
    read.finish()?;
    let found = request.read(move |tx, project, _| {
        filter.project_id = project.id;
        filter.pipeline_id = Some(runs::find(tx, project.id, id)?.id);
        let jobs = tx.list_jobs(&filter, page)?;
        let context = JobContext::of(tx, &jobs.items)?;
        Ok((jobs, context, project))
    });
    let (jobs, context, project) = found.await?;
    let links = Links::new(&project, request.base_url());
    request.page(page, jobs, |job| {
        context.to_json(job, &links, request.base_url())
    })
}
