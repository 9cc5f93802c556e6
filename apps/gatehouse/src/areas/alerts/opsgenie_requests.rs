//! Outcomes of requests to Opsgenie, which its clients get by the id in the response to a request.
//!
//! A request is processed before its response, which says only that it will be, as the original does. The id of a request is the
//! idempotency key of its delivery, so its outcome is kept as long as a response to retries: one day.

use std::time::Instant;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use alert_intake::model::{Alert, ContentDigest, IdempotencyRecord};
use alert_intake::payload::IdempotencyKey;
use api_conventions::error::ApiError;
use api_conventions::ids::IntegrationId;
use api_conventions::reference::decode_segment;
use api_conventions::time::Timestamp;
use gatehouse_core::database::ReadTransaction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::{Lane, StoreError};
use uuid::Uuid;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Operation, Parameter, ParameterKind, RateClass, ResponseSpec, get,
};

use super::intake::{ENDPOINT, PROJECT, SLUG, authorize, key_of, named_identifier};
use super::opsgenie::{OpsgenieAnswer, respond, with_milliseconds};
use crate::frame::public::Sender;
use crate::state::AppState;

/// Word in place of an alias. The path is that of changes of an alert, whose alias may be the same word.
const REQUESTS: Parameter = Parameter::path(
    "alert",
    ParameterKind::Word(&["requests"]),
    "The word `requests`.",
);

const REQUEST: Parameter = Parameter::path(
    "action",
    ParameterKind::Text { min: 1, max: 200 },
    "`requestId` of the response to the request.",
);

/// Action of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestAction {
    Create,
    Close,
    Acknowledge,
    Other,
}

impl RequestAction {
    const ALL: [Self; 4] = [Self::Create, Self::Close, Self::Acknowledge, Self::Other];

    fn named(name: &str) -> Self {
        let mut named = Self::ALL.into_iter();
        named
            .find(|action| action.name() == name)
            .unwrap_or(Self::Other)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Close => "close",
            Self::Acknowledge => "acknowledge",
            Self::Other => "other",
        }
    }

    /// Returns the name of the action in an outcome, and its sentence.
    const fn shown(self) -> (&'static str, &'static str) {
        match self {
            Self::Create => ("Create", "Created alert"),
            Self::Close => ("Close", "Closed alert"),
            Self::Acknowledge => ("Acknowledge", "Acknowledged alert"),
            Self::Other => ("Other", "Updated alert"),
        }
    }

    /// Returns the key under which the outcome of a request is kept, unless the id is not one of ours.
    fn key(self, id: &str) -> Option<IdempotencyKey> {
        IdempotencyKey::parse(&format!("opsgenie-{}-{id}", self.name()))
    }
}

/// Returns the key under which the outcome of a request with this action is kept.
pub(super) fn outcome_key(action: &str, id: Uuid) -> Option<IdempotencyKey> {
    RequestAction::named(action).key(&id.to_string())
}

/// Response with the outcome of a request.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RequestOutcomeAnswer {
    data: RequestOutcome,
    /// Time that this request took, in seconds.
    #[serde(serialize_with = "with_milliseconds")]
    took: f64,
    request_id: String,
}

/// Outcome of a request.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RequestOutcome {
    /// True if the request changed or confirmed an alert.
    success: bool,
    is_success: bool,
    /// Action of the request: `Create`, `Close`, `Acknowledge`, or `Other`.
    action: &'static str,
    /// Outcome in words.
    status: &'static str,
    processed_at: Timestamp,
    integration_id: String,
    /// Number of the alert in its project.
    #[serde(skip_serializing_if = "Option::is_none")]
    alert_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alias: Option<String>,
}

/// Field of the report of an alert.
#[derive(Deserialize)]
struct AliasField {
    alias: String,
}

impl RequestOutcome {
    fn new(action: RequestAction, record: &IdempotencyRecord, alert: Option<&Alert>) -> Self {
        let (action, done) = action.shown();
        let is_success = !record.alerts.is_empty();
        let reported = alert.map(|alert| serde_json::from_str::<AliasField>(&alert.payload));
        Self {
            success: is_success,
            is_success,
            action,
            status: if is_success { done } else { "No open alert" },
            processed_at: record.received_at,
            integration_id: record.integration_id.to_string(),
            alert_id: record.alerts.first().map(|(iid, _)| iid.to_string()),
            alias: reported.and_then(Result::ok).map(|field| field.alias),
        }
    }
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let mut operation = get(
        "showOpsgenieRequest",
        "/{*project}/alerts/notify/{slug}/{endpoint}/v2/alerts/{alert}/{action}",
        show,
    )
    .documented("alerts", "Get the outcome of a request to Opsgenie")
    .takes([PROJECT, SLUG, ENDPOINT, REQUESTS, REQUEST])
    .rated(RateClass::Intake)
    .response(ResponseSpec::json::<RequestOutcomeAnswer>(
        200,
        "The outcome.",
    ));
    for (status, text) in [
        (401, "The key is not the key of the endpoint."),
        (403, "The endpoint is not active."),
        (
            404,
            "The endpoint received no such request in the last day.",
        ),
    ] {
        operation = operation.response(ResponseSpec::json::<OpsgenieAnswer>(status, text));
    }
    vec![operation]
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    _: Sender,
) -> Result<HttpResponse, Failure> {
    let (began, id) = (Instant::now(), Uuid::new_v4());
    match outcome(&request, &state).await {
        Ok(data) => Ok(HttpResponse::Ok().json(RequestOutcomeAnswer {
            data,
            took: began.elapsed().as_secs_f64(),
            request_id: id.to_string(),
        })),
        Err(failure) => respond(began, id, Err(failure)),
    }
}

/// Finds the outcome of the request that the path names.
async fn outcome(request: &HttpRequest, state: &AppState) -> Result<RequestOutcome, Failure> {
    let key = key_of(request.headers()).ok_or_else(ApiError::key_required)?;
    let endpoint = authorize(request, state, &named_identifier(request), &key).await?;
    let missing = || ApiError::not_found("Request");
    if request.match_info().get(REQUESTS.name) != Some("requests") {
        return Err(missing().into());
    }
    let segment = request.match_info().get(REQUEST.name);
    let id = segment.and_then(decode_segment).unwrap_or_default();
    let read = state.database.read(Lane::Shared, move |tx| {
        let Some((action, record)) = find(tx, endpoint.id, &id)? else {
            return Ok(None);
        };
        let alert = match record.alerts.first() {
            Some((iid, _)) => tx.find_alert(endpoint.project_id, *iid)?,
            None => None,
        };
        Ok(Some(RequestOutcome::new(action, &record, alert.as_ref())))
    });
    let found: Result<Option<RequestOutcome>, StoreError> = read.await;
    Ok(found?.ok_or_else(missing)?)
}

/// Finds the record of a request to an endpoint, and its action, which is part of the key.
fn find(
    tx: &mut dyn ReadTransaction,
    endpoint: IntegrationId,
    id: &str,
) -> Result<Option<(RequestAction, IdempotencyRecord)>, StoreError> {
    let keys = RequestAction::ALL
        .into_iter()
        .filter_map(|action| Some((action, action.key(id)?.digest())));
    let keys: Vec<(RequestAction, ContentDigest)> = keys.collect();
    let wanted: Vec<_> = keys.iter().map(|(_, key)| (endpoint, *key)).collect();
    let record = tx.list_idempotency_records(&wanted)?.into_iter().next();
    Ok(record.and_then(|record| {
        let (action, _) = keys.iter().find(|(_, key)| *key == record.key.key)?;
        Some((*action, record))
    }))
}
