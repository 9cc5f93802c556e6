//! The alert API of Opsgenie, version 2, below the URL of an alert endpoint.
//!
//! Its clients send the key as `GenieKey`, and read every response as a JSON object with the time that it took, even that
//! of a refusal. An alert is known by its alias.

use std::future::ready;
use std::time::Instant;

use actix_web::http::StatusCode;
use actix_web::web::{Bytes, Data, Payload};
use actix_web::{HttpRequest, HttpResponse, ResponseError as _};
use alert_intake::payload::{DeliveryFormat, MAX_NESTING};
use alert_intake::rules::exact::ExactJson;
use api_conventions::error::ApiError;
use api_conventions::reference::decode_segment;
use schemars::JsonSchema;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use uuid::Uuid;
use web_conventions::body::{BodyLimits, BodySender, read_body};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Operation, Parameter, ParameterKind, RateClass, ResponseSpec, post, put,
};

use super::intake::{
    DeliveryBody, ENDPOINT, PROJECT, SLUG, authorize, deliver, key_of, named_identifier,
};
use super::opsgenie_requests::outcome_key;
use super::payloads::{OPSGENIE, OPSGENIE_ACTION};
use crate::frame::public::Sender;
use crate::state::AppState;

const ALERT: Parameter = Parameter::path(
    "alert",
    ParameterKind::Text { min: 1, max: 512 },
    "Alias of the alert.",
);

const ACTION: Parameter = Parameter::path(
    "action",
    ParameterKind::Text { min: 1, max: 50 },
    "`close` and `acknowledge` change the alert; any other action only leaves a receipt.",
);

/// Response to a request.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OpsgenieAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Time that the request took, in seconds.
    #[serde(serialize_with = "with_milliseconds")]
    took: f64,
    #[serde(rename = "requestId")]
    request_id: String,
}

/// Writes seconds with three decimals, so that equal requests have responses of the same length, as HEAD and GET must.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
pub(super) fn with_milliseconds<S: Serializer>(
    seconds: &f64,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let text = RawValue::from_string(format!("{seconds:.3}"));
    text.map_err(S::Error::custom)?.serialize(serializer)
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let described = |operation: Operation, summary, body| {
        let mut operation = operation
            .documented("alerts", summary)
            .takes([PROJECT, SLUG, ENDPOINT])
            .reads(body)
            .rated(RateClass::Intake)
            .response(ResponseSpec::json::<OpsgenieAnswer>(
                202,
                "The request is processed.",
            ));
        for (status, text) in [
            (401, "The key is not the key of the endpoint."),
            (403, "The endpoint is not active."),
            (422, "The request is invalid."),
        ] {
            operation = operation.response(ResponseSpec::json::<OpsgenieAnswer>(status, text));
        }
        operation
    };
    let create = post(
        "createOpsgenieAlert",
        "/{*project}/alerts/notify/{slug}/{endpoint}/v2/alerts",
        create,
    );
    let act = post(
        "changeOpsgenieAlert",
        "/{*project}/alerts/notify/{slug}/{endpoint}/v2/alerts/{alert}/{action}",
        act,
    );
    let replace = put(
        "updateOpsgenieAlert",
        "/{*project}/alerts/notify/{slug}/{endpoint}/v2/alerts/{alert}/{action}",
        self::act,
    );
    vec![
        described(
            create,
            "Create an alert with a request to Opsgenie",
            OPSGENIE,
        ),
        described(
            act.takes([ALERT, ACTION]),
            "Close or acknowledge an alert with a request to Opsgenie",
            OPSGENIE_ACTION,
        ),
        described(
            replace.takes([ALERT, ACTION]),
            "Report a new message or description with a request to Opsgenie",
            OPSGENIE_ACTION,
        ),
    ]
}

async fn create(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: Sender,
) -> Result<HttpResponse, Failure> {
    answer(&request, payload, &state, |mut fields| {
        if !fields.get("message").is_some_and(Value::is_string) {
            return Err(ApiError::unprocessable(
                "message is missing, or is not a text",
            ));
        }
        // Without an alias each request is an alert of its own.
        let own = || Value::String(Uuid::new_v4().to_string());
        fields.entry("alias").or_insert_with(own);
        fields.insert("action".to_owned(), Value::from("create"));
        Ok(fields)
    })
    .await
}

async fn act(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: Sender,
) -> Result<HttpResponse, Failure> {
    let named = |parameter: Parameter| {
        let segment = request.match_info().get(parameter.name);
        segment.and_then(decode_segment).unwrap_or_default()
    };
    let (alias, action) = (named(ALERT), named(ACTION));
    answer(&request, payload, &state, move |mut fields| {
        fields.insert("alias".to_owned(), Value::String(alias.clone()));
        fields.insert("action".to_owned(), Value::String(action.clone()));
        Ok(fields)
    })
    .await
}

/// Stores a request whose body `complete` turns into that of a delivery, and answers as Opsgenie does.
async fn answer(
    request: &HttpRequest,
    payload: Payload,
    state: &AppState,
    complete: impl FnOnce(Map<String, Value>) -> Result<Map<String, Value>, ApiError>,
) -> Result<HttpResponse, Failure> {
    let (began, id) = (Instant::now(), Uuid::new_v4());
    let received = receive(request, payload, state, id, complete).await;
    let received = received.map(|()| (StatusCode::ACCEPTED, "Request will be processed"));
    respond(began, id, received)
}

/// Answers a request with this id as Opsgenie does, with the status and the result of a request that was received, or with its
/// refusal. Its clients read each body as an object.
pub(super) fn respond(
    began: Instant,
    id: Uuid,
    received: Result<(StatusCode, &'static str), Failure>,
) -> Result<HttpResponse, Failure> {
    let status = match &received {
        Ok((status, _)) => *status,
        Err(failure) if failure.status_code().is_client_error() => failure.status_code(),
        Err(_) => return received.map(|_| HttpResponse::Accepted().finish()),
    };
    Ok(HttpResponse::build(status).json(OpsgenieAnswer {
        result: received.as_ref().ok().map(|(_, result)| *result),
        message: received.err().map(|failure| failure.refusal().sentence()),
        took: began.elapsed().as_secs_f64(),
        request_id: id.to_string(),
    }))
}

async fn receive(
    request: &HttpRequest,
    payload: Payload,
    state: &AppState,
    id: Uuid,
    complete: impl FnOnce(Map<String, Value>) -> Result<Map<String, Value>, ApiError>,
) -> Result<(), Failure> {
    let key = key_of(request.headers()).ok_or_else(ApiError::key_required)?;
    let integration = authorize(request, state, &named_identifier(request), &key).await?;
    let limits = BodyLimits {
        max_bytes: state.settings.intake.max_body_bytes,
        timeout: state.settings.server.body_timeout,
        budget: &state.bodies,
        sender: BodySender::Authorized,
    };
    let body = read_body(request, payload, limits).await?;
    let fields = complete(fields_of(&body)?)?;
    let action = fields.get("action").and_then(Value::as_str);
    let key = outcome_key(action.unwrap_or_default(), id);
    let fields = ExactJson::from(Value::Object(fields));
    let read = DeliveryBody {
        key,
        format: DeliveryFormat::Json,
        body: Bytes::from(fields.to_string()),
    };
    deliver(request, state, &integration, ready(Ok(read))).await?;
    Ok(())
}

/// Parses a body, which may be empty.
fn fields_of(body: &[u8]) -> Result<Map<String, Value>, ApiError> {
    let invalid = || ApiError::unprocessable("the body is not a JSON object");
    let text = std::str::from_utf8(body).map_err(|_| invalid())?;
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let repaired = api_conventions::json::repair(text, MAX_NESTING)?;
    let body = ExactJson::parse(&repaired.text).map_err(|_| invalid())?;
    match body.tree() {
        Value::Object(fields) => Ok(fields.clone()),
        _ => Err(invalid()),
    }
}
