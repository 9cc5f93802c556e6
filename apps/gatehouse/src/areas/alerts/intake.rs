//! Alert intake for monitoring systems (`ALRT-02` to `ALRT-08`).
//!
//! These are web paths, not paths of the API: they contain the project's full path with its slashes. The key of the
//! endpoint is the sender's only authentication. A transient failure always returns 503, because senders retry that
//! status only, and a 200 means that everything in the POST is committed.

use std::sync::Arc;

use actix_web::http::header::{AUTHORIZATION, HeaderMap, USER_AGENT};
use actix_web::web::{self, Bytes, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use alert_intake::flow::authorize::key_in;
use alert_intake::model::{Delivery, Integration, Source};
use alert_intake::payload::{DeliveryFormat, IdempotencyKey, ParseContext, parse};
use alert_intake::wire::{DryRunJson, IntakeAlertJson};
use api_conventions::error::ApiError;
use api_conventions::reference::{FullPath, decode_segment};
use api_conventions::secret::PlainSecret;
use schemars::JsonSchema;
use serde::Serialize;
use storage::Store as _;
use uuid::Uuid;

use web_conventions::body::{BodyLimits, BodySender, INLINE_BYTES, read_body};
use web_conventions::failure::Failure;
use web_conventions::media_type::{MediaType, require_json};
use web_conventions::operations::{
    Operation, Parameter, ParameterKind, RateClass, ResponseSpec, post,
};

use super::dry_run::dry_run;
use super::heartbeats::record;
use super::payloads::{GENERIC, METRICS};
use super::refused::refused;
use crate::frame::public::Sender;
use crate::state::AppState;
use crate::state::Behaviour;
use crate::state::metrics::DeliveryResult;
use gatehouse_core::flows::receive_alerts::{FeedEntries, ReceiveAlertsWithFeed};
use web_conventions::wake_batching::batched;

/// Request header with the idempotency key of a POST (`draft-ietf-httpapi-idempotency-key-header`).
/// The key identifies retries of the POST.
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The operations: one for each kind of endpoint.
pub(super) fn operations() -> Vec<Operation> {
    let described = |operation: Operation, summary, body| {
        operation
            .documented("alerts", summary)
            .takes([PROJECT, KEY, DRY_RUN])
            .reads(body)
            .rated(RateClass::Intake)
            .response(ResponseSpec::json::<IntakeResponse>(
                200,
                "The alerts that the request created or updated, all of which are stored; or, for a dry run, the effect that \
                 the request would have.",
            ))
            .response(ResponseSpec::refusal(
                422,
                "The body contains no usable alert, or the Idempotency-Key was already used with a different body.",
            ))
    };
    let metrics = post(
        "receiveMetricsAlerts",
        "/{*project}/prometheus/alerts/notify.json",
        receive_metrics,
    )
    .also_at(&["/{*project}/prometheus/alerts/notify"]);
    let generic = post(
        "receiveAlerts",
        "/{*project}/alerts/notify.json",
        receive_generic,
    )
    .also_at(&["/{*project}/alerts/notify"]);
    let named = post(
        "receiveNamedAlerts",
        "/{*project}/alerts/notify/{slug}/{endpoint}",
        receive_named,
    )
    .takes([SLUG, ENDPOINT]);
    vec![
        described(
            metrics,
            "Create alerts from an Alertmanager webhook",
            METRICS,
        ),
        described(
            generic,
            "Create or resolve alerts from the body of any sender",
            GENERIC,
        ),
        described(
            named,
            "Create or resolve alerts at a named endpoint",
            GENERIC,
        ),
    ]
}

pub(super) const PROJECT: Parameter = Parameter::path(
    "project",
    ParameterKind::Text { min: 1, max: 1024 },
    "Full path of the project, with its slashes.",
);

const KEY: Parameter = Parameter::header(
    "Idempotency-Key",
    ParameterKind::Matching(r#"^([!#-~][!-~]{0,254}|"([!#-\[\]-~]|\\["\\]){1,255}")$"#),
    "Key that the sender chooses for this request, with or without quotes. A retry with the same key and body within 24 hours \
     changes nothing and returns the first response.",
);

pub(super) const SLUG: Parameter = Parameter::path(
    "slug",
    ParameterKind::Text { min: 1, max: 255 },
    "Any name. It is decoration: the endpoint is found by its identifier alone.",
);

pub(super) const ENDPOINT: Parameter = Parameter::path(
    "endpoint",
    ParameterKind::Matching("^[A-Za-z0-9]{1,255}(\\.json)?$"),
    "Identifier of the endpoint, with or without `.json`.",
)
.example("0123456789abcdef");

const DRY_RUN: Parameter = Parameter::header(
    "Dry-Run",
    ParameterKind::Word(&["true", "false"]),
    "With `true`, nothing is stored, and the response says what the request would do.",
);

/// Response to a delivery.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum IntakeResponse {
    /// Alerts of a stored delivery.
    Stored(Vec<IntakeAlertJson>),
    /// Effect of a delivery that was not stored.
    DryRun(DryRunJson),
}

async fn receive_generic(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: Sender,
) -> Result<HttpResponse, Failure> {
    receive(&request, payload, &state, Integration::GENERIC_IDENTIFIER).await
}

async fn receive_metrics(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: Sender,
) -> Result<HttpResponse, Failure> {
    receive(&request, payload, &state, Integration::METRICS_IDENTIFIER).await
}

async fn receive_named(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: Sender,
) -> Result<HttpResponse, Failure> {
    let identifier = named_identifier(&request);
    receive(&request, payload, &state, &identifier).await
}

/// Identifier of the endpoint in the path; empty, as no endpoint has it, if it is not one.
pub(super) fn named_identifier(request: &HttpRequest) -> String {
    let end = request.match_info().get(ENDPOINT.name).unwrap_or_default();
    let end = end.strip_suffix(".json").unwrap_or(end);
    let is_valid = end.len() <= 255 && end.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_valid {
        end.to_owned()
    } else {
        String::new()
    }
}

/// Receives a delivery.
/// The sender is authenticated before its body is read, so only a key holder can make the server buffer one.
async fn receive(
    request: &HttpRequest,
    payload: Payload,
    state: &Data<AppState>,
    identifier: &str,
) -> Result<HttpResponse, Failure> {
    let key = key_of(request.headers()).ok_or_else(ApiError::key_required)?;
    let integration = authorize(request, state, identifier, &key).await?;
    let reading = read_delivery(request, payload, state);
    if is_dry_run(request.headers())? {
        let read = reading.await?;
        let mut delivery = parse_delivery(request, state, &integration, read).await?;
        if integration.settings.heartbeat.is_some() {
            // It would be a sign of life, and no alert.
            delivery.alerts.clear();
        }
        let effect = dry_run(state, delivery).await?;
        return Ok(HttpResponse::Ok().json(IntakeResponse::DryRun(effect)));
    }
    let stored = deliver(request, state, &integration, reading).await?.alerts;
    let answers = state
        .releases
        .has_for(request, Behaviour::AnswersOfAlertIntake);
    Ok(if answers {
        HttpResponse::Ok().json(IntakeResponse::Stored(stored))
    } else {
        HttpResponse::Ok().finish()
    })
}

/// True if the sender wants to know the effect of its delivery only.
fn is_dry_run(headers: &HeaderMap) -> Result<bool, ApiError> {
    match headers.get(DRY_RUN.name).map(|value| value.to_str()) {
        None | Some(Ok("false")) => Ok(false),
        Some(Ok("true")) => Ok(true),
        Some(_) => Err(ApiError::bad_request(
            "send `Dry-Run: true`, or no Dry-Run header",
        )),
    }
}

/// A read body, with its idempotency key and its format.
pub(super) struct DeliveryBody {
    pub(super) key: Option<IdempotencyKey>,
    pub(super) format: DeliveryFormat,
    pub(super) body: Bytes,
}

/// Reads the idempotency key and the body of an authenticated sender.
async fn read_delivery(
    request: &HttpRequest,
    payload: Payload,
    state: &AppState,
) -> Result<DeliveryBody, Failure> {
    let format = body_format(request.headers())?;
    read_as(request, payload, state, format).await
}

/// Reads the idempotency key, and the body as this format.
pub(super) async fn read_as(
    request: &HttpRequest,
    payload: Payload,
    state: &AppState,
    format: DeliveryFormat,
) -> Result<DeliveryBody, Failure> {
    let key = idempotency_key(request.headers())?;
    let limits = BodyLimits {
        max_bytes: state.settings.intake.max_body_bytes,
        timeout: state.settings.server.body_timeout,
        budget: &state.bodies,
        sender: BodySender::Authorized,
    };
    let body = read_body(request, payload, limits).await?;
    Ok(DeliveryBody { key, format, body })
}

/// Returns the format of the body: plain text and forms are accepted besides JSON, because many senders offer nothing
/// else.
fn body_format(headers: &HeaderMap) -> Result<DeliveryFormat, ApiError> {
    let declared = MediaType::of(headers);
    match declared.and_then(|declared| DeliveryFormat::of_content_type(declared.sent)) {
        Some(format) => Ok(format),
        None => require_json(headers).map(|()| DeliveryFormat::Json),
    }
}

/// A stored delivery.
#[derive(Debug, Default)]
pub(super) struct StoredDelivery {
    /// Alerts that it created or updated.
    pub(super) alerts: Vec<IntakeAlertJson>,
    /// Number of items that were left out.
    pub(super) skipped: i64,
    /// Problems found in the body, one sentence each.
    pub(super) notes: Vec<String>,
}

/// Stores a delivery once it is read, or records its refusal as a receipt.
/// Test alerts from the pages go through here too, because nothing else calls [`store`].
pub(super) async fn deliver(
    request: &HttpRequest,
    state: &AppState,
    integration: &Integration,
    reading: impl Future<Output = Result<DeliveryBody, Failure>>,
) -> Result<StoredDelivery, Failure> {
    let (outcome, body) = match reading.await {
        Ok(read) => {
            let body = read.body.clone();
            (store(request, state, integration, read).await, Some(body))
        }
        Err(failure) => (Err(failure), None),
    };
    let failure = match outcome {
        Ok(stored) => {
            state.metrics.delivered(DeliveryResult::Stored {
                alerts: stored.alerts.len(),
                skipped: usize::try_from(stored.skipped).unwrap_or_default(),
            });
            return Ok(stored);
        }
        Err(failure) => failure,
    };
    state.metrics.delivered(DeliveryResult::Refused);
    Err(refused(request, state, integration, failure, body).await)
}

/// Parses the body of a delivery and stores its alerts.
async fn store(
    request: &HttpRequest,
    state: &AppState,
    integration: &Integration,
    read: DeliveryBody,
) -> Result<StoredDelivery, Failure> {
    let delivery = parse_delivery(request, state, integration, read).await;
    if let Some(rule) = integration.settings.heartbeat {
        // Any body is a sign of life, except one that says that something is over: Alertmanager sends it when the alert that
        // always fires no longer does.
        if !delivery.is_ok_and(|delivery| delivery.is_end()) {
            record(state, integration, rule).await?;
        }
        return Ok(StoredDelivery::default());
    }
    let delivery = delivery?;
    let (skipped, notes) = (delivery.context.skipped_alerts, &delivery.context.notes);
    let notes = if skipped > 0 {
        notes.clone()
    } else {
        Vec::new()
    };
    let after = FeedEntries {
        // The delivery keeps them: by them intake knows an alert that replicas report, each with a start of its own.
        expiries: delivery.expiries.clone(),
        ..state.alert_feed()
    };
    let work = ReceiveAlertsWithFeed { delivery, after };
    let outcome = batched(request, state.database.write_grouped(work)).await?;
    Ok(StoredDelivery {
        alerts: IntakeAlertJson::of(outcome.map_err(ApiError::from)?),
        skipped,
        notes,
    })
}

/// Parses the body of a delivery.
async fn parse_delivery(
    request: &HttpRequest,
    state: &AppState,
    integration: &Integration,
    read: DeliveryBody,
) -> Result<Delivery, Failure> {
    let mut context = context(request, state, integration, read.key);
    context.format = read.format;
    parse_blocking(read.body, integration.source, context).await
}

/// Parses the body: a short one inline, a long one on a blocking thread.
async fn parse_blocking(
    body: Bytes,
    source: Source,
    context: ParseContext,
) -> Result<Delivery, Failure> {
    if body.len() <= INLINE_BYTES {
        return Ok(parse(&body, source, &context).map_err(ApiError::from)?);
    }
    let read = web::block(move || parse(&body, source, &context).map_err(ApiError::from)).await;
    Ok(read.map_err(|lost| Failure::caused(ApiError::unavailable(1), lost))??)
}

/// Idempotency key of the request, if the sender set one.
fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, ApiError> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY);
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let key = value.to_str().ok().and_then(IdempotencyKey::parse);
    let key = key.filter(|_| values.next().is_none()).ok_or_else(|| {
        let most = IdempotencyKey::MAX_LENGTH;
        ApiError::bad_request(&format!(
            "send one Idempotency-Key header of 1 to {most} visible ASCII characters"
        ))
    })?;
    Ok(Some(key))
}

fn context(
    request: &HttpRequest,
    state: &AppState,
    integration: &Integration,
    key: Option<IdempotencyKey>,
) -> ParseContext {
    let user_agent = request
        .headers()
        .get(USER_AGENT)
        .and_then(|value| value.to_str().ok());
    let mut context = ParseContext::from_parts(
        integration.project_id,
        integration.id,
        state.now(),
        Uuid::new_v4().into_bytes(),
    );
    context
        .service_word
        .clone_from(&state.settings.naming.service);
    context.user_agent = user_agent.map(str::to_owned);
    context.key = key;
    context.max_alerts = state.settings.intake.max_alerts;
    context.settings.clone_from(&integration.settings);
    context
}

/// Returns the endpoint if `key` is its key.
///
/// Every request without a valid key gets the same response, whether or not the project exists, so that project names
/// cannot be probed. Only a sender with the right key learns that the endpoint is disabled.
pub(super) async fn authorize(
    request: &HttpRequest,
    state: &AppState,
    identifier: &str,
    key: &PlainSecret,
) -> Result<Arc<Integration>, Failure> {
    let path = project_path(request).ok_or_else(ApiError::key_required)?;
    let found = state
        .endpoints
        .find(
            &state.database,
            path,
            identifier,
            &key.digest(),
            state.now(),
        )
        .await?;
    let endpoint = found.authorized()?;
    state.limits.count_delivery(&endpoint, state.now())?;
    Ok(endpoint)
}

/// Full path of the project in the URL, if it is a valid one.
pub(super) fn project_path(request: &HttpRequest) -> Option<FullPath> {
    let raw = request.match_info().get("project")?;
    decode_segment(raw).and_then(|path| FullPath::parse(&path))
}

/// Key of the request: a Bearer token, the password of Basic credentials with any username, or a `GenieKey`.
pub(super) fn key_of(headers: &HeaderMap) -> Option<PlainSecret> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    key_in(value)
}
