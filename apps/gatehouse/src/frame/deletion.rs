//! Deletion of projects and groups: scheduled now and carried out later (`API-19`).

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use gatehouse_core::flows::deletion::DeletionSchedule;
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::operations::{Deletion, Parameter, ParameterKind, Unmodified};

use super::api::ApiRequest;

/// Parameter that requests immediate deletion.
pub const AT_ONCE: Parameter = Parameter::query(
    "permanently_remove",
    ParameterKind::Boolean,
    "True to delete within a minute instead of after the days in which the deletion can be canceled.",
);

/// Body of the response to a scheduled deletion.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Accepted")]
pub struct DeletionAccepted {
    message: &'static str,
}

/// Response to a scheduled deletion.
pub fn accepted(proof: Unmodified) -> Deletion {
    let response = HttpResponse::Accepted().json(DeletionAccepted {
        message: "202 Accepted",
    });
    Deletion::with(proof, response)
}

/// Parses the schedule of a deletion.
///
/// # Errors
/// 400 for an invalid parameter.
pub fn schedule(request: &ApiRequest) -> Result<DeletionSchedule, ApiError> {
    let mut read = request.params().reader();
    let at_once = read.boolean(AT_ONCE.name).unwrap_or_default();
    read.finish()?;
    Ok(DeletionSchedule {
        delay_seconds: request.settings().projects.deletion_delay_seconds,
        at_once,
    })
}
