//! `/api/v4/projects/:id/issues/:issue_iid`: a single issue.
//! The path identifies it by its IID; only administrators can get an issue by its id (`API-17`).

use accounts::wire::UserSummary;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{IssueId, IssueIid};
use api_conventions::reference::ProjectRef;
use gatehouse_core::flows::issues as flows;
use projects::Issue;
use projects::flow::issues::find_issue;
use projects::wire::IssueJson;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Answer, Deletion, Kind, Operation, Parameter, delete, get, post, put,
};

use super::edit::{CREATED, STATE_EVENT, UPDATED, body, read_edit};
use super::shown::{Loaded, View};
use super::spam::cleared;
use super::{TAG, refused};
use crate::frame::api::{ApiRequest, AsAdministrator};
use crate::frame::project::{PROJECT, SeesProject};
use crate::frame::project_user::{OwnOr, RoleInFlow, Seeing, UserInProject};
use crate::frame::scopes::{Owner, Read, Reporter, Write};

const ISSUES: &str = "/api/v4/projects/{id}/issues";
const ISSUE: &str = "/api/v4/projects/{id}/issues/{issue_iid}";

pub(super) const IID: Parameter = Parameter::path(
    "issue_iid",
    Kind::ID,
    "The number of the issue in its project.",
);
const ID: Parameter = Parameter::path("id", Kind::ID, "The id of the issue.");
pub(super) fn operations() -> Vec<Operation> {
    vec![
        post("createIssue", ISSUES, create)
            .documented(TAG, "Make an issue")
            .takes([PROJECT])
            .takes(body(true))
            .answers(shown(201))
            .answers(held()),
        get("showIssue", ISSUE, show)
            .documented(TAG, "Show an issue")
            .takes([PROJECT, IID])
            .answers(shown(200)),
        put("updateIssue", ISSUE, update)
            .documented(TAG, "Change an issue: at least one of its fields")
            .takes([PROJECT, IID])
            .takes(body(false))
            .takes([STATE_EVENT])
            .answers(shown(200))
            .answers(held()),
        delete("deleteIssue", ISSUE, remove)
            .documented(TAG, "Delete an issue")
            .takes([PROJECT, IID])
            .answers(Answer::empty(204, "It is gone."))
            .answers(Answer::refusal(412, "It changed meanwhile.")),
        get("showIssueById", "/api/v4/issues/{id}", show_by_id)
            .documented(TAG, "Show an issue by its id")
            .takes([ID])
            .answers(shown(200)),
    ]
}

fn shown(status: u16) -> Answer {
    Answer::json::<IssueJson<UserSummary>>(status, "The issue.")
}

fn held() -> Answer {
    Answer::refusal(
        409,
        "It looks like spam, and goes through with the solution of a CAPTCHA.",
    )
}

async fn create(asked: UserInProject<Seeing, Write>) -> Result<HttpResponse, Failure> {
    let edit = read_edit(asked.params(), &CREATED)?;
    let created_at = edit.created_at;
    let cleared = cleared(&asked, None, &edit.edit.content).await?;
    let edit = cleared.with(edit.edit);
    let made = asked.write(move |tx, project, by| {
        let issue = flows::create(tx, project, edit.clone(), created_at, by);
        Ok(Loaded::one(tx, issue.map_err(refused)?)?)
    });
    let (made, _) = made.await?;
    let shown = made.single(View::of(&asked), None)?;
    Ok(HttpResponse::Created().json(shown))
}

async fn show(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let (iid, viewer) = (issue_iid(&asked)?, asked.viewer());
    let found = asked.read(move |tx, project, access| {
        let issue = find_issue(tx, project.id, iid, viewer, access).map_err(refused)?;
        Ok(Loaded::one(tx, issue)?)
    });
    let found = found.await?;
    asked.json(&found.single(View::of(&asked), viewer.user_id())?)
}

async fn update(asked: UserInProject<OwnOr<Reporter>, Write>) -> Result<HttpResponse, Failure> {
    let iid = issue_iid(&asked)?;
    let edit = read_edit(asked.params(), &UPDATED)?;
    let cleared = cleared(&asked, Some(iid), &edit.edit.content).await?;
    let edit = cleared.with(edit.edit);
    let changed = asked.write(move |tx, project, by| {
        let issue = flows::update(tx, project, iid, edit.clone(), by);
        Ok(Loaded::one(tx, issue.map_err(refused)?)?)
    });
    let (changed, _) = changed.await?;
    asked.json(&changed.single(View::of(&asked), None)?)
}

async fn remove(request: UserInProject<RoleInFlow<Owner>, Write>) -> Result<Deletion, Failure> {
    let (iid, condition) = (issue_iid(&request)?, request.precondition());
    let deleted = request.write(move |tx, project, by| {
        let flow = |since| flows::delete(tx, project, iid, since, by);
        condition.check_in(flow).map_err(refused)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

async fn show_by_id(asked: AsAdministrator<Read>) -> Result<HttpResponse, Failure> {
    let id = IssueId::new(asked.number(ID.name, Issue::NAME)?);
    let found = asked.read(move |tx| {
        let unseen = || ApiError::not_found(Issue::NAME);
        let issue = tx.find_issue_by_id(id)?.ok_or_else(unseen)?;
        // The project may be pending deletion.
        let project = ProjectRef::Id(issue.project_id);
        tx.find_project(&project)?.ok_or_else(unseen)?;
        Ok(Loaded::one(tx, issue)?)
    });
    let viewer = Some(asked.who().user.id);
    asked.json(&found.await?.single(View::of(&asked), viewer)?)
}

/// Parses the IID in the path.
pub(super) fn issue_iid(asked: &ApiRequest) -> Result<IssueIid, ApiError> {
    asked.number(IID.name, Issue::NAME).map(IssueIid::new)
}
