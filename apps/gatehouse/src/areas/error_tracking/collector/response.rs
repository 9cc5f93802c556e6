//! Success responses of the collector.

use actix_web::HttpResponse;
use error_tracking::collector::Acknowledgement;
use error_tracking::model::EventId;
use error_tracking::protocol::rate_limit::RateLimit;
use schemars::JsonSchema;
use serde::Serialize;

use crate::frame::collector_failure::set_limit_headers;

/// Response to an accepted request, with the id of its event if one is stored.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Taken")]
pub(super) struct CollectResponse {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

/// Builds the response to a check-in, with the id of its run.
pub(super) fn check_in_accepted(run: EventId) -> HttpResponse {
    HttpResponse::Accepted().json(CollectResponse {
        id: Some(run.to_string()),
    })
}

/// Builds the response to an accepted request, with the rate limits that the SDK must respect from now on.
pub(super) fn accepted(acknowledged: Acknowledgement, limits: &[RateLimit]) -> HttpResponse {
    let id = acknowledged.id().map(|id| id.to_string());
    let mut response = HttpResponse::Ok().json(CollectResponse { id });
    set_limit_headers(&mut response, limits);
    response
}
