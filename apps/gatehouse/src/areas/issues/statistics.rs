//! `issues_statistics`: issue counts by state.

use actix_web::HttpResponse;
use projects::rules::issues::project_scope;
use projects::{IssueCounts, IssueScope};
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, ResponseSpec, get};

use super::TAG;
use super::filter::{IssueListScope, UNSUPPORTED_FILTERS, read_filter};
use super::filter_parameters::filters;
use crate::frame::api::AsUser;
use crate::frame::group::{GROUP, SeesGroup};
use crate::frame::project::{PROJECT, SeesProject};
use crate::frame::scopes::ReadApi;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        counts_of(get(
            "countProjectIssues",
            "/api/v4/projects/{id}/issues_statistics",
            of_project,
        ))
        .documented(TAG, "Get the issue counts of a project")
        .takes([PROJECT]),
        counts_of(get(
            "countGroupIssues",
            "/api/v4/groups/{id}/issues_statistics",
            of_group,
        ))
        .documented(TAG, "Get the issue counts of a group and its subgroups")
        .takes([GROUP]),
        counts_of(get("countIssues", "/api/v4/issues_statistics", everywhere)).documented(
            TAG,
            "Get the issue counts of all projects, by default of issues created by the caller",
        ),
    ]
}

fn counts_of(operation: Operation) -> Operation {
    operation
        .takes(filters())
        .without_filters(UNSUPPORTED_FILTERS)
        .response(ResponseSpec::json::<IssueStatistics>(200, "The counts."))
}

/// Issue counts in the shape of the API.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IssueStatistics")]
struct IssueStatistics {
    statistics: Statistics,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IssueStatisticsCounts")]
struct Statistics {
    counts: IssueCountsJson,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IssueCounts")]
struct IssueCountsJson {
    all: u64,
    closed: u64,
    opened: u64,
}

impl From<IssueCounts> for IssueStatistics {
    fn from(counts: IssueCounts) -> Self {
        let IssueCounts { opened, closed } = counts;
        let counts = IssueCountsJson {
            all: opened + closed,
            closed,
            opened,
        };
        Self {
            statistics: Statistics { counts },
        }
    }
}

async fn of_project(request: SeesProject<ReadApi>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(request.params(), IssueListScope::All, request.now().date())?;
    let (viewer, today) = (request.viewer(), request.now().date());
    let counts = request.read(move |tx, project, access| {
        let filter = filter.resolve(tx, project_scope(&project, access), viewer)?;
        Ok(tx.count_issues(&filter, today)?)
    });
    request.json(&IssueStatistics::from(counts.await?))
}

async fn of_group(request: SeesGroup<ReadApi>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(request.params(), IssueListScope::All, request.now().date())?;
    let (viewer, today) = (request.viewer(), request.now().date());
    let counts = request.read(move |tx, group, _| {
        let filter = filter.resolve(tx, IssueScope::Group(group.id), viewer)?;
        Ok(tx.count_issues(&filter, today)?)
    });
    request.json(&IssueStatistics::from(counts.await?))
}

async fn everywhere(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let viewer = request.caller().viewer();
    let filter = read_filter(
        request.params(),
        IssueListScope::Created,
        request.now().date(),
    )?;
    let today = request.now().date();
    let counts = request.read(move |tx| {
        let filter = filter.resolve(tx, IssueScope::Everywhere, viewer)?;
        Ok(tx.count_issues(&filter, today)?)
    });
    request.json(&IssueStatistics::from(counts.await?))
}
