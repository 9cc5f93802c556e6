//! The routes.

use alert_intake::flow::authorize::authorize;
use alert_intake::model::{AlertFilter, Integration};
use alert_intake::payload::{IdempotencyKey, ParseContext, parse};
use alert_intake::store::AlertQueries as _;
use alert_intake::wire::{AlertJson, IntakeAlertJson};
use alert_intake::work::ReceiveAlerts;
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use api_conventions::page::OffsetPage;
use api_conventions::system::{OsRandomness, SystemClock};
use api_conventions::time::Clock as _;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::header::{AUTHORIZATION, USER_AGENT};
use axum::http::{HeaderMap, HeaderName};
use axum::response::Json;
use axum::routing::get;
use storage::{Lane, Store as _, StoreExt as _};

use crate::host::Host;
use crate::response::ErrorResponse;

/// Largest body, in bytes.
const MAX_BODY_BYTES: usize = 1 << 20;
/// Maximum number of alerts on the list's only page.
const PAGE_LENGTH: u64 = 100;
/// Header with the sender's key for a POST, by which a retry is recognized.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The routes of a host.
pub fn router(host: Host) -> Router {
    Router::new()
        .route("/projects/{project}/alerts", get(list).post(receive))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(host)
}

/// Receives a POST. A response of 200 means that all its alerts are stored.
async fn receive(
    State(host): State<Host>,
    Path(project): Path<i64>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Vec<IntakeAlertJson>>, ErrorResponse> {
    let integration = authorized(&host, ProjectId::new(project), &headers).await?;
    let mut context = ParseContext::new(&integration, SystemClock.now(), &OsRandomness);
    context.user_agent = text(&headers, &USER_AGENT).map(str::to_owned);
    context.key = idempotency_key(&headers)?;
    let delivery = parse(&body, integration.source, &context).map_err(ApiError::from)?;
    let outcome = host
        .store
        .write_grouped(ReceiveAlerts::new(delivery))
        .await?;
    Ok(Json(IntakeAlertJson::of(outcome.map_err(ApiError::from)?)))
}

/// Lists alerts, for holders of the key.
async fn list(
    State(host): State<Host>,
    Path(project): Path<i64>,
    headers: HeaderMap,
) -> Result<Json<Vec<AlertJson>>, ErrorResponse> {
    let project = ProjectId::new(project);
    authorized(&host, project, &headers).await?;
    let page = host.store.query(move |tx| {
        tx.list_alerts(&AlertFilter::new(project), OffsetPage::new(1, PAGE_LENGTH))
    });
    let path = format!("projects/{}", project.get());
    let shown = page.await?.items.into_iter();
    let shown = shown.map(|alert| AlertJson::new(alert, "http://localhost:8080", &path));
    Ok(Json(shown.collect()))
}

/// Returns the endpoint of a project if the request has its key.
async fn authorized(
    host: &Host,
    project: ProjectId,
    headers: &HeaderMap,
) -> Result<Box<Integration>, ErrorResponse> {
    let header = text(headers, &AUTHORIZATION).map(str::to_owned);
    let now = SystemClock.now();
    let decision = host.store.query_in(Lane::Check, move |tx| {
        let identifier = Integration::GENERIC_IDENTIFIER;
        authorize(tx, Some(project), identifier, header.as_deref(), now)
    });
    Ok(decision.await?.authorized()?)
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, ApiError> {
    let Some(value) = headers.get(IDEMPOTENCY_KEY) else {
        return Ok(None);
    };
    let key = value.to_str().ok().and_then(IdempotencyKey::parse);
    key.map(Some)
        .ok_or_else(|| ApiError::bad_request("the Idempotency-Key is not a key"))
}

/// The value of a header, if it is text.
fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}
