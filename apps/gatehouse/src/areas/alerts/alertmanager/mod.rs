//! Alertmanager's API, version 2, below the URL of an alert endpoint: Prometheus sends alerts to it, and `amtool`, karma and
//! Grafana list them and manage silences.
//!
//! The responses are those of Alertmanager: exactly 200, lists and objects instead of `null`, and a JSON string as the body
//! of a refusal.

mod access;
mod alerts;
mod filter;
mod silences;
mod status;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, RateClass, ResponseSpec};

pub(super) use silences::{order as silence_order, refused};

use super::intake::{ENDPOINT, PROJECT, SLUG};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    [
        alerts::operations(),
        silences::operations(),
        status::operations(),
    ]
    .concat()
}

/// Documents an operation, whose refusals are JSON strings.
fn described(operation: Operation, summary: &'static str, rate: RateClass) -> Operation {
    operation
        .documented("alerts", summary)
        .takes([PROJECT, SLUG, ENDPOINT])
        .rated(rate)
        .response(ResponseSpec::json::<String>(400, "The request is invalid."))
}

/// Answers as Alertmanager does: its clients read the body of a refused request as a JSON string.
fn respond(answer: Result<HttpResponse, Failure>) -> Result<HttpResponse, Failure> {
    use actix_web::ResponseError as _;

    let texts = [
        StatusCode::BAD_REQUEST,
        StatusCode::NOT_FOUND,
        StatusCode::UNPROCESSABLE_ENTITY,
    ];
    answer.or_else(|failure| {
        if !texts.contains(&failure.status_code()) {
            return Err(failure);
        }
        let status = match failure.status_code() {
            StatusCode::NOT_FOUND => StatusCode::NOT_FOUND,
            _ => StatusCode::BAD_REQUEST,
        };
        Ok(HttpResponse::build(status).json(failure.refusal().sentence()))
    })
}
