//! What deletions have in common: conditions (`API-15`), and those that are noted now and carried out later (`API-19`).

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use gatehouse_core::flows::delete_place::Schedule;
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::operations::{Answer, Kind, Parameter};

use super::api::ApiRequest;

/// Asks for haste.
pub const AT_ONCE: Parameter = Parameter::query(
    "permanently_remove",
    Kind::Boolean,
    "Whether to delete within a minute, and not after the days for which the deletion can be cancelled.",
);

/// When the caller last saw what it would delete.
pub const UNMODIFIED: Parameter = Parameter::header(
    "If-Unmodified-Since",
    Kind::ANY_TEXT,
    "A date as HTTP writes it: what changed in a later second is not deleted. Anything else is passed over.",
);

/// The refusal to delete what the caller has not seen as it is.
pub fn changed() -> Answer {
    Answer::refusal(412, "It changed meanwhile.")
}

/// What says that something will be done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Accepted {
    message: &'static str,
}

/// The answer that a deletion was noted.
pub fn accepted() -> HttpResponse {
    HttpResponse::Accepted().json(Accepted {
        message: "202 Accepted",
    })
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
