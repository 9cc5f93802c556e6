//! The Events API of `PagerDuty`, version 2, below the URL of an alert endpoint.
//!
//! Its clients send the key in the body, and need their own form of responses: a JSON object with the key of the event.
//! The endpoint's key is their routing key; it is removed from the body before anything is stored.

use std::future::ready;

use actix_web::http::StatusCode;
use actix_web::web::{Bytes, Data, Payload};
use actix_web::{HttpRequest, HttpResponse, ResponseError as _};
use alert_intake::payload::{DeliveryFormat, MAX_NESTING};
use alert_intake::rules::exact::ExactJson;
use api_conventions::error::ApiError;
use api_conventions::secret::PlainSecret;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;
use web_conventions::body::{BodyLimits, BodySender, read_body};
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, RateClass, ResponseSpec, post};

use super::intake::{DeliveryBody, ENDPOINT, PROJECT, SLUG, authorize, deliver, named_identifier};
use super::payloads::PAGERDUTY;
use crate::frame::public::Sender;
use crate::state::AppState;

/// Largest event in bytes, as in the original.
const MAX_BYTES: usize = 512 * 1024;

const ROUTING_KEY: &str = "routing_key";
const DEDUP_KEY: &str = "dedup_key";

/// Refusal of a key, which clients read as text.
const WRONG_KEY: &str = "routing_key is not the key of this alert endpoint";

/// Response to an event.
#[derive(Debug, Serialize, JsonSchema)]
struct EventAnswer {
    status: &'static str,
    message: String,
    dedup_key: String,
}

/// Response to a refused event.
#[derive(Debug, Serialize, JsonSchema)]
struct EventRefusal {
    status: &'static str,
    message: String,
    errors: Vec<String>,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        post(
            "enqueueEvent",
            "/{*project}/alerts/notify/{slug}/{endpoint}/v2/enqueue",
            enqueue,
        )
        .documented(
            "alerts",
            "Trigger, acknowledge or resolve an alert with an event of PagerDuty",
        )
        .takes([PROJECT, SLUG, ENDPOINT])
        .reads(PAGERDUTY)
        .rated(RateClass::Intake)
        .response(ResponseSpec::json::<EventAnswer>(
            202,
            "The event is stored.",
        ))
        .response(ResponseSpec::json::<EventRefusal>(
            400,
            "The event is invalid, or its routing key is not the key of the endpoint.",
        )),
    ]
}

async fn enqueue(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: Sender,
) -> Result<HttpResponse, Failure> {
    match receive(&request, payload, &state).await {
        Ok(dedup_key) => Ok(HttpResponse::Accepted().json(EventAnswer {
            status: "success",
            message: "Event processed".to_owned(),
            dedup_key,
        })),
        Err(failure) if is_invalid(failure.status_code()) => {
            let reason = reason_of(&failure);
            Ok(HttpResponse::BadRequest().json(EventRefusal {
                status: "invalid event",
                message: reason.clone(),
                errors: vec![reason],
            }))
        }
        Err(failure) => Err(failure),
    }
}

/// Returns the sentence for the client.
fn reason_of(failure: &Failure) -> String {
    match failure.status_code() {
        StatusCode::UNAUTHORIZED => WRONG_KEY.to_owned(),
        _ => failure.refusal().sentence(),
    }
}

/// True for refusals that clients must not retry.
fn is_invalid(status: StatusCode) -> bool {
    status.is_client_error()
        && ![StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].contains(&status)
}

/// Stores an event, and returns its key.
async fn receive(
    request: &HttpRequest,
    payload: Payload,
    state: &AppState,
) -> Result<String, Failure> {
    let limits = BodyLimits {
        max_bytes: MAX_BYTES,
        timeout: state.settings.server.body_timeout,
        budget: &state.bodies,
        sender: BodySender::Anonymous,
    };
    let body = read_body(request, payload, limits).await?;
    let mut event = event_of(&body)?;
    let key = match event.remove(ROUTING_KEY) {
        Some(Value::String(key)) => PlainSecret::new(&key),
        _ => return Err(ApiError::bad_request("routing_key is missing").into()),
    };
    let integration = authorize(request, state, &named_identifier(request), &key).await?;
    let dedup_key = dedup_key_of(&mut event)?;
    let event = ExactJson::from(Value::Object(event));
    let read = DeliveryBody {
        key: None,
        format: DeliveryFormat::Json,
        body: Bytes::from(event.to_string()),
    };
    deliver(request, state, &integration, ready(Ok(read))).await?;
    Ok(dedup_key)
}

/// Parses an event.
fn event_of(body: &[u8]) -> Result<Map<String, Value>, ApiError> {
    let invalid = || ApiError::malformed_body("the event is not a JSON object");
    let text = std::str::from_utf8(body).map_err(|_| invalid())?;
    let repaired = api_conventions::json::repair(text, MAX_NESTING)?;
    let event = ExactJson::parse(&repaired.text).map_err(|_| invalid())?;
    match event.tree() {
        Value::Object(fields) if fields.contains_key("event_action") => Ok(fields.clone()),
        Value::Object(_) => Err(ApiError::bad_request("event_action is missing")),
        _ => Err(invalid()),
    }
}

/// Returns the key of an event. One that triggers an alert without a key gets a new one, so that it is an alert of its
/// own.
fn dedup_key_of(event: &mut Map<String, Value>) -> Result<String, ApiError> {
    let is_trigger = event.get("event_action").and_then(Value::as_str) == Some("trigger");
    match event.get(DEDUP_KEY) {
        Some(Value::String(key)) if !key.is_empty() => Ok(key.clone()),
        None | Some(Value::Null | Value::String(_)) if is_trigger => {
            let key = Uuid::new_v4().simple().to_string();
            event.insert(DEDUP_KEY.to_owned(), Value::String(key.clone()));
            Ok(key)
        }
        _ => Err(ApiError::bad_request(
            "dedup_key is missing, or is not a text",
        )),
    }
}
