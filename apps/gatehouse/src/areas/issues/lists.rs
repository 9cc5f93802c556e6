//! Issue lists: of a project, of a group, of a milestone, and across all projects.

use accounts::wire::UserSummary;
use actix_web::HttpResponse;
use api_conventions::ids::MilestoneId;
use api_conventions::page::OffsetPage;
use api_conventions::paging::Paging;
use projects::rules::issues::in_project;
use projects::wire::IssueJson;
use projects::{IssuePlace, MilestoneContent};
use records::{Content as _, Record};
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Pages, Parameter, get};

use super::TAG;
use super::filter::{Scope, UNBUILT, read_list};
use super::filter_parameters::{filters, shapes};
use super::shown::{Loaded, View};
use crate::frame::api::{ApiRequest, AsUser, viewer};
use crate::frame::group::{GROUP, SeesGroup};
use crate::frame::project::{PROJECT, SeesProject};
use crate::frame::scopes::Read;

const MILESTONE: Parameter = Parameter::path("milestone_id", Kind::ID, "The id of the milestone.");

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
        .documented(TAG, "List the issues of the projects in and below a group")
        .takes([GROUP]),
        list_of(get("listIssues", "/api/v4/issues", everywhere)).documented(
            TAG,
            "List issues of all projects, by default those that the caller wrote",
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
        .lacks(UNBUILT)
        .takes(shapes())
        .paged(Pages::Offset)
        .answers(Answer::json::<Vec<IssueJson<UserSummary>>>(
            200,
            "A page of the issues.",
        ))
}

async fn of_project(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let filter = read_list(asked.params(), Scope::All, asked.now().date())?;
    let paging = Paging::offset(asked.params())?;
    let (viewer, today) = (asked.viewer(), asked.now().date());
    let details = filter.with_label_details;
    let found = asked.read(move |tx, project, access| {
        let filter = filter.resolve(tx, in_project(&project, access), viewer)?;
        let page = tx.list_issues(&filter, today, paging)?;
        Ok(Loaded::page(tx, page)?)
    });
    let found = found.await?;
    page(&asked, paging, found, (true, details))
}

async fn of_milestone(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let mut filter = read_list(asked.params(), Scope::All, asked.now().date())?;
    let id = asked.number(MILESTONE.name, MilestoneContent::NAME)?;
    filter.filter.milestone_id = Some(MilestoneId::new(id));
    let paging = Paging::offset(asked.params())?;
    let (viewer, today) = (asked.viewer(), asked.now().date());
    let details = filter.with_label_details;
    let found = asked.read(move |tx, project, access| {
        Record::<MilestoneContent>::find(tx, project.id, MilestoneId::new(id))?;
        let filter = filter.resolve(tx, in_project(&project, access), viewer)?;
        let page = tx.list_issues(&filter, today, paging)?;
        Ok(Loaded::page(tx, page)?)
    });
    let found = found.await?;
    page(&asked, paging, found, (true, details))
}

async fn of_group(asked: SeesGroup<Read>) -> Result<HttpResponse, Failure> {
    let filter = read_list(asked.params(), Scope::All, asked.now().date())?;
    let paging = Paging::offset(asked.params())?;
    let (viewer, today) = (asked.viewer(), asked.now().date());
    let details = filter.with_label_details;
    let found = asked.read(move |tx, group, _| {
        let filter = filter.resolve(tx, IssuePlace::Group(group.id), viewer)?;
        let page = tx.list_issues(&filter, today, paging)?;
        Ok(Loaded::page(tx, page)?)
    });
    let found = found.await?;
    page(&asked, paging, found, (false, details))
}

async fn everywhere(asked: AsUser<Read>) -> Result<HttpResponse, Failure> {
    let viewer = viewer(asked.who());
    let filter = read_list(asked.params(), Scope::Created, asked.now().date())?;
    let paging = Paging::offset(asked.params())?;
    let today = asked.now().date();
    let details = filter.with_label_details;
    let found = asked.read(move |tx| {
        let filter = filter.resolve(tx, IssuePlace::Everywhere, viewer)?;
        let page = tx.list_issues(&filter, today, paging)?;
        Ok(Loaded::page(tx, page)?)
    });
    let found = found.await?;
    page(&asked, paging, found, (false, details))
}

fn page(
    asked: &ApiRequest,
    paging: OffsetPage,
    found: Loaded,
    (is_in_project, with_label_details): (bool, bool),
) -> Result<HttpResponse, Failure> {
    let mut view = View::of(asked);
    view.shape.is_in_project = is_in_project;
    view.shape.with_label_details = with_label_details;
    asked.page(paging, found.all(&view), |issue| issue)
}
