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
    Deletion, Operation, Parameter, ParameterKind, ResponseSpec, delete, get, post, put,
};

use super::edit::{CREATE, STATE_EVENT, UPDATE, body, read_edit};
use super::spam::check_spam;
use super::view::{IssuesWithRecords, View};
use super::{TAG, refused};
use crate::config::RequestLimit;
use crate::frame::api::{ApiRequest, AsAdministrator};
use crate::frame::limits::LimitedOperation as _;
use crate::frame::project::{PROJECT, SeesProject};
use crate::frame::project_user::{AuthorOr, CanViewProject, RoleInFlow, UserInProject};
use crate::frame::scopes::{Owner, ReadApi, Reporter, WriteApi};

const ISSUES: &str = "/api/v4/projects/{id}/issues";
const ISSUE: &str = "/api/v4/projects/{id}/issues/{issue_iid}";

pub(super) const IID: Parameter =
    Parameter::path("issue_iid", ParameterKind::ID, "The IID of the issue.");
const ID: Parameter = Parameter::path("id", ParameterKind::ID, "The id of the issue.");
pub(super) fn operations() -> Vec<Operation> {
    vec![
        post("createIssue", ISSUES, create)
            .limited_by(RequestLimit::IssueCreation)
            .documented(TAG, "Create an issue")
            .takes([PROJECT])
            .takes(body(true))
            .response(issue_response(201))
            .response(held()),
        get("showIssue", ISSUE, show)
            .documented(TAG, "Get an issue")
            .takes([PROJECT, IID])
            .response(issue_response(200)),
        put("updateIssue", ISSUE, update)
            .documented(TAG, "Update an issue; at least one field is required")
            .takes([PROJECT, IID])
            .takes(body(false))
            .takes([STATE_EVENT])
            .response(issue_response(200))
            .response(held()),
        delete("deleteIssue", ISSUE, remove)
            .documented(TAG, "Delete an issue")
            .takes([PROJECT, IID])
            .response(ResponseSpec::empty(204, "Deleted."))
            .response(ResponseSpec::refusal(
                412,
                "The issue has changed in the meantime.",
            )),
        get("showIssueById", "/api/v4/issues/{id}", show_by_id)
            .documented(TAG, "Get an issue by its id")
            .takes([ID])
            .response(issue_response(200)),
    ]
}

fn issue_response(status: u16) -> ResponseSpec {
    ResponseSpec::json::<IssueJson<UserSummary>>(status, "The issue.")
}

fn held() -> ResponseSpec {
    ResponseSpec::refusal(
        409,
        "Suspected spam: send the request again with a solved CAPTCHA.",
    )
}

async fn create(request: UserInProject<CanViewProject, WriteApi>) -> Result<HttpResponse, Failure> {
    let edit = read_edit(request.params(), &CREATE)?;
    let created_at = edit.created_at;
    let cleared = check_spam(&request, None, &edit.edit.content).await?;
    let edit = cleared.with(edit.edit);
    let created = request.write(move |tx, project, by| {
        let issue = flows::create(tx, project, edit.clone(), created_at, by);
        Ok(IssuesWithRecords::one(tx, issue.map_err(refused)?)?)
    });
    let (created, _) = created.await?;
    let json = created.single(View::of(&request), None)?;
    Ok(HttpResponse::Created().json(json))
}

async fn show(request: SeesProject<ReadApi>) -> Result<HttpResponse, Failure> {
    let (iid, viewer) = (issue_iid(&request)?, request.viewer());
    let found = request.read(move |tx, project, access| {
        let issue = find_issue(tx, project.id, iid, viewer, access).map_err(refused)?;
        Ok(IssuesWithRecords::one(tx, issue)?)
    });
    let found = found.await?;
    request.json(&found.single(View::of(&request), viewer.user_id())?)
}

async fn update(
    request: UserInProject<AuthorOr<Reporter>, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let iid = issue_iid(&request)?;
    let edit = read_edit(request.params(), &UPDATE)?;
    let cleared = check_spam(&request, Some(iid), &edit.edit.content).await?;
    let edit = cleared.with(edit.edit);
    let changed = request.write(move |tx, project, by| {
        let issue = flows::update(tx, project, iid, edit.clone(), by);
        Ok(IssuesWithRecords::one(tx, issue.map_err(refused)?)?)
    });
    let (changed, _) = changed.await?;
    request.json(&changed.single(View::of(&request), None)?)
}

async fn remove(request: UserInProject<RoleInFlow<Owner>, WriteApi>) -> Result<Deletion, Failure> {
    let (iid, condition) = (issue_iid(&request)?, request.precondition());
    let deleted = request.write(move |tx, project, by| {
        let flow = |since| flows::delete(tx, project, iid, since, by);
        condition.check_in(flow).map_err(refused)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

async fn show_by_id(request: AsAdministrator<ReadApi>) -> Result<HttpResponse, Failure> {
    let id = IssueId::new(request.number(ID.name, Issue::NAME)?);
    let found = request.read(move |tx| {
        let unseen = || ApiError::not_found(Issue::NAME);
        let issue = tx.find_issue_by_id(id)?.ok_or_else(unseen)?;
        // The project may be pending deletion.
        let project = ProjectRef::Id(issue.project_id);
        tx.find_project(&project)?.ok_or_else(unseen)?;
        Ok(IssuesWithRecords::one(tx, issue)?)
    });
    let viewer = Some(request.caller().user.id);
    request.json(&found.await?.single(View::of(&request), viewer)?)
}

/// Parses the IID in the path.
pub(super) fn issue_iid(request: &ApiRequest) -> Result<IssueIid, ApiError> {
    request.number(IID.name, Issue::NAME).map(IssueIid::new)
}
