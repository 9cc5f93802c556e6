//! `/api/v4/projects/:id/alert_management_alerts`: the alerts of a project, and what its endpoints received.

use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use alert_intake::flow::set_status::WantedStatus;
use alert_intake::model::{AlertFilter, AlertOrder, Severity};
use alert_intake::wire::{AlertDetailJson, AlertJson, ReceiptJson};
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use api_conventions::page::SortOrder;
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use storage::Store as _;

use crate::extract::caller::{Caller, READ, WRITE};
use crate::extract::params::list_address;
use crate::extract::project::{ProjectRequest, alert_iid};
use crate::http::answer;
use crate::http::endpoint::at;
use crate::http::failure::Failure;
use crate::state::AppState;
use gatehouse_core::flows::change_alert::{ChangeAlertError, change_alert};
use gatehouse_core::flows::project::ProjectRefusal;

/// Mounts the endpoints.
pub fn configure(service: &mut ServiceConfig) {
    let alerts = "/api/v4/projects/{id}/alert_management_alerts";
    service.service(at(alerts).get(list).build());
    service.service(
        at(&format!("{alerts}/{{iid}}"))
            .get(show)
            .put(update)
            .build(),
    );
    service.service(
        at("/api/v4/projects/{id}/alert_receipts")
            .get(receipts)
            .build(),
    );
}

async fn list(
    request: HttpRequest,
    state: Data<AppState>,
    caller: Caller,
) -> Result<HttpResponse, Failure> {
    caller.signed_in(READ)?;
    let wanted = ProjectRequest::new(&request, &caller, READ)?;
    let mut filter = read_filter(caller.params())?;
    let asked = Paging::offset(caller.params())?;
    let found = state.database.read(caller.lane(), move |tx| {
        let project = wanted.find_for(tx, AccessLevel::Developer)?;
        filter.project_id = project.id;
        Ok::<_, ProjectRefusal>((tx.list_alerts(&filter, asked)?, project))
    });
    let (page, project) = found.await?;
    let headers = list_address(&request, &state).offset_headers(asked, &page);
    let path = project.full_path.as_str();
    let shown = page.map(|alert| AlertJson::new(alert, &state.base_url, path));
    answer::page(&request, &shown.items, headers)
}

/// The conditions that the request sets. The project is filled in when it is known.
fn read_filter(params: &Params) -> Result<AlertFilter, ApiError> {
    let mut read = params.reader();
    let mut filter = AlertFilter::new(ProjectId::new(0));
    let status = |word: &str| WantedStatus::parse(word).map(WantedStatus::number);
    filter.statuses = read.words("status", status);
    filter.severities = read.words("severity", Severity::parse);
    filter.search = read.text("search").filter(|text| !text.is_empty());
    filter.order_by = read.word("order_by", AlertOrder::parse).unwrap_or_default();
    filter.sort = read.word("sort", SortOrder::parse).unwrap_or_default();
    read.finish()?;
    Ok(filter)
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    caller: Caller,
) -> Result<HttpResponse, Failure> {
    caller.signed_in(READ)?;
    let wanted = ProjectRequest::new(&request, &caller, READ)?;
    let iid = alert_iid(&request)?;
    let found = state.database.read(caller.lane(), move |tx| {
        let project = wanted.find_for(tx, AccessLevel::Developer)?;
        Ok::<_, ProjectRefusal>((tx.find_alert(project.id, iid)?, project))
    });
    let (alert, project) = found.await?;
    let alert = alert.ok_or_else(|| ApiError::not_found("Alert"))?;
    let word = &state.settings.naming.service;
    let path = project.full_path.as_str();
    answer::json(
        &request,
        &AlertDetailJson::new(alert, &state.base_url, path, word),
    )
}

async fn update(
    request: HttpRequest,
    state: Data<AppState>,
    caller: Caller,
) -> Result<HttpResponse, Failure> {
    let actor = caller.signed_in(WRITE)?.user.id;
    let wanted = ProjectRequest::new(&request, &caller, WRITE)?;
    let iid = alert_iid(&request)?;
    let status = read_status(caller.params())?;
    let now = caller.now();
    let changed = state.database.write(move |tx| {
        let project = wanted.find_for(tx, AccessLevel::Developer)?;
        let alert = change_alert(tx, project.id, iid, status, (actor, now))?;
        Ok::<_, ChangeAlertError>((alert, project))
    });
    let (alert, project) = changed.await?;
    let path = project.full_path.as_str();
    answer::json(
        &request,
        &AlertJson::new(alert.summary, &state.base_url, path),
    )
}

fn read_status(params: &Params) -> Result<WantedStatus, ApiError> {
    let mut read = params.reader();
    let word = read.word("status", WantedStatus::parse);
    let status = read.required("status", word);
    read.finish()?;
    status.value()
}

async fn receipts(
    request: HttpRequest,
    state: Data<AppState>,
    caller: Caller,
) -> Result<HttpResponse, Failure> {
    caller.signed_in(READ)?;
    let wanted = ProjectRequest::new(&request, &caller, READ)?;
    let asked = Paging::offset(caller.params())?;
    let found = state.database.read(caller.lane(), move |tx| {
        let project = wanted.find_for(tx, AccessLevel::Developer)?;
        Ok::<_, ProjectRefusal>(tx.list_receipts(project.id, asked)?)
    });
    let page = found.await?;
    let headers = list_address(&request, &state).offset_headers(asked, &page);
    answer::page(&request, &page.map(ReceiptJson::from).items, headers)
}
