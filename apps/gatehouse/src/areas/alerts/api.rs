//! `/api/v4/projects/:id/alert_management_alerts`: the alerts of a project, and the receipts of its endpoints.

use actix_web::HttpResponse;
use alert_intake::flow::set_status::{SetStatusError, WantedStatus};
use alert_intake::model::{AlertFilter, AlertOrder, Severity};
use alert_intake::wire::{AlertDetailJson, AlertJson, ReceiptJson};
use api_conventions::error::ApiError;
use api_conventions::ids::{AlertIid, ProjectId, ReceiptId};
use api_conventions::page::{Position, SortOrder};
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use gatehouse_core::flows::change_alert::{ChangeAlertError, change_alert};
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Pages, Parameter, get, put};

use crate::frame::api::ApiRequest;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Developer, Read, Write};

const ALERTS: &str = "/api/v4/projects/{id}/alert_management_alerts";
const ALERT: &str = "/api/v4/projects/{id}/alert_management_alerts/{iid}";
const RECEIPTS: &str = "/api/v4/projects/{id}/alert_receipts";

const RECEIPT: &str = "/api/v4/projects/{id}/alert_receipts/{receipt_id}";

const TAG: &str = "alerts";
const IID: Parameter = Parameter::path("iid", Kind::ID, "The number of the alert in its project.");

const RECEIPT_ID: Parameter = Parameter::path("receipt_id", Kind::ID, "The id of the receipt.");

const CURSOR: Parameter = Parameter::query(
    "cursor",
    Kind::Matching(Position::PATTERN),
    "Where the list goes on, as the link to the next page says it where a search could examine only a part of the alerts.",
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
                    Kind::Words(&WantedStatus::NAMES),
                    "Only alerts of these statuses.",
                ),
                Parameter::query(
                    "severity",
                    Kind::Words(&Severity::NAMES),
                    "Only alerts of these severities.",
                ),
                Parameter::query(
                    "search",
                    Kind::ANY_TEXT,
                    "Only alerts that contain this text.",
                ),
                Parameter::query(
                    "order_by",
                    Kind::Word(&AlertOrder::NAMES),
                    "By what the list is ordered.",
                ),
                Parameter::query("sort", Kind::Word(&SortOrder::NAMES), "In which direction."),
                CURSOR,
            ])
            .paged(Pages::Offset)
            .answers(Answer::json::<Vec<AlertJson>>(200, "A page of the alerts.")),
        get("showAlert", ALERT, show)
            .documented(TAG, "Show an alert")
            .takes([PROJECT, IID])
            .answers(Answer::json::<AlertDetailJson>(200, "The alert.")),
        put("updateAlert", ALERT, update)
            .documented(TAG, "Change the status of an alert")
            .takes([
                PROJECT,
                IID,
                Parameter::body(
                    "status",
                    Kind::Word(&WantedStatus::NAMES),
                    "The status that it is to have.",
                )
                .required(),
            ])
            .answers(Answer::json::<AlertJson>(200, "The alert as it is now."))
            .answers(Answer::refusal(
                409,
                "Another alert with the same identity is open.",
            )),
        get("listAlertReceipts", RECEIPTS, receipts)
            .documented(TAG, "List what the alert endpoints of a project received")
            .takes([PROJECT])
            .paged(Pages::Offset)
            .answers(Answer::json::<Vec<ReceiptJson>>(
                200,
                "A page of the receipts, the newest first.",
            )),
        get("showAlertReceipt", RECEIPT, receipt)
            .documented(TAG, "Show what one delivery to an alert endpoint became")
            .takes([PROJECT, RECEIPT_ID])
            .answers(Answer::json::<ReceiptJson>(200, "The receipt.")),
    ]
}

async fn list(asked: InProject<Developer, Read>) -> Result<HttpResponse, Failure> {
    let mut filter = read_filter(asked.params())?;
    let paging = Paging::offset(asked.params())?;
    let found = asked.read(move |tx, project| {
        filter.project_id = project.id;
        Ok(tx.list_alerts(&filter, paging)?)
    });
    let (page, project) = found.await?;
    let path = project.full_path.as_str();
    asked.page(paging, page, |alert| {
        AlertJson::new(alert, asked.base_url(), path)
    })
}

/// Parses the alert filter of a request; the caller sets the project once it is resolved.
pub(super) fn read_filter(params: &Params) -> Result<AlertFilter, ApiError> {
    let mut read = params.reader();
    let mut filter = AlertFilter::new(ProjectId::new(0));
    let status = |word: &str| WantedStatus::parse(word).map(WantedStatus::number);
    filter.statuses = read.words("status", status);
    filter.severities = read.words("severity", Severity::parse);
    filter.search = read.text("search").filter(|text| !text.is_empty());
    filter.order_by = read.word("order_by", AlertOrder::parse).unwrap_or_default();
    filter.sort = read.word("sort", SortOrder::parse).unwrap_or_default();
    read.finish()?;
    filter.after = Paging::cursor(params)?;
    Ok(filter)
}

async fn show(asked: InProject<Developer, Read>) -> Result<HttpResponse, Failure> {
    let iid = alert_iid(&asked)?;
    let found = asked.read(move |tx, project| Ok(tx.find_alert(project.id, iid)?));
    let (alert, project) = found.await?;
    let alert = alert.ok_or_else(|| ApiError::not_found("Alert"))?;
    let word = &asked.settings().naming.service;
    let path = project.full_path.as_str();
    asked.json(&AlertDetailJson::new(alert, asked.base_url(), path, word))
}

async fn update(asked: InProject<Developer, Write>) -> Result<HttpResponse, Failure> {
    let iid = alert_iid(&asked)?;
    let status = read_status(asked.params())?;
    let by = (asked.actor(), asked.now());
    let changed = asked
        .write(move |tx, project| change_alert(tx, project.id, iid, status, by).map_err(refused));
    let (alert, project) = changed.await?;
    let path = project.full_path.as_str();
    asked.json(&AlertJson::new(alert.summary, asked.base_url(), path))
}

pub(super) fn refused(error: ChangeAlertError) -> Failure {
    match error {
        ChangeAlertError::Status(SetStatusError::Store(error)) | ChangeAlertError::Store(error) => {
            error.into()
        }
        ChangeAlertError::Status(refusal) => ApiError::from(refusal).into(),
    }
}

fn read_status(params: &Params) -> Result<WantedStatus, ApiError> {
    let mut read = params.reader();
    let word = read.word("status", WantedStatus::parse);
    let status = read.required("status", word);
    read.finish()?;
    status.value()
}

async fn receipts(asked: InProject<Developer, Read>) -> Result<HttpResponse, Failure> {
    let paging = Paging::offset(asked.params())?;
    let found = asked.read(move |tx, project| Ok(tx.list_receipts(project.id, paging)?));
    let (page, _) = found.await?;
    asked.page(paging, page, ReceiptJson::from)
}

async fn receipt(request: InProject<Developer, Read>) -> Result<HttpResponse, Failure> {
    let id = ReceiptId::new(request.number(RECEIPT_ID.name, "Receipt")?);
    let found = request.read(move |tx, project| Ok(tx.find_receipt(project.id, id)?));
    let (receipt, _) = found.await?;
    let receipt = receipt.ok_or_else(|| ApiError::not_found("Receipt"))?;
    request.json(&ReceiptJson::from(receipt))
}

/// Number of the alert in the path.
fn alert_iid(asked: &ApiRequest) -> Result<AlertIid, ApiError> {
    asked.number(IID.name, "Alert").map(AlertIid::new)
}
