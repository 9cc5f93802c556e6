//! `/api/v4/projects/:id/alert_management_alerts`: the alerts of a project, and the receipts of its endpoints.

use actix_web::HttpResponse;
use alert_intake::flow::set_status::{RequestedStatus, SetStatusError};
use alert_intake::model::{AlertFilter, AlertOrder, Severity};
use alert_intake::wire::{AlertDetailJson, AlertJson, ReceiptJson};
use api_conventions::error::ApiError;
use api_conventions::ids::{AlertIid, ProjectId, ReceiptId};
use api_conventions::page::{Position, SortOrder};
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use gatehouse_core::flows::change_alert::{ChangeAlertError, change_alert};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Operation, Pages, Parameter, ParameterKind, ResponseSpec, get, put,
};

use crate::frame::api::ApiRequest;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Developer, ReadApi, WriteApi};

const ALERTS: &str = "/api/v4/projects/{id}/alert_management_alerts";
const ALERT: &str = "/api/v4/projects/{id}/alert_management_alerts/{iid}";
const RECEIPTS: &str = "/api/v4/projects/{id}/alert_receipts";

const RECEIPT: &str = "/api/v4/projects/{id}/alert_receipts/{receipt_id}";

const TAG: &str = "alerts";
const IID: Parameter = Parameter::path(
    "iid",
    ParameterKind::ID,
    "IID of the alert: its number within the project.",
);

const RECEIPT_ID: Parameter =
    Parameter::path("receipt_id", ParameterKind::ID, "ID of the receipt.");

const CURSOR: Parameter = Parameter::query(
    "cursor",
    ParameterKind::Matching(Position::PATTERN),
    "Position at which the list continues. The link to the next page contains it if a search could examine only some of the alerts.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listAlerts", ALERTS, list)
            .documented(TAG, "List the alerts of a project")
            .takes([
                PROJECT,
                Parameter::query(
                    "status",
                    ParameterKind::Words(&RequestedStatus::NAMES),
                    "Filter by status.",
                ),
                Parameter::query(
                    "severity",
                    ParameterKind::Words(&Severity::NAMES),
                    "Filter by severity.",
                ),
                Parameter::query("search", ParameterKind::ANY_TEXT, "Text to search for."),
                Parameter::query(
                    "order_by",
                    ParameterKind::Word(&AlertOrder::NAMES),
                    "Sort column.",
                ),
                Parameter::query(
                    "sort",
                    ParameterKind::Word(&SortOrder::NAMES),
                    "Sort direction.",
                ),
                CURSOR,
            ])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<AlertJson>>(
                200,
                "A page of alerts.",
            )),
        get("showAlert", ALERT, show)
            .documented(TAG, "Get an alert")
            .takes([PROJECT, IID])
            .response(ResponseSpec::json::<AlertDetailJson>(200, "The alert.")),
        put("updateAlert", ALERT, update)
            .documented(TAG, "Update the status of an alert")
            .takes([
                PROJECT,
                IID,
                Parameter::body(
                    "status",
                    ParameterKind::Word(&RequestedStatus::NAMES),
                    "New status.",
                )
                .required(),
            ])
            .response(ResponseSpec::json::<AlertJson>(200, "The updated alert."))
            .response(ResponseSpec::refusal(
                409,
                "Another alert with the same identity is open.",
            )),
        get("listAlertReceipts", RECEIPTS, receipts)
            .documented(TAG, "List the alert receipts of a project")
            .takes([PROJECT])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<ReceiptJson>>(
                200,
                "A page of receipts, newest first.",
            )),
        get("showAlertReceipt", RECEIPT, receipt)
            .documented(TAG, "Get an alert receipt")
            .takes([PROJECT, RECEIPT_ID])
            .response(ResponseSpec::json::<ReceiptJson>(200, "The receipt.")),
    ]
}

async fn list(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let mut filter = read_filter(request.params())?;
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx, project| {
        filter.project_id = project.id;
        Ok(tx.list_alerts(&filter, paging)?)
    });
    let (page, project) = found.await?;
    let path = project.full_path.as_str();
    request.page(paging, page, |alert| {
        AlertJson::new(alert, request.base_url(), path)
    })
}

/// Parses the alert filter of a request; the caller sets the project once it is resolved.
pub(super) fn read_filter(params: &Params) -> Result<AlertFilter, ApiError> {
    let mut read = params.reader();
    let mut filter = AlertFilter::new(ProjectId::new(0));
    let status = |word: &str| RequestedStatus::parse(word).map(RequestedStatus::number);
    filter.statuses = read.words("status", status);
    filter.severities = read.words("severity", Severity::parse);
    filter.search = read.text("search").filter(|text| !text.is_empty());
    filter.order_by = read.word("order_by", AlertOrder::parse).unwrap_or_default();
    filter.sort = read.word("sort", SortOrder::parse).unwrap_or_default();
    read.finish()?;
    filter.after = Paging::cursor(params)?;
    Ok(filter)
}

async fn show(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let iid = alert_iid(&request)?;
    let found = request.read(move |tx, project| Ok(tx.find_alert(project.id, iid)?));
    let (alert, project) = found.await?;
    let alert = alert.ok_or_else(|| ApiError::not_found("Alert"))?;
    let word = &request.settings().naming.service;
    let path = project.full_path.as_str();
    request.json(&AlertDetailJson::new(alert, request.base_url(), path, word))
}

async fn update(request: InProject<Developer, WriteApi>) -> Result<HttpResponse, Failure> {
    let iid = alert_iid(&request)?;
    let status = read_status(request.params())?;
    let (actor, now) = (request.actor_id(), request.now());
    let changed = request.write(move |tx, project| {
        change_alert(tx, project.id, iid, status, actor, now).map_err(refused)
    });
    let (alert, project) = changed.await?;
    let path = project.full_path.as_str();
    request.json(&AlertJson::new(alert.summary, request.base_url(), path))
}

pub(super) fn refused(error: ChangeAlertError) -> Failure {
    match error {
        ChangeAlertError::Status(SetStatusError::Store(error)) | ChangeAlertError::Store(error) => {
            error.into()
        }
        ChangeAlertError::Status(refusal) => ApiError::from(refusal).into(),
    }
}

fn read_status(params: &Params) -> Result<RequestedStatus, ApiError> {
    let mut read = params.reader();
    let word = read.word("status", RequestedStatus::parse);
    let status = read.required("status", word);
    read.finish()?;
    status.value()
}

async fn receipts(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx, project| Ok(tx.list_receipts(project.id, paging)?));
    let (page, _) = found.await?;
    request.page(paging, page, ReceiptJson::from)
}

async fn receipt(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let id = ReceiptId::new(request.number(RECEIPT_ID.name, "Receipt")?);
    let found = request.read(move |tx, project| Ok(tx.find_receipt(project.id, id)?));
    let (receipt, _) = found.await?;
    let receipt = receipt.ok_or_else(|| ApiError::not_found("Receipt"))?;
    request.json(&ReceiptJson::from(receipt))
}

/// Number of the alert in the path.
fn alert_iid(request: &ApiRequest) -> Result<AlertIid, ApiError> {
    request.number(IID.name, "Alert").map(AlertIid::new)
}
