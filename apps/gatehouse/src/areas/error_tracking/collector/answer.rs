//! What the collector answers to what it takes.

use actix_web::HttpResponse;
use error_tracking::collect::Acknowledged;
use error_tracking::protocol::rate_limit::RateLimit;
use schemars::JsonSchema;
use serde::Serialize;

use crate::frame::collector_failure::say_limits;

/// The answer to what was taken: the id of its event, if it had one that is kept.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Taken {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

/// Answers what was taken, with the limits that the SDK is to keep from now on.
pub(super) fn taken(acknowledged: Acknowledged, limits: &[RateLimit]) -> HttpResponse {
    let id = acknowledged.id().map(|id| id.to_string());
    let mut response = HttpResponse::Ok().json(Taken { id });
    say_limits(&mut response, limits);
    response
}
