//! Success responses of the collector.

use actix_web::HttpResponse;
use error_tracking::collect::Acknowledged;
use error_tracking::protocol::rate_limit::RateLimit;
use schemars::JsonSchema;
use serde::Serialize;

use crate::frame::collector_failure::say_limits;

/// Response to an accepted request, with the id of its event if one is stored.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Taken {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

/// Builds the response to an accepted request, with the rate limits that the SDK must respect from now on.
pub(super) fn taken(acknowledged: Acknowledged, limits: &[RateLimit]) -> HttpResponse {
    let id = acknowledged.id().map(|id| id.to_string());
    let mut response = HttpResponse::Ok().json(Taken { id });
    say_limits(&mut response, limits);
    response
}
