//! Ingestion endpoints behind a DSN (`ERR-03`).
//!
//! An SDK builds these addresses from the DSN by inserting `/api/` before the project number. Nothing here depends on
//! the `Content-Type`, which some SDKs leave out. A success means that all accepted data is committed.

mod answer;
mod read;

use std::sync::Arc;

use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::ProjectId;
use error_tracking::collect::{Collected, Form};
use error_tracking::flow::collect::CollectOutcome;
use error_tracking::model::{Delivery, EventId, PublicKey, StorageLimits};
use error_tracking::protocol::credentials::{NoKey, Offered, offered_key};
use error_tracking::protocol::rate_limit::{LimitScope, RateLimit};
use gatehouse_core::auth::client_keys::{Collector, KeyVerdict, SentKey};
use gatehouse_core::collecting::{LimitOf, LimitReached};
use gatehouse_core::flows::collect_errors::{CollectErrors, Consequences};
use storage::Store as _;
use web_conventions::body::{BodyLimits, BodySender, read_packed};
use web_conventions::operations::{Answer, Body, Kind, Operation, Parameter, RateClass, post};
use web_conventions::wake_batching::batched;

use answer::{Taken, taken};
use read::{Packed, Read};

use super::TAG;
use crate::frame::client::{client_address, counted_client};
use crate::frame::collector_failure::{CollectorFailure, CollectorRefusal, say_error};
use crate::frame::public::Program;
use crate::state::AppState;

const ENVELOPE: &str = "/api/v4/error_tracking/collector/api/{project_id}/envelope/";
const STORE: &str = "/api/v4/error_tracking/collector/api/{project_id}/store/";
const SECURITY: &str = "/api/v4/error_tracking/collector/api/{project_id}/security/";
const NETWORK: &str = "/api/v4/error_tracking/collector/api/{project_id}/nel/";

/// Largest body of a request that carries its key only in the envelope, so that a client without a key cannot make the
/// server hold much.
const WITHOUT_KEY: usize = 1 << 20;
const PROJECT_ID: Parameter = Parameter::path(
    "project_id",
    Kind::ID,
    "The number of the project, as it stands in the DSN.",
);
const KEY: Parameter = Parameter::query(
    "sentry_key",
    Kind::Text { min: 0, max: 200 },
    "The public key of the DSN, where it does not stand in the header X-Sentry-Auth.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let described = |operation: Operation, summary| {
        operation
            .documented(TAG, summary)
            .takes([PROJECT_ID, KEY])
            .rated(RateClass::Intake)
            .refuses_with(Body::json::<CollectorRefusal>())
            .answers(Answer::json::<Taken>(200, "It is stored, or counted as what it is. An id is that of an event that is stored."))
            .answers(Answer::refusal(413, "It is too large, or would be when it is unpacked."))
            .answers(Answer::refusal(415, "Its Content-Encoding is unknown."))
            .answers(Answer::refusal(429, "More came than is taken. The headers say what is not to be sent, and for how long."))
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
    vec![
        described(envelope, "Report errors as SDKs of the tracker do"),
        described(event, "Report one event, as older SDKs do"),
        described(
            report,
            "Report a breach of a security policy, as browsers do",
        ),
        described(
            network,
            "Report network errors, as browsers do: they are counted and not kept",
        ),
    ]
}

async fn envelope(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: Program,
) -> Result<HttpResponse, CollectorFailure> {
    collect(&request, payload, &state, Form::Envelope).await
}

async fn event(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: Program,
) -> Result<HttpResponse, CollectorFailure> {
    collect(&request, payload, &state, Form::Event).await
}

async fn report(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: Program,
) -> Result<HttpResponse, CollectorFailure> {
    collect(&request, payload, &state, Form::Report).await
}

async fn network(
    request: HttpRequest,
    payload: Payload,
    state: Data<AppState>,
    _: Program,
) -> Result<HttpResponse, CollectorFailure> {
    collect(&request, payload, &state, Form::Network).await
}

/// Stores the body of a request.
/// The key is checked before the body is read, unless the body carries it. An unreadable body is counted as a loss of
/// its project.
async fn collect(
    request: &HttpRequest,
    payload: Payload,
    state: &Data<AppState>,
    form: Form,
) -> Result<HttpResponse, CollectorFailure> {
    let project = project_of(request);
    let mut known = match &key_outside(request) {
        Ok(key) => Some(authorize(request, state, project, key).await?),
        Err(NoKey::Missing) if form == Form::Envelope => None,
        Err(refusal) => return Err((*refusal).into()),
    };
    let read = match receive(request, payload, (state, form), &mut known).await {
        Ok(read) => read,
        Err(failure) => {
            count_refused(request, state, known.as_deref(), (form, &failure)).await;
            return Err(failure);
        }
    };
    let collector = known.ok_or(NoKey::Missing)?;
    store(request, state, &collector, read).await
}

/// Reads the body, and authorizes the key inside it if the request carries none outside.
async fn receive(
    request: &HttpRequest,
    payload: Payload,
    (state, form): (&Data<AppState>, Form),
    known: &mut Option<Arc<Collector>>,
) -> Result<Read, CollectorFailure> {
    let project = project_of(request);
    let packed = read_body(request, payload, (state, known.is_some()), form).await?;
    let unpacked = packed.unpack(state).await?;
    let own = unpacked.own_key(project)?;
    let collector = match (known.take(), own) {
        (Some(known), Some(own)) if known.key.public_key.as_str() != own => {
            return Err(NoKey::Ambiguous.into());
        }
        (Some(known), _) => known,
        (None, Some(own)) => authorize(request, state, project, &own).await?,
        (None, None) => return Err(NoKey::Missing.into()),
    };
    let collector = known.insert(collector);
    let peer = client_address(request, state).map(|address| address.to_string());
    unpacked.collect(state, collector, peer).await
}

/// Counts a body that is refused because of its content.
/// The sender gets the reason in any case, so a failure of the store changes nothing.
async fn count_refused(
    request: &HttpRequest,
    state: &AppState,
    collector: Option<&Collector>,
    (form, failure): (Form, &CollectorFailure),
) {
    let (Some(collector), Some(reason)) = (collector, failure.loss()) else {
        return;
    };
    let media_type = text(request.headers(), CONTENT_TYPE.as_str());
    let lost = Collected::without(form.sent_as(media_type).category(), reason);
    let key = (collector.settings.project_id, collector.key.id);
    let limits = StorageLimits::from(&collector.settings.options);
    let delivery = Delivery::of(lost, key, state.now(), 0, limits);
    // The store counts and logs its own failures.
    drop(write(request, state, collector, delivery).await);
}

/// Reads the body, with a smaller size limit as long as no key is known.
async fn read_body(
    request: &HttpRequest,
    payload: Payload,
    (state, has_key): (&AppState, bool),
    form: Form,
) -> Result<Packed, CollectorFailure> {
    let most = state.settings.errors.max_body_bytes;
    let limits = BodyLimits {
        max_bytes: if has_key { most } else { WITHOUT_KEY.min(most) },
        timeout: state.settings.server.body_timeout,
        budget: &state.bodies,
        sender: if has_key {
            BodySender::Known
        } else {
            BodySender::Stranger
        },
    };
    let headers = request.headers();
    let body = read_packed(request, payload, limits).await?;
    Ok(Packed {
        body,
        encoding: text(headers, "content-encoding").map(str::to_owned),
        form: form.sent_as(text(headers, CONTENT_TYPE.as_str())),
        max_bytes: limits.max_bytes,
    })
}

/// Message to an SDK whose event was counted but not stored, because its error reached its rate limit.
const ERROR_LIMITED: &str =
    "the rate limit of this error is reached; the event is counted and not stored";

/// Stores the parsed body, and builds the response.
async fn store(
    request: &HttpRequest,
    state: &AppState,
    collector: &Collector,
    read: Read,
) -> Result<HttpResponse, CollectorFailure> {
    let mut limits: Vec<RateLimit> = read.limited.into_iter().map(rate_limit_of).collect();
    let outcome = write(request, state, collector, read.delivery).await?;
    if outcome.over_quota > 0 {
        limits.push(RateLimit::QUOTA);
    }
    let nothing_taken = outcome.stored == 0 && outcome.duplicates == 0;
    if !limits.is_empty() && nothing_taken {
        return Err(CollectorFailure::limited(limits));
    }
    let mut response = taken(read.acknowledged?, &limits);
    // A refusal would silence all errors of the program, so the response carries neither a rate limit nor an id.
    if read.is_error_limited && nothing_taken {
        say_error(&mut response, ERROR_LIMITED);
    }
    Ok(response)
}

async fn write(
    request: &HttpRequest,
    state: &AppState,
    collector: &Collector,
    delivery: Delivery,
) -> Result<CollectOutcome, CollectorFailure> {
    if delivery.is_empty() {
        return Ok(CollectOutcome::default());
    }
    let after = Consequences {
        author_id: state.alert_bot,
        opens_alerts: collector.settings.options.opens_alerts,
    };
    let work = CollectErrors { delivery, after };
    Ok(batched(request, state.database.write_grouped(work)).await?)
}

fn rate_limit_of(limit: LimitReached) -> RateLimit {
    let (scope, reason) = match limit.of {
        LimitOf::Key(_) => (LimitScope::Key, "key_rate"),
        LimitOf::Project(_) | LimitOf::Error(..) => (LimitScope::Project, "project_rate"),
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
fn key_outside(request: &HttpRequest) -> Result<String, NoKey> {
    let headers = request.headers();
    offered_key(&Offered {
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
        KeyVerdict::Refused => Err(CollectorFailure::not_taken()),
        KeyVerdict::TooMany { seconds } => Err(CollectorFailure::too_many_keys(seconds)),
    }
}

/// Generates an id for an event without one.
fn make_id() -> EventId {
    EventId::from_random(|| uuid::Uuid::new_v4().into_bytes())
}
