//! `/api/v4/projects/:id/alert_management_alerts/:iid/incident`: the incident of an alert, and
//! `/api/v4/projects/:id/issues/:issue_iid/alerts`: the alerts of an incident (`ALRT-10`).

use accounts::wire::UserSummary;
use actix_web::HttpResponse;
use alert_intake::wire::AlertJson;
use api_conventions::error::ApiError;
use api_conventions::ids::{AlertIid, IssueIid};
use api_conventions::paging::Paging;
use gatehouse_core::flows::incidents::{self as flows, IncidentRefusal};
use projects::flow::issues::find_issue;
use projects::wire::IssueJson;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post,
};

use super::one::{IID, issue_iid};
use super::view::{IssuesWithRecords, View};
use super::{TAG, refused};
use crate::config::RequestLimit;
use crate::frame::api::ApiRequest;
use crate::frame::limits::LimitedOperation as _;
use crate::frame::project::PROJECT;
use crate::frame::project_user::{AtLeast, UserInProject};
use crate::frame::scopes::{Developer, ReadApi, WriteApi};

const INCIDENT: &str = "/api/v4/projects/{id}/alert_management_alerts/{iid}/incident";

const ALERT_IID: Parameter = Parameter::path(
    "iid",
    ParameterKind::ID,
    "IID of the alert: its number within the project.",
);

const INCIDENT_IID: Parameter = Parameter::body(
    "incident_iid",
    ParameterKind::ID,
    "IID of an existing incident to link. Without it, an incident is created.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get(
            "listIncidentAlerts",
            "/api/v4/projects/{id}/issues/{issue_iid}/alerts",
            list,
        )
        .documented(TAG, "List the alerts of an incident")
        .takes([PROJECT, IID])
        .paged(Pages::Offset)
        .response(ResponseSpec::json::<Vec<AlertJson>>(
            200,
            "A page of alerts, in the order in which they were received.",
        )),
        post("createAlertIncident", INCIDENT, create)
            .limited_by(RequestLimit::IssueCreation)
            .documented(
                TAG,
                "Create an incident for an alert, or link an existing one",
            )
            .takes([PROJECT, ALERT_IID, INCIDENT_IID])
            .response(ResponseSpec::json::<IssueJson<UserSummary>>(
                201,
                "The incident.",
            ))
            .response(ResponseSpec::refusal(
                409,
                "The alert already has an incident.",
            )),
        delete("deleteAlertIncident", INCIDENT, remove)
            .documented(TAG, "Unlink an alert from its incident")
            .takes([PROJECT, ALERT_IID])
            .response(ResponseSpec::empty(204, "Unlinked.")),
    ]
}

async fn list(
    request: UserInProject<AtLeast<Developer>, ReadApi>,
) -> Result<HttpResponse, Failure> {
    let (iid, paging) = (issue_iid(&request)?, Paging::offset(request.params())?);
    let found = request.read(move |tx, project, by| {
        let issue = find_issue(tx, project.id, iid, by.viewer, by.access).map_err(refused)?;
        let page = tx.list_alerts_of_incident(issue.id, paging)?;
        Ok((page, project.full_path.as_str().to_owned()))
    });
    let (page, path) = found.await?;
    request.page(paging, page, |alert| {
        AlertJson::new(alert, request.base_url(), &path)
    })
}

async fn create(
    request: UserInProject<AtLeast<Developer>, WriteApi>,
) -> Result<HttpResponse, Failure> {
    let alert = alert_iid(&request)?;
    let mut read = request.params().reader();
    let existing = read.integer_within(INCIDENT_IID.name, 1..=i64::MAX);
    read.finish()?;
    let names = request.incident_names();
    let created = request.write(move |tx, project, by| {
        let issue = match existing.map(IssueIid::new) {
            Some(incident) => flows::link(tx, project, alert, incident, by),
            None => flows::create(tx, project, alert, &names, by),
        };
        Ok(IssuesWithRecords::one(
            tx,
            issue.map_err(incident_refused)?,
        )?)
    });
    let json = created.await?.0.single(View::of(&request), None)?;
    Ok(HttpResponse::Created().json(json))
}

async fn remove(request: UserInProject<AtLeast<Developer>, WriteApi>) -> Result<Deletion, Failure> {
    let (alert, condition) = (alert_iid(&request)?, request.precondition());
    let removed = request.write(move |tx, project, by| {
        let flow = |since| flows::unlink(tx, project, alert, since, by);
        condition.check_in(flow).map_err(incident_refused)
    });
    Ok(Deletion::no_content(removed.await?.0))
}

/// Response to a refusal of a flow on incidents. Store failures keep their cause for the log.
pub(super) fn incident_refused(refusal: IncidentRefusal) -> Failure {
    match refusal {
        IncidentRefusal::Store(error) => error.into(),
        IncidentRefusal::Issue(error) => refused(error),
        other => ApiError::from(other).into(),
    }
}

fn alert_iid(request: &ApiRequest) -> Result<AlertIid, ApiError> {
    request.number(ALERT_IID.name, "Alert").map(AlertIid::new)
}
