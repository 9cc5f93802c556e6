//! Issue lists: of a project, of a group, of a milestone, and across all projects.

use accounts::wire::UserSummary;
use actix_web::HttpResponse;
use api_conventions::ids::MilestoneId;
use api_conventions::page::OffsetPage;
use api_conventions::paging::Paging;
use projects::rules::issues::project_scope;
use projects::wire::IssueJson;
use projects::{IssueScope, MilestoneContent};
use records::{RecordContent as _, StoredRecord};
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Pages, Parameter, ParameterKind, ResponseSpec, get};

use super::TAG;
use super::filter::{IssueListScope, UNSUPPORTED_FILTERS, read_list};
use super::filter_parameters::{filters, shapes};
use super::view::{IssuesWithRecords, View};
use crate::config::RequestLimit;
use crate::frame::api::{ApiRequest, AsUser};
use crate::frame::group::{GROUP, SeesGroup};
use crate::frame::limits::LimitedOperation as _;
use crate::frame::project::{PROJECT, SeesProject};
use crate::frame::scopes::ReadApi;

const MILESTONE: Parameter = Parameter::path(
    "milestone_id",
    ParameterKind::ID,
    "The id of the milestone.",
);

pub(super) fn operations() -> Vec<Operation> {
    vec![
        list_of(get(
            "listProjectIssues",
            "/api/v4/projects/{id}/issues",
            of_project,
        ))
        .documented(TAG, "List the issues of a project")
        .takes([PROJECT]),
        list_of(get(
            "listGroupIssues",
            "/api/v4/groups/{id}/issues",
            of_group,
        ))
        .documented(TAG, "List the issues of a group and its subgroups")
        .takes([GROUP]),
        list_of(get("listIssues", "/api/v4/issues", everywhere)).documented(
            TAG,
            "List issues of all projects, by default those created by the caller",
        ),
        list_of(get(
            "listMilestoneIssues",
            "/api/v4/projects/{id}/milestones/{milestone_id}/issues",
            of_milestone,
        ))
        .documented(TAG, "List the issues of a milestone")
        .takes([PROJECT, MILESTONE]),
    ]
}

fn list_of(operation: Operation) -> Operation {
    operation
        .takes(filters())
        .without_filters(UNSUPPORTED_FILTERS)
        .takes(shapes())
        .limited_by(RequestLimit::Search)
        .paged(Pages::Offset)
        .response(ResponseSpec::json::<Vec<IssueJson<UserSummary>>>(
            200,
            "A page of issues.",
        ))
}

async fn of_project(request: SeesProject<ReadApi>) -> Result<HttpResponse, Failure> {
    let filter = read_list(request.params(), IssueListScope::All, request.now().date())?;
    let paging = Paging::offset(request.params())?;
    let (viewer, today) = (request.viewer(), request.now().date());
    let details = filter.with_label_details;
    let found = request.read(move |tx, project, access| {
        let filter = filter.resolve(tx, project_scope(&project, access), viewer)?;
        let page = tx.list_issues(&filter, today, paging)?;
        Ok(IssuesWithRecords::page(tx, page)?)
    });
    let found = found.await?;
    page(&request, paging, found, true, details)
}

async fn of_milestone(request: SeesProject<ReadApi>) -> Result<HttpResponse, Failure> {
    let mut filter = read_list(request.params(), IssueListScope::All, request.now().date())?;
    let id = request.number(MILESTONE.name, MilestoneContent::NAME)?;
    filter.filter.milestone_id = Some(MilestoneId::new(id));
    let paging = Paging::offset(request.params())?;
    let (viewer, today) = (request.viewer(), request.now().date());
    let details = filter.with_label_details;
    let found = request.read(move |tx, project, access| {
        StoredRecord::<MilestoneContent>::find(tx, project.id, MilestoneId::new(id))?;
        let filter = filter.resolve(tx, project_scope(&project, access), viewer)?;
        let page = tx.list_issues(&filter, today, paging)?;
        Ok(IssuesWithRecords::page(tx, page)?)
    });
    let found = found.await?;
    page(&request, paging, found, true, details)
}

async fn of_group(request: SeesGroup<ReadApi>) -> Result<HttpResponse, Failure> {
    let filter = read_list(request.params(), IssueListScope::All, request.now().date())?;
    let paging = Paging::offset(request.params())?;
    let (viewer, today) = (request.viewer(), request.now().date());
    let details = filter.with_label_details;
    let found = request.read(move |tx, group, _| {
        let filter = filter.resolve(tx, IssueScope::Group(group.id), viewer)?;
        let page = tx.list_issues(&filter, today, paging)?;
        Ok(IssuesWithRecords::page(tx, page)?)
    });
    let found = found.await?;
    page(&request, paging, found, false, details)
}

async fn everywhere(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let viewer = request.caller().viewer();
    let filter = read_list(
        request.params(),
        IssueListScope::Created,
        request.now().date(),
    )?;
    let paging = Paging::offset(request.params())?;
    let today = request.now().date();
    let details = filter.with_label_details;
    let found = request.read(move |tx| {
        let filter = filter.resolve(tx, IssueScope::Everywhere, viewer)?;
        let page = tx.list_issues(&filter, today, paging)?;
        Ok(IssuesWithRecords::page(tx, page)?)
    });
    let found = found.await?;
    page(&request, paging, found, false, details)
}

fn page(
    request: &ApiRequest,
    paging: OffsetPage,
    found: IssuesWithRecords,
    is_in_project: bool,
    with_label_details: bool,
) -> Result<HttpResponse, Failure> {
    let mut view = View::of(request);
    view.shape.is_in_project = is_in_project;
    view.shape.with_label_details = with_label_details;
    request.page(paging, found.all(&view), |issue| issue)
}
