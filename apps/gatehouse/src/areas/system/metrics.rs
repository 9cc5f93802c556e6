//! `GET /-/metrics`: counters for Prometheus.

use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::credentials::Authorization;
use api_conventions::error::ApiError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, get};

use crate::frame::public::MetricsReader;
use crate::state::AppState;
use crate::state::metrics::TEXT_FORMAT;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![get("metrics", "/-/metrics", metrics)]
}

/// Responds with all metrics to a caller with the configured token.
/// Without a configured token there are no metrics, for anyone.
async fn metrics(
    request: HttpRequest,
    state: Data<AppState>,
    _: MetricsReader,
) -> Result<HttpResponse, Failure> {
    let expected = state.settings.metrics.token.as_ref();
    let expected = expected.ok_or_else(|| ApiError::not_found("Metrics"))?;
    let sent = request.headers().get(AUTHORIZATION);
    let sent = sent.and_then(|sent| Authorization::parse(sent.to_str().ok()?));
    if sent.map(|sent| sent.into_secret().digest()).as_ref() != Some(expected) {
        return Err(ApiError::unauthorized().into());
    }
    let text = state.metrics_text();
    let text = text.map_err(|error| Failure::caused(ApiError::internal(), error))?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, TEXT_FORMAT))
        .body(text))
}
