//! `issues_statistics`: issue counts by state.

use actix_web::HttpResponse;
use projects::rules::issues::in_project;
use projects::{IssueCounts, IssuePlace};
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Operation, get};

use super::TAG;
use super::filter::{Scope, UNBUILT, read_filter};
use super::filter_parameters::filters;
use crate::frame::api::{AsUser, viewer};
use crate::frame::group::{GROUP, SeesGroup};
use crate::frame::project::{PROJECT, SeesProject};
use crate::frame::scopes::Read;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        counts_of(get(
            "countProjectIssues",
            "/api/v4/projects/{id}/issues_statistics",
            of_project,
        ))
        .documented(TAG, "Count the issues of a project")
        .takes([PROJECT]),
        counts_of(get(
            "countGroupIssues",
            "/api/v4/groups/{id}/issues_statistics",
            of_group,
        ))
        .documented(TAG, "Count the issues of the projects in and below a group")
        .takes([GROUP]),
        counts_of(get("countIssues", "/api/v4/issues_statistics", everywhere)).documented(
            TAG,
            "Count issues of all projects, by default those that the caller wrote",
        ),
    ]
}

fn counts_of(operation: Operation) -> Operation {
    operation
        .takes(filters())
        .lacks(UNBUILT)
        .answers(Answer::json::<Shown>(200, "The counts."))
}

/// Issue counts in the shape of the API.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IssueStatistics")]
struct Shown {
    statistics: Statistics,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IssueStatisticsCounts")]
struct Statistics {
    counts: Counts,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IssueCounts")]
struct Counts {
    all: u64,
    closed: u64,
    opened: u64,
}

impl From<IssueCounts> for Shown {
    fn from(counts: IssueCounts) -> Self {
        let IssueCounts { opened, closed } = counts;
        let counts = Counts {
            all: opened + closed,
            closed,
            opened,
        };
        Self {
            statistics: Statistics { counts },
        }
    }
}

async fn of_project(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(asked.params(), Scope::All, asked.now().date())?;
    let (viewer, today) = (asked.viewer(), asked.now().date());
    let counts = asked.read(move |tx, project, access| {
        let filter = filter.resolve(tx, in_project(&project, access), viewer)?;
        Ok(tx.count_issues(&filter, today)?)
    });
    asked.json(&Shown::from(counts.await?))
}

async fn of_group(asked: SeesGroup<Read>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(asked.params(), Scope::All, asked.now().date())?;
    let (viewer, today) = (asked.viewer(), asked.now().date());
    let counts = asked.read(move |tx, group, _| {
        let filter = filter.resolve(tx, IssuePlace::Group(group.id), viewer)?;
        Ok(tx.count_issues(&filter, today)?)
    });
    asked.json(&Shown::from(counts.await?))
}

async fn everywhere(asked: AsUser<Read>) -> Result<HttpResponse, Failure> {
    let viewer = viewer(asked.who());
    let filter = read_filter(asked.params(), Scope::Created, asked.now().date())?;
    let today = asked.now().date();
    let counts = asked.read(move |tx| {
        let filter = filter.resolve(tx, IssuePlace::Everywhere, viewer)?;
        Ok(tx.count_issues(&filter, today)?)
    });
    asked.json(&Shown::from(counts.await?))
}
