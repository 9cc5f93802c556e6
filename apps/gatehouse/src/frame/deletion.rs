//! Deletion of projects and groups: scheduled now and carried out later (`API-19`).

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use gatehouse_core::flows::delete_place::Schedule;
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::operations::{Deletion, Kind, Parameter, Unmodified};

use super::api::ApiRequest;

/// Parameter that requests immediate deletion.
pub const AT_ONCE: Parameter = Parameter::query(
    "permanently_remove",
    Kind::Boolean,
    "Whether to delete within a minute, and not after the days for which the deletion can be cancelled.",
);

/// Body of the response to a scheduled deletion.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Accepted {
    message: &'static str,
}

/// Response to a scheduled deletion.
pub fn accepted(proof: Unmodified) -> Deletion {
    let response = HttpResponse::Accepted().json(Accepted {
        message: "202 Accepted",
    });
    Deletion::with(proof, response)
}

/// Parses the schedule of a deletion.
///
/// # Errors
/// 400 for an invalid parameter.
pub fn schedule(asked: &ApiRequest) -> Result<Schedule, ApiError> {
    let mut read = asked.params().reader();
    let at_once = read.boolean(AT_ONCE.name).unwrap_or_default();
    read.finish()?;
    Ok(Schedule {
        delay_seconds: asked.settings().projects.deletion_delay_seconds,
        at_once,
    })
}
