//! Ingestion endpoints behind a DSN (`ERR-03`).
//!
//! An SDK builds these addresses from the DSN by inserting `/api/` before the project number. Nothing here depends on
//! the `Content-Type`, which some SDKs leave out. A success means that all accepted data is committed.

mod body;
mod check_in;
mod response;

use std::sync::Arc;

use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::ProjectId;
use error_tracking::collector::{BodyFormat, RequestContent};
use error_tracking::flow::collect::CollectOutcome;
use error_tracking::model::{EventDelivery, EventId, PublicKey, StorageLimits};
use error_tracking::protocol::credentials::{CredentialsError, RequestCredentials, extract_key};
use error_tracking::protocol::rate_limit::{LimitScope, RateLimit};
use gatehouse_core::auth::client_keys::{Collector, KeyVerdict, SentKey};
use gatehouse_core::collecting::{LimitReached, LimitSubject};
use gatehouse_core::flows::collect_errors::{CollectErrors, Consequences};
use storage::Store as _;
use web_conventions::body::{BodyLimits, BodySender, read_raw_body};
use web_conventions::operations::{
    Body, Operation, Parameter, ParameterKind, RateClass, ResponseSpec, post,
};
use web_conventions::wake_batching::batched;

use body::{ParsedRequest, RawBody};
use response::{CollectResponse, accepted};

use super::TAG;
use crate::frame::client::{client_address, counted_client};
use crate::frame::collector_failure::{CollectorFailure, CollectorRefusal, set_error_header};
use crate::frame::public::Program;
use crate::state::AppState;

const ENVELOPE: &str = "/api/v4/error_tracking/collector/api/{project_id}/envelope/";
const STORE: &str = "/api/v4/error_tracking/collector/api/{project_id}/store/";
const SECURITY: &str = "/api/v4/error_tracking/collector/api/{project_id}/security/";
const NETWORK: &str = "/api/v4/error_tracking/collector/api/{project_id}/nel/";

/// Largest body of a request that carries its key only in the envelope, so that a client without a key cannot make the
/// server hold much.
const MAX_BYTES_WITHOUT_KEY: usize = 1 << 20;
const PROJECT_ID: Parameter = Parameter::path(
    "project_id",
    ParameterKind::ID,
    "The id of the project, as in the DSN.",
);
const KEY: Parameter = Parameter::query(
    "sentry_key",
    ParameterKind::Text { min: 0, max: 200 },
    "The public key of the DSN, unless it is in the `X-Sentry-Auth` header.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let described = |operation: Operation, summary| {
        operation
            .documented(TAG, summary)
            .takes([PROJECT_ID, KEY])
            .rated(RateClass::Intake)
            .refuses_with(Body::json::<CollectorRefusal>())
            .response(ResponseSpec::json::<CollectResponse>(
                200,
                "Accepted: stored or counted. `id` is the id of the stored event, if any.",
            ))
            .response(ResponseSpec::refusal(
                413,
                "The payload is too large, before or after decompression.",
            ))
            .response(ResponseSpec::refusal(
                415,
                "The `Content-Encoding` is not supported.",
            ))
            .response(ResponseSpec::refusal(
                429,
                "Rate limit reached. The headers say which data not to send, and for how long.",
            ))
    };
    let envelope = post("collectEnvelope", ENVELOPE, envelope)
        .also_at(&["/api/v4/error_tracking/collector/api/{project_id}/envelope"]);
    let event = post("collectEvent", STORE, event)
        .also_at(&["/api/v4/error_tracking/collector/api/{project_id}/store"]);
    let report = post("collectPolicyReport", SECURITY, report).also_at(&[
        "/api/v4/error_tracking/collector/api/{project_id}/security",
        "/api/v4/error_tracking/collector/api/{project_id}/csp-report",
        "/api/v4/error_tracking/collector/api/{project_id}/csp-report/",
    ]);
    let network = post("collectNetworkErrors", NETWORK, network)
        .also_at(&["/api/v4/error_tracking/collector/api/{project_id}/nel"]);
    let mut all = check_in::operations();
    all.extend([
        described(envelope, "Ingest an envelope from an SDK of the tracker"),
        described(event, "Ingest one event from an older SDK"),
        described(report, "Ingest a security policy report from a browser"),
        described(
            network,
            "Ingest network error reports from a browser, which are counted but not stored",
        ),
    ]);
    all
}

async fn envelope(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: Program,
) -> Result<HttpResponse, CollectorFailure> {
    collect(&request, payload, &state, BodyFormat::Envelope).await
}

async fn event(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: Program,
) -> Result<HttpResponse, CollectorFailure> {
    collect(&request, payload, &state, BodyFormat::Event).await
}

async fn report(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: Program,
) -> Result<HttpResponse, CollectorFailure> {
    collect(&request, payload, &state, BodyFormat::Report).await
}

async fn network(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: Program,
) -> Result<HttpResponse, CollectorFailure> {
    collect(&request, payload, &state, BodyFormat::Network).await
}

/// Stores the body of a request.
/// The key is checked before the body is read, unless the body carries it. An unreadable body is counted as a loss of
/// its project.
async fn collect(
    request: &HttpRequest,
    payload: Payload,
    state: &Data<AppState>,
    format: BodyFormat,
) -> Result<HttpResponse, CollectorFailure> {
    let project = project_of(request);
    let mut known = match &key_outside(request) {
        Ok(key) => Some(authorize(request, state, project, key).await?),
        Err(CredentialsError::Missing) if format == BodyFormat::Envelope => None,
        Err(refusal) => return Err((*refusal).into()),
    };
    let parsed = match receive(request, payload, state, format, &mut known).await {
        Ok(parsed) => parsed,
        Err(failure) => {
            count_refused(request, state, known.as_deref(), format, &failure).await;
            return Err(failure);
        }
    };
    let collector = known.ok_or(CredentialsError::Missing)?;
    store(request, state, &collector, parsed).await
}

/// Reads the body, and authorizes the key inside it if the request carries none outside.
async fn receive(
    request: &HttpRequest,
    payload: Payload,
    state: &Data<AppState>,
    format: BodyFormat,
    known: &mut Option<Arc<Collector>>,
) -> Result<ParsedRequest, CollectorFailure> {
    let project = project_of(request);
    let raw = read_body(request, payload, state, known.is_some(), format).await?;
    let decoded = raw.decode(state).await?;
    let own = decoded.own_key(project)?;
    let collector = match (known.take(), own) {
        (Some(known), Some(own)) if known.key.public_key.as_str() != own => {
            return Err(CredentialsError::Ambiguous.into());
        }
        (Some(known), _) => known,
        (None, Some(own)) => authorize(request, state, project, &own).await?,
        (None, None) => return Err(CredentialsError::Missing.into()),
    };
    let collector = known.insert(collector);
    let peer = client_address(request, state).map(|address| address.to_string());
    decoded.parse(state, collector, peer).await
}

/// Counts a body that is refused because of its content.
/// The sender gets the reason in any case, so a failure of the store changes nothing.
async fn count_refused(
    request: &HttpRequest,
    state: &AppState,
    collector: Option<&Collector>,
    format: BodyFormat,
    failure: &CollectorFailure,
) {
    let (Some(collector), Some(reason)) = (collector, failure.loss()) else {
        return;
    };
    let media_type = text(request.headers(), CONTENT_TYPE.as_str());
    let lost = RequestContent::only_dropped(format.for_media_type(media_type).category(), reason);
    let (project_id, key_id) = (collector.settings.project_id, collector.key.id);
    let limits = StorageLimits::from(&collector.settings.options);
    let delivery = EventDelivery::of(lost, project_id, key_id, state.now(), 0, limits);
    // The store counts and logs its own failures.
    drop(write(request, state, collector, delivery).await);
}

/// Reads the body, with a smaller size limit as long as no key is known.
async fn read_body(
    request: &HttpRequest,
    payload: Payload,
    state: &AppState,
    has_key: bool,
    format: BodyFormat,
) -> Result<RawBody, CollectorFailure> {
    let max_bytes = state.settings.errors.max_body_bytes;
    let limits = BodyLimits {
        max_bytes: if has_key {
            max_bytes
        } else {
            MAX_BYTES_WITHOUT_KEY.min(max_bytes)
        },
        timeout: state.settings.server.body_timeout,
        budget: &state.bodies,
        sender: if has_key {
            BodySender::Authorized
        } else {
            BodySender::Anonymous
        },
    };
    let headers = request.headers();
    let body = read_raw_body(request, payload, limits).await?;
    Ok(RawBody {
        body,
        encoding: text(headers, "content-encoding").map(str::to_owned),
        format: format.for_media_type(text(headers, CONTENT_TYPE.as_str())),
        max_bytes: limits.max_bytes,
    })
}

/// Message to an SDK whose event was counted but not stored, because its error reached its rate limit.
const ERROR_LIMITED: &str =
    "the rate limit of this error is reached; the event was counted but not stored";

/// Stores the parsed body, and builds the response.
async fn store(
    request: &HttpRequest,
    state: &AppState,
    collector: &Collector,
    parsed: ParsedRequest,
) -> Result<HttpResponse, CollectorFailure> {
    let mut limits: Vec<RateLimit> = parsed.limited.into_iter().map(rate_limit_of).collect();
    let check_ins = parsed.delivery.check_ins.len();
    let outcome = write(request, state, collector, parsed.delivery).await?;
    limits.extend((outcome.over_quota > 0).then_some(RateLimit::QUOTA));
    let nothing_accepted = outcome.stored == 0 && outcome.duplicates == 0;
    if !limits.is_empty() && nothing_accepted {
        return Err(CollectorFailure::limited(limits));
    }
    let mut response = accepted(parsed.acknowledged?, &limits);
    // A refusal would silence all errors of the program, so the response carries neither a rate limit nor an id.
    if parsed.is_error_limited && nothing_accepted {
        set_error_header(&mut response, ERROR_LIMITED);
    }
    if outcome.runs.len() < check_ins {
        set_error_header(&mut response, check_in::FULL);
    }
    Ok(response)
}

async fn write(
    request: &HttpRequest,
    state: &AppState,
    collector: &Collector,
    delivery: EventDelivery,
) -> Result<CollectOutcome, CollectorFailure> {
    if delivery.is_empty() {
        return Ok(CollectOutcome::default());
    }
    let after = Consequences {
        author_id: state.alert_bot,
        names: Arc::clone(&state.incident_names),
        opens_alerts: collector.settings.options.opens_alerts,
    };
    let losses = delivery.losses.clone();
    let work = CollectErrors { delivery, after };
    let outcome = batched(request, state.database.write_grouped(work)).await?;
    state.metrics.collected(&losses, &outcome);
    Ok(outcome)
}

fn rate_limit_of(limit: LimitReached) -> RateLimit {
    let (scope, reason) = match limit.of {
        LimitSubject::Key(_) => (LimitScope::Key, "key_rate"),
        LimitSubject::Project(_) | LimitSubject::Error(..) => (LimitScope::Project, "project_rate"),
    };
    RateLimit {
        seconds: limit.seconds,
        categories: RateLimit::ERRORS,
        scope,
        reason,
    }
}

/// Parses the project in the path.
/// A segment that is not a number becomes 0, which no project has, so it is answered like an unknown project.
fn project_of(request: &HttpRequest) -> ProjectId {
    let number = request.match_info().get(PROJECT_ID.name);
    let number = number.and_then(|text| text.parse().ok());
    ProjectId::new(number.unwrap_or_default())
}

/// Returns the key from the headers or the query string.
fn key_outside(request: &HttpRequest) -> Result<String, CredentialsError> {
    let headers = request.headers();
    extract_key(&RequestCredentials {
        tracker_header: text(headers, "x-sentry-auth"),
        authorization: text(headers, AUTHORIZATION.as_str()),
        query: Some(request.query_string()),
        envelope: None,
    })
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// Resolves the collector of a project by its key.
/// A malformed key is looked up all the same, as one that no project has.
async fn authorize(
    request: &HttpRequest,
    state: &AppState,
    project: ProjectId,
    key: &str,
) -> Result<Arc<Collector>, CollectorFailure> {
    let sent = SentKey {
        project,
        key: PublicKey::parse(key).unwrap_or_else(|| PublicKey::from_random([0; 16])),
        from: counted_client(request, state),
        at: state.now(),
    };
    match state.client_keys.find(&state.database, sent).await? {
        KeyVerdict::Good(found) => Ok(found),
        KeyVerdict::Refused => Err(CollectorFailure::key_not_accepted()),
        KeyVerdict::TooMany { seconds } => Err(CollectorFailure::too_many_keys(seconds)),
    }
}

/// Generates an id for an event without one.
fn new_event_id() -> EventId {
    EventId::from_random(|| uuid::Uuid::new_v4().into_bytes())
}
