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
use web_conventions::operations::{Answer, Kind, Operation, Pages, Parameter, get, post};

use super::shared::{People, filled, refused};
use crate::frame::api::ApiRequest;
use crate::frame::project::PROJECT;
use crate::frame::project_feature::{InFeature, Pipelines, SeesFeature};
use crate::frame::scopes::{Developer, Read, Write};

const TAG: &str = "commit statuses";
const STATUS: &str = "/api/v4/projects/{id}/statuses/{sha}";
const STATUSES: &str = "/api/v4/projects/{id}/repository/commits/{sha}/statuses";

/// Name of a job without one.
const DEFAULT_NAME: &str = "default";
/// Stage of a job without one.
const DEFAULT_STAGE: &str = "external";
/// Statuses that can be reported.
const REPORTED: &[&str] = &[
    "pending", "running", "success", "failed", "canceled", "skipped",
];

const SHA: Parameter = Parameter::path(
    "sha",
    Kind::Matching("^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$"),
    "The full name of the commit.",
);
const LONG: Kind = Kind::Text { min: 0, max: 2048 };

type Json = CommitStatusJson<UserSummary>;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        post("setCommitStatus", STATUS, set)
            .documented(TAG, "Report the status of a commit")
            .takes([PROJECT, SHA])
            .takes(reported())
            .answers(Answer::json::<Json>(
                201,
                "The status, which is a job of a pipeline.",
            )),
        get("listCommitStatuses", STATUSES, list)
            .documented(TAG, "List the statuses of a commit")
            .takes([PROJECT, SHA])
            .takes(filters())
            .paged(Pages::Offset)
            .answers(Answer::json::<Vec<Json>>(200, "A page, the oldest first.")),
    ]
}

fn reported() -> [Parameter; 9] {
    let name = Kind::Text { min: 1, max: 255 };
    [
        Parameter::body("state", Kind::Word(REPORTED), "How it stands.").required(),
        Parameter::body("name", name, "What it is called; `default` otherwise."),
        Parameter::body("context", name, "The other name of `name`."),
        Parameter::body(
            "ref",
            LONG,
            "The branch or tag; otherwise that of the newest pipeline of the commit, or the default branch of the project.",
        ),
        Parameter::body(
            "stage",
            LONG,
            "The stage that the job belongs to; `external` otherwise.",
        ),
        Parameter::body("target_url", LONG, "A page about it elsewhere."),
        Parameter::body("description", LONG, "What it says, in a few words."),
        Parameter::body(
            "coverage",
            Kind::ANY_TEXT,
            "How many percent of the code its tests reach, from 0 to 100.",
        )
        .example("98.29"),
        Parameter::body(
            "pipeline_id",
            Kind::ID,
            "The pipeline that it belongs to; otherwise the newest one of the commit and the branch or tag, or a new one.",
        ),
    ]
}

fn filters() -> [Parameter; 5] {
    [
        Parameter::query("ref", Kind::ANY_TEXT, "Only those on this branch or tag."),
        Parameter::query("stage", Kind::ANY_TEXT, "Only those of this stage."),
        Parameter::query("name", Kind::ANY_TEXT, "Only those with this name."),
        Parameter::query("pipeline_id", Kind::ID, "Only those of this pipeline."),
        Parameter::query(
            "all",
            Kind::Boolean,
            "Whether to list those that were retried, too.",
        ),
    ]
}

async fn set(request: InFeature<Pipelines, Developer, Write>) -> Result<HttpResponse, Failure> {
    let report = read_report(request.params(), sha(&request)?, request.actor())?;
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
    let author = people.shown(job.user_id, request.base_url());
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
        let is_reported = REPORTED.contains(&word);
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

async fn list(request: SeesFeature<Pipelines, Read>) -> Result<HttpResponse, Failure> {
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
        let author = people.shown(job.user_id, request.base_url());
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
