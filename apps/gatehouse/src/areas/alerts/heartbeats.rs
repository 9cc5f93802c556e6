//! Heartbeats of alert endpoints: signs of life of senders, and their state over the API.
//!
//! A script or a timer calls the URL of the endpoint with `/ping` at its end, with the key of the endpoint. A client of
//! Opsgenie calls its own path below it.

use std::time::Instant;

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use alert_intake::flow::heartbeat::{find as find_heartbeat, rule_of};
use alert_intake::flow::integrations::find;
use alert_intake::model::{Heartbeat, HeartbeatRule, Integration};
use api_conventions::error::ApiError;
use api_conventions::time::Timestamp;
use gatehouse_core::flows::heartbeats::beat;
use schemars::JsonSchema;
use serde::Serialize;
use storage::StoreError;
use uuid::Uuid;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Operation, Parameter, ParameterKind, RateClass, ResponseSpec, get, patch, post, put,
};

use super::intake::{ENDPOINT, PROJECT, SLUG, authorize, key_of, named_identifier};
use super::integrations::{HEARTBEAT, ID, TAG, integration_id, refusal};
use super::opsgenie::{OpsgenieAnswer, respond};
use crate::frame::project::{InProject, PROJECT as OF_PROJECT};
use crate::frame::public::Sender;
use crate::frame::scopes::{Developer, ReadApi};
use crate::state::AppState;

const PING: &str = "/{*project}/alerts/notify/{slug}/{endpoint}/ping";
const OPSGENIE: &str = "/{*project}/alerts/notify/{slug}/{endpoint}/v2/heartbeats/{heartbeat}/ping";

const NOT_EXPECTED: &str = "The endpoint expects no heartbeat.";

const NAME: Parameter = Parameter::path(
    "heartbeat",
    ParameterKind::Text { min: 1, max: 200 },
    "Any name: an endpoint has one heartbeat.",
);

/// Heartbeat of an endpoint.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HeartbeatJson {
    /// `new` before the first sign of life, `alive`, or `missing`.
    status: &'static str,
    /// Seconds between two heartbeats.
    interval: u32,
    /// Seconds for which a heartbeat may be late.
    grace: u32,
    /// Time of the last sign of life.
    last_at: Option<Timestamp>,
    /// Time from which the next one is missing.
    due_at: Option<Timestamp>,
}

impl HeartbeatJson {
    fn new(rule: HeartbeatRule, heartbeat: Option<Heartbeat>) -> Self {
        Self {
            status: match &heartbeat {
                None => "new",
                Some(heartbeat) if heartbeat.is_missing() => "missing",
                Some(_) => "alive",
            },
            interval: rule.interval,
            grace: rule.grace,
            last_at: heartbeat.map(|heartbeat| heartbeat.last_at),
            due_at: heartbeat.and_then(|heartbeat| heartbeat.due_at),
        }
    }
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let described = |operation: Operation, summary| {
        operation
            .documented(TAG, summary)
            .takes([PROJECT, SLUG, ENDPOINT])
            .rated(RateClass::Intake)
    };
    let refused = || ResponseSpec::refusal(422, NOT_EXPECTED);
    let text = "Report a sign of life";
    let of_opsgenie = "Report a sign of life with a request to Opsgenie";
    let state = || ResponseSpec::json::<HeartbeatJson>(200, "The heartbeat.");
    let pong = |operation: Operation| {
        let mut operation = operation.takes([NAME]);
        for (status, text) in [
            (200, "The heartbeat is stored."),
            (401, "The key is not the key of the endpoint."),
            (403, "The endpoint is not active."),
            (422, NOT_EXPECTED),
        ] {
            operation = operation.response(ResponseSpec::json::<OpsgenieAnswer>(status, text));
        }
        operation
    };
    vec![
        described(get("pingHeartbeat", PING, ping), text)
            .response(state())
            .response(refused()),
        described(post("sendHeartbeat", PING, ping), text)
            .response(state())
            .response(refused()),
        pong(described(
            get("pingOpsgenieHeartbeat", OPSGENIE, ping_opsgenie),
            of_opsgenie,
        )),
        pong(described(
            post("sendOpsgenieHeartbeat", OPSGENIE, ping_opsgenie),
            of_opsgenie,
        )),
        pong(described(
            put("replaceOpsgenieHeartbeat", OPSGENIE, ping_opsgenie),
            of_opsgenie,
        )),
        pong(described(
            patch("updateOpsgenieHeartbeat", OPSGENIE, ping_opsgenie),
            of_opsgenie,
        )),
        get("showHeartbeat", HEARTBEAT, show)
            .documented(TAG, "Get the heartbeat of an alert endpoint")
            .takes([OF_PROJECT, ID])
            .response(state()),
    ]
}

async fn ping(
    request: HttpRequest,
    state: Data<AppState>,
    _: Sender,
) -> Result<HttpResponse, Failure> {
    let (rule, now) = receive(&request, &state).await?;
    Ok(HttpResponse::Ok().json(HeartbeatJson {
        status: "alive",
        interval: rule.interval,
        grace: rule.grace,
        last_at: Some(now),
        due_at: Some(now.plus_seconds(rule.patience())),
    }))
}

async fn ping_opsgenie(
    request: HttpRequest,
    state: Data<AppState>,
    _: Sender,
) -> Result<HttpResponse, Failure> {
    let began = Instant::now();
    let received = receive(&request, &state).await;
    respond(
        began,
        Uuid::new_v4(),
        received.map(|_| (StatusCode::OK, "PONG - Heartbeat received")),
    )
}

/// Stores the sign of life of a request with the key of its endpoint. Returns the rule and the time.
async fn receive(
    request: &HttpRequest,
    state: &AppState,
) -> Result<(HeartbeatRule, Timestamp), Failure> {
    let key = key_of(request.headers()).ok_or_else(ApiError::key_required)?;
    let endpoint = authorize(request, state, &named_identifier(request), &key).await?;
    let rule = rule_of(&endpoint)?;
    Ok((rule, record(state, &endpoint, rule).await?))
}

/// Stores a sign of life at an endpoint, and returns its time.
pub(super) async fn record(
    state: &AppState,
    endpoint: &Integration,
    rule: HeartbeatRule,
) -> Result<Timestamp, Failure> {
    let (endpoint, feed, now) = (endpoint.clone(), state.alert_feed(), state.now());
    let stored: Result<(), StoreError> = state
        .write(move |tx| beat(tx, &endpoint, rule, &feed, now))
        .await;
    stored?;
    Ok(now)
}

async fn show(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let id = integration_id(&request)?;
    let found = request.read(move |tx, project| {
        let endpoint = find(tx, project.id, id).map_err(refusal)?;
        let missing = || ApiError::not_found("Heartbeat");
        let rule = endpoint.settings.heartbeat.ok_or_else(missing)?;
        Ok((rule, find_heartbeat(tx, project.id, id)?))
    });
    let ((rule, heartbeat), _) = found.await?;
    request.json(&HeartbeatJson::new(rule, heartbeat))
}
