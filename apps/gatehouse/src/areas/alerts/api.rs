//! `/api/v4/projects/:id/alert_management_alerts`: the alerts of a project, and the receipts of its endpoints.

use actix_web::HttpResponse;
use alert_intake::wire::{AlertDetailJson, ReceiptJson};
use api_conventions::error::ApiError;
use api_conventions::ids::{AlertIid, ReceiptId};
use api_conventions::paging::Paging;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Pages, Parameter, ParameterKind, ResponseSpec, get};

use crate::frame::api::ApiRequest;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Developer, ReadApi};

pub(super) const ALERTS: &str = "/api/v4/projects/{id}/alert_management_alerts";
pub(super) const ALERT: &str = "/api/v4/projects/{id}/alert_management_alerts/{iid}";
const RECEIPTS: &str = "/api/v4/projects/{id}/alert_receipts";

const RECEIPT: &str = "/api/v4/projects/{id}/alert_receipts/{receipt_id}";

pub(super) const TAG: &str = "alerts";
pub(super) const IID: Parameter = Parameter::path(
    "iid",
    ParameterKind::ID,
    "IID of the alert: its number within the project.",
);

const RECEIPT_ID: Parameter =
    Parameter::path("receipt_id", ParameterKind::ID, "ID of the receipt.");

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("showAlert", ALERT, show)
            .documented(TAG, "Get an alert")
            .takes([PROJECT, IID])
            .response(ResponseSpec::json::<AlertDetailJson>(200, "The alert.")),
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

async fn show(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let iid = alert_iid(&request)?;
    let found = request.read(move |tx, project| Ok(tx.find_alert(project.id, iid)?));
    let (alert, project) = found.await?;
    let alert = alert.ok_or_else(|| ApiError::not_found("Alert"))?;
    let word = &request.settings().naming.service;
    let path = project.full_path.as_str();
    request.json(&AlertDetailJson::new(alert, request.base_url(), path, word))
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
pub(super) fn alert_iid(request: &ApiRequest) -> Result<AlertIid, ApiError> {
    request.number(IID.name, "Alert").map(AlertIid::new)
}
