//! `/api/v4/projects/:id/statuses/:sha` and `/api/v4/projects/:id/repository/commits/:sha/statuses`: commit statuses.

use ::pipelines::flow::{ReportedStatus, set_commit_status};
use ::pipelines::model::{CiStatus, CommitStatusFilter, Coverage, commit_name};
use ::pipelines::wire::CommitStatusJson;
use accounts::wire::UserSummary;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{PipelineId, ProjectId, UserId};
use api_conventions::paging::Paging;
use api_conventions::params::{ParamReader, Params};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Operation, Pages, Parameter, ParameterKind, ResponseSpec, get, post,
};

use super::shared::{People, filled, refused};
use crate::frame::api::ApiRequest;
use crate::frame::project::PROJECT;
use crate::frame::project_feature::{InFeature, Pipelines, SeesFeature};
use crate::frame::scopes::{Developer, ReadApi, WriteApi};

const TAG: &str = "commit statuses";
const STATUS: &str = "/api/v4/projects/{id}/statuses/{sha}";
const STATUSES: &str = "/api/v4/projects/{id}/repository/commits/{sha}/statuses";

/// Name of a job without one.
const DEFAULT_NAME: &str = "default";
/// Stage of a job without one.
const DEFAULT_STAGE: &str = "external";
/// Statuses that can be reported.
const REPORTABLE: &[&str] = &[
    "pending", "running", "success", "failed", "canceled", "skipped",
];

const SHA: Parameter = Parameter::path(
    "sha",
    ParameterKind::Matching("^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$"),
    "Full SHA of the commit.",
);
const LONG: ParameterKind = ParameterKind::Text { min: 0, max: 2048 };

type CommitStatusResponse = CommitStatusJson<UserSummary>;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        post("setCommitStatus", STATUS, set)
            .documented(TAG, "Create or update a status of a commit")
            .takes([PROJECT, SHA])
            .takes(report_parameters())
            .response(ResponseSpec::json::<CommitStatusResponse>(
                201,
                "The status, a job of a pipeline.",
            )),
        get("listCommitStatuses", STATUSES, list)
            .documented(TAG, "List the statuses of a commit")
            .takes([PROJECT, SHA])
            .takes(filters())
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<CommitStatusResponse>>(
                200,
                "A page of statuses, oldest first.",
            )),
    ]
}

fn report_parameters() -> [Parameter; 9] {
    let name = ParameterKind::Text { min: 1, max: 255 };
    [
        Parameter::body(
            "state",
            ParameterKind::Word(REPORTABLE),
            "State of the job.",
        )
        .required(),
        Parameter::body("name", name, "Name of the status (default: `default`)."),
        Parameter::body("context", name, "Alias of `name`."),
        Parameter::body(
            "ref",
            LONG,
            "Branch or tag (default: that of the newest pipeline of the commit, or the default branch of the project).",
        ),
        Parameter::body("stage", LONG, "Stage of the job (default: `external`)."),
        Parameter::body("target_url", LONG, "URL of an external page about the job."),
        Parameter::body("description", LONG, "Short description."),
        Parameter::body(
            "coverage",
            ParameterKind::ANY_TEXT,
            "Test coverage in percent, from 0 to 100.",
        )
        .example("98.29"),
        Parameter::body(
            "pipeline_id",
            ParameterKind::ID,
            "ID of the pipeline (default: the newest one of the commit and the branch or tag, or a new one).",
        ),
    ]
}

fn filters() -> [Parameter; 5] {
    [
        Parameter::query("ref", ParameterKind::ANY_TEXT, "Filter by branch or tag."),
        Parameter::query("stage", ParameterKind::ANY_TEXT, "Filter by stage."),
        Parameter::query("name", ParameterKind::ANY_TEXT, "Filter by name."),
        Parameter::query(
            "pipeline_id",
            ParameterKind::ID,
            "Filter by the ID of the pipeline.",
        ),
        Parameter::query(
            "all",
            ParameterKind::Boolean,
            "True to include retried jobs.",
        ),
    ]
}

async fn set(request: InFeature<Pipelines, Developer, WriteApi>) -> Result<HttpResponse, Failure> {
    let report = read_report(request.params(), sha(&request)?, request.actor_id())?;
    let now = request.now();
    let set = request.write(move |tx, project| {
        let report = ReportedStatus {
            default_branch: project.settings.default_branch(),
            ..report.clone()
        };
        let job = set_commit_status(tx, project.id, &report, now).map_err(refused)?;
        let people = People::load(tx, [job.user_id])?;
        Ok((job, people))
    });
    let ((job, people), _) = set.await?;
    let author = people.summary(job.user_id, request.base_url());
    Ok(HttpResponse::Created().json(CommitStatusJson::new(job, author)))
}

/// Commit SHA in the path.
fn sha(request: &ApiRequest) -> Result<String, ApiError> {
    let text = request.segment(SHA.name, "Commit")?;
    commit_name(&text).ok_or_else(|| ApiError::not_found("Commit"))
}

/// Parses the status that a request reports.
fn read_report(params: &Params, sha: String, user: UserId) -> Result<ReportedStatus, ApiError> {
    let mut read = params.reader();
    let parse = |word: &str| {
        let is_reported = REPORTABLE.contains(&word);
        CiStatus::parse(word).filter(|_| is_reported)
    };
    let status = read.word("state", parse);
    let status = read.required("state", status);
    let name = filled(&mut read, "name");
    let name = name.or_else(|| filled(&mut read, "context"));
    let pipeline_id = read.integer_within("pipeline_id", 1..=i64::MAX);
    let reference = filled(&mut read, "ref");
    let stage = filled(&mut read, "stage");
    let target_url = filled(&mut read, "target_url");
    let description = filled(&mut read, "description");
    let coverage = coverage(&mut read);
    read.finish()?;
    Ok(ReportedStatus {
        sha,
        reference,
        default_branch: None,
        name: name.unwrap_or_else(|| DEFAULT_NAME.to_owned()),
        stage: stage.unwrap_or_else(|| DEFAULT_STAGE.to_owned()),
        status: status.value()?,
        target_url,
        description,
        coverage,
        pipeline_id: pipeline_id.map(PipelineId::new),
        user_id: Some(user),
    })
}

/// Parses a coverage percentage.
fn coverage(read: &mut ParamReader<'_>) -> Option<Coverage> {
    read.word("coverage", |text| {
        let percent: f64 = text.trim().parse().ok()?;
        Coverage::from_percent(percent)
    })
}

async fn list(request: SeesFeature<Pipelines, ReadApi>) -> Result<HttpResponse, Failure> {
    let paging = Paging::offset(request.params())?;
    let filter = read_filter(request.params(), sha(&request)?)?;
    let found = request.read(move |tx, project, _| {
        let filter = CommitStatusFilter {
            project_id: project.id,
            ..filter
        };
        let page = tx.list_commit_statuses(&filter, paging)?;
        let people = People::load(tx, page.items.iter().map(|job| job.user_id))?;
        Ok((page, people))
    });
    let (page, people) = found.await?;
    request.page(paging, page, |job| {
        let author = people.summary(job.user_id, request.base_url());
        CommitStatusJson::new(job, author)
    })
}

/// Parses the filter of a request.
/// The project is set once it is resolved.
fn read_filter(params: &Params, sha: String) -> Result<CommitStatusFilter, ApiError> {
    let mut read = params.reader();
    let mut filter = CommitStatusFilter::new(ProjectId::new(0), sha);
    filter.reference = filled(&mut read, "ref");
    filter.stage = filled(&mut read, "stage");
    filter.name = filled(&mut read, "name");
    let pipeline = read.integer_within("pipeline_id", 1..=i64::MAX);
    filter.pipeline_id = pipeline.map(PipelineId::new);
    filter.with_retried = read.boolean("all").unwrap_or_default();
    read.finish()?;
    Ok(filter)
}
