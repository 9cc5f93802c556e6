//! What deletions of places have in common: they are noted now and carried out later (`API-19`).

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use gatehouse_core::flows::delete_place::Schedule;
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::operations::{Deletion, Kind, Parameter, Unmodified};

use super::api::ApiRequest;

/// Asks for haste.
pub const AT_ONCE: Parameter = Parameter::query(
    "permanently_remove",
    Kind::Boolean,
    "Whether to delete within a minute, and not after the days for which the deletion can be cancelled.",
);

/// What says that something will be done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Accepted {
    message: &'static str,
}

/// The answer that a deletion was noted.
pub fn accepted(proof: Unmodified) -> Deletion {
    let response = HttpResponse::Accepted().json(Accepted {
        message: "202 Accepted",
    });
    Deletion::with(proof, response)
}

/// When a deletion is to be carried out.
///
/// # Errors
/// 400 for a parameter that is wrong.
pub fn schedule(asked: &ApiRequest) -> Result<Schedule, ApiError> {
    let mut read = asked.params().reader();
    let at_once = read.boolean(AT_ONCE.name).unwrap_or_default();
    read.finish()?;
    Ok(Schedule {
        delay_seconds: asked.settings().projects.deletion_delay_seconds,
        at_once,
    })
}
