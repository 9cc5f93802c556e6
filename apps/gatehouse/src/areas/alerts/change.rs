//! Changes of alerts over the API: status, severity and assignee, of one alert or of many.

use actix_web::HttpResponse;
use alert_intake::flow::set_status::{RequestedStatus, SetStatusError};
use alert_intake::flow::triage::AlertEdit;
use alert_intake::model::Severity;
use alert_intake::wire::AlertJson;
use api_conventions::error::ApiError;
use api_conventions::ids::{AlertIid, UserId};
use api_conventions::params::{ParamReader, Params};
use gatehouse_core::flows::change_alert::ChangeAlertError;
use gatehouse_core::flows::triage_alerts::{
    AlertEditor, AlertOutcome, MAX_ALERTS, edit_alert, edit_alerts,
};
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{MAX_ID, Operation, Parameter, ParameterKind, ResponseSpec, put};

use super::api::{ALERT, ALERTS, IID, TAG, alert_iid};
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Developer, WriteApi};

/// Attributes that a request can change.
const ATTRIBUTES: [Parameter; 4] = [
    Parameter::body(
        "status",
        ParameterKind::Word(&RequestedStatus::NAMES),
        "New status.",
    ),
    Parameter::body(
        "severity",
        ParameterKind::Word(&Severity::NAMES),
        "New severity.",
    ),
    Parameter::body(
        "assignee_id",
        ParameterKind::Integer {
            min: 0,
            max: MAX_ID,
        },
        "Id of the assignee, who must be able to read the alerts of the project; 0 or null to unassign.",
    ),
    Parameter::body(
        "assignee_ids",
        ParameterKind::Numbers,
        "The id of the assignee, as an array of one at most; empty to unassign.",
    ),
];

const IIDS: Parameter = Parameter::body(
    "iids",
    ParameterKind::Numbers,
    "IIDs of the alerts, at most 100.",
);

/// Outcome of a bulk change for one alert.
#[derive(Debug, Serialize, JsonSchema)]
struct AlertOutcomeJson {
    /// Number of the alert within its project.
    iid: AlertIid,
    /// `updated`, `unchanged` if the alert already had these values, `refused`, or `not_found`.
    outcome: &'static str,
    /// Reason why the alert was not changed.
    message: Option<String>,
    /// The alert, if it exists and the change was not refused.
    alert: Option<AlertJson>,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        put("updateAlerts", ALERTS, update_many)
            .documented(
                TAG,
                "Update the status, severity or assignee of several alerts",
            )
            .takes([PROJECT, IIDS.required()])
            .takes(ATTRIBUTES)
            .response(ResponseSpec::json::<Vec<AlertOutcomeJson>>(
                200,
                "The outcome for each alert, in the order of the request.",
            )),
        put("updateAlert", ALERT, update)
            .documented(TAG, "Update the status, severity or assignee of an alert")
            .takes([PROJECT, IID])
            .takes(ATTRIBUTES)
            .response(ResponseSpec::json::<AlertJson>(200, "The updated alert.")),
    ]
}

async fn update(request: InProject<Developer, WriteApi>) -> Result<HttpResponse, Failure> {
    let iid = alert_iid(&request)?;
    let mut read = request.params().reader();
    let edit = read_edit(&mut read, request.params());
    read.finish()?;
    let by = editor(&request);
    let changed = request
        .write(move |tx, project| edit_alert(tx, project.id, iid, edit, by).map_err(refused));
    let (alert, project) = changed.await?;
    let path = project.full_path.as_str();
    request.json(&AlertJson::new(alert, request.base_url(), path))
}

async fn update_many(request: InProject<Developer, WriteApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let iids = read_iids(&mut read);
    let edit = read_edit(&mut read, request.params());
    read.finish()?;
    let by = editor(&request);
    let changed = request
        .write(move |tx, project| edit_alerts(tx, project.id, &iids, edit, by).map_err(refused));
    let (outcomes, project) = changed.await?;
    let path = project.full_path.as_str();
    let json = |(iid, outcome)| outcome_json(iid, outcome, request.base_url(), path);
    let outcomes: Vec<AlertOutcomeJson> = outcomes.into_iter().map(json).collect();
    request.json(&outcomes)
}

fn editor(request: &InProject<Developer, WriteApi>) -> AlertEditor {
    AlertEditor {
        user: request.actor_id(),
        now: request.now(),
    }
}

fn outcome_json(
    iid: AlertIid,
    outcome: AlertOutcome,
    base_url: &str,
    path: &str,
) -> AlertOutcomeJson {
    let (outcome, message, alert) = match outcome {
        AlertOutcome::Updated(alert) => ("updated", None, Some(alert)),
        AlertOutcome::Unchanged(alert) => ("unchanged", None, Some(alert)),
        AlertOutcome::IdentityOpen(other) => {
            ("refused", Some(SetStatusError::IdentityOpen(other)), None)
        }
        _ => ("not_found", Some(SetStatusError::NotFound), None),
    };
    AlertOutcomeJson {
        iid,
        outcome,
        message: message.map(|reason| reason.to_string()),
        alert: alert.map(|alert| AlertJson::new(alert, base_url, path)),
    }
}

/// Converts a refused change to the response.
pub(super) fn refused(error: ChangeAlertError) -> Failure {
    match error {
        ChangeAlertError::Status(SetStatusError::Store(error)) | ChangeAlertError::Store(error) => {
            error.into()
        }
        ChangeAlertError::Status(refusal) => ApiError::from(refusal).into(),
        ChangeAlertError::Assignee => ApiError::bad_request(&error.to_string()).into(),
    }
}

/// Parses the numbers of the alerts of a bulk change, each once.
fn read_iids(read: &mut ParamReader<'_>) -> Vec<AlertIid> {
    read.demand(&[IIDS.name]);
    let mut iids: Vec<i64> = Vec::new();
    for iid in read.words(IIDS.name, |text| text.parse().ok()) {
        if !iids.contains(&iid) {
            iids.push(iid);
        }
    }
    if iids.is_empty() {
        read.fault(IIDS.name, "must name at least one alert");
    }
    if iids.len() > MAX_ALERTS {
        read.fault(IIDS.name, "must name at most 100 alerts");
    }
    iids.into_iter().map(AlertIid::new).collect()
}

/// Parses the changes, of which there must be at least one.
fn read_edit(read: &mut ParamReader<'_>, params: &Params) -> AlertEdit {
    let mut edit = AlertEdit {
        status: read.word("status", RequestedStatus::parse),
        severity: read.word("severity", Severity::parse),
        assignee_id: None,
    };
    read_assignee(read, &mut edit);
    // A blank text is no status, so a request with nothing else changes nothing.
    let is_blank = |name: &str| {
        let value = params.get(name);
        value.is_none_or(|value| value.is_null() || value.as_str().is_some_and(is_white))
    };
    let names = ATTRIBUTES.map(|parameter| parameter.name);
    if edit == AlertEdit::default() && names.into_iter().all(is_blank) {
        let problem = "are missing, at least one parameter must be provided";
        read.fault(&names.join(", "), problem);
    }
    edit
}

fn is_white(text: &str) -> bool {
    text.trim().is_empty()
}

/// Parses the assignee. The list counts if both names are given.
fn read_assignee(read: &mut ParamReader<'_>, edit: &mut AlertEdit) {
    let one = read.clearable_integer("assignee_id", 0..=MAX_ID);
    let many = read.is_given("assignee_ids").then(|| {
        let ids: Vec<i64> = read.words("assignee_ids", |text| text.parse().ok());
        if ids.len() > 1 {
            read.fault(
                "assignee_ids",
                "must name at most one user: an alert has one assignee",
            );
        }
        ids.first().copied()
    });
    let user = |id: Option<i64>| id.filter(|id| *id != 0).map(UserId::new);
    edit.assignee_id = many.or(one).map(user);
}
