//! Handling of an SDK's request in one call, for a host that needs no rate limits and no key cache.

use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use serde_json::json;
use storage::{Lane, Store, StoreError};

use super::{BodyFormat, DropReason, RequestContent, RequestContext};
use crate::model::{ClientKey, EventDelivery, EventId, PublicKey, Settings, StorageLimits};
use crate::protocol::credentials::{CredentialsError, RequestCredentials, extract_key};
use crate::protocol::encoding::{Encoding, Limits};
use crate::protocol::rate_limit::{self, RateLimit};
use crate::store::{CollectRepository, SettingsQueries};
use crate::work::Collect;

/// Request to the collector, as received.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct CollectorRequest<'r> {
    /// Project in the path.
    pub project: ProjectId,
    /// Body format that the endpoint accepts.
    pub format: BodyFormat,
    /// Looks up the value of a header by its lower-case name.
    pub header: &'r (dyn Fn(&str) -> Option<String> + Sync),
    /// Query string of the URL, as sent; empty unless set.
    /// Browsers and some SDKs send the client key there.
    pub query: &'r str,
    /// Address of the client; `None` unless set.
    pub peer: Option<&'r str>,
}

impl<'r> CollectorRequest<'r> {
    /// Creates a request to a project, with its headers.
    pub fn new(
        project: ProjectId,
        format: BodyFormat,
        header: &'r (dyn Fn(&str) -> Option<String> + Sync),
    ) -> Self {
        Self {
            project,
            format,
            header,
            query: "",
            peer: None,
        }
    }
}

impl std::fmt::Debug for CollectorRequest<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Request({:?} to {})", self.format, self.project)
    }
}

/// Limits set by the host.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct CollectorOptions<'p> {
    /// Largest size of a body in bytes, compressed and decompressed.
    pub max_bytes: usize,
    /// True once decompression takes too long; called repeatedly.
    pub is_over: &'p (dyn Fn() -> bool + Sync),
    /// Generates an id for an event that has none.
    pub generate_id: &'p (dyn Fn() -> EventId + Sync),
}

impl<'p> CollectorOptions<'p> {
    /// Creates options with these limits.
    pub fn new(
        max_bytes: usize,
        is_over: &'p (dyn Fn() -> bool + Sync),
        generate_id: &'p (dyn Fn() -> EventId + Sync),
    ) -> Self {
        Self {
            max_bytes,
            is_over,
            generate_id,
        }
    }
}

impl std::fmt::Debug for CollectorOptions<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Policy({} bytes)", self.max_bytes)
    }
}

/// Response to an SDK, with a JSON body.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CollectorResponse {
    /// The status code.
    pub status: u16,
    /// The headers, with their names in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
}

/// Stores the content of a request and returns the response.
/// Blocks: call it on a thread that may block. A success means that everything accepted is committed. A body that is
/// refused for its content, although its key is valid, counts as a loss of the project ([`DropReason::of_refusal`]).
///
/// # Errors
/// Failures of the store. The host answers with a 5xx: nothing is stored then, and the SDK sends the request again.
pub fn handle_request<S>(
    store: &S,
    request: &CollectorRequest<'_>,
    body: &[u8],
    options: &CollectorOptions<'_>,
    now: Timestamp,
) -> Result<CollectorResponse, StoreError>
where
    S: Store,
    for<'t> S::ReadTx<'t>: SettingsQueries,
    for<'t> S::WriteTx<'t>: CollectRepository,
{
    let media_type = header(request, "content-type");
    let format = request.format.for_media_type(media_type.as_deref());
    let mut known = None;
    match store_request(store, request, format, body, options, now, &mut known) {
        Ok(answer) => Ok(answer),
        Err(HandlingError::Store(failure)) => Err(failure),
        Err(HandlingError::Refusal(refusal)) => {
            if let Some((key, settings)) = &known
                && let Some(reason) = DropReason::of_refusal(refusal.status())
            {
                let lost = RequestContent::only_dropped(format.category(), reason);
                let limits = StorageLimits::from(&settings.options);
                let delivery = EventDelivery::of(lost, request.project, key.id, now, 0, limits);
                // The SDK gets the reason in any case, so a failing store changes nothing here.
                drop(store.write_grouped(Collect::new(delivery)).wait());
            }
            Ok(CollectorResponse::refusal(&refusal, &[]))
        }
    }
}

/// Reason why a request is not stored.
enum HandlingError {
    Store(StoreError),
    Refusal(ApiError),
}

impl From<StoreError> for HandlingError {
    fn from(failure: StoreError) -> Self {
        Self::Store(failure)
    }
}

impl From<ApiError> for HandlingError {
    fn from(refusal: ApiError) -> Self {
        Self::Refusal(refusal)
    }
}

/// Client key that its project accepts, with the settings of the project.
type AcceptedKey = (ClientKey, Settings);

/// Stores the content of a request.
/// Sets `known` as soon as the client key is known.
fn store_request<S>(
    store: &S,
    request: &CollectorRequest<'_>,
    format: BodyFormat,
    body: &[u8],
    options: &CollectorOptions<'_>,
    now: Timestamp,
    known: &mut Option<AcceptedKey>,
) -> Result<CollectorResponse, HandlingError>
where
    S: Store,
    for<'t> S::ReadTx<'t>: SettingsQueries,
    for<'t> S::WriteTx<'t>: CollectRepository,
{
    let outside = outside_key(request, format)?;
    if let Some(key) = &outside {
        *known = Some(find_key(store, request.project, key)?);
    }
    let (plain, own) = unpack(request, format, body, options)?;
    let (key, settings) = match (known, own) {
        (Some(_), Some(own)) if outside.is_some_and(|outside| outside != own) => {
            return Err(ApiError::from(CredentialsError::Ambiguous).into());
        }
        (Some(known), _) => known,
        (known @ None, Some(own)) => known.insert(find_key(store, request.project, &own)?),
        (None, None) => return Err(ApiError::from(CredentialsError::Missing).into()),
    };
    let scrubbing = &settings.options.scrubbing;
    let context = RequestContext {
        received_at: now,
        peer: request.peer.filter(|_| !scrubbing.hides_addresses),
        scrubbing,
        generate_id: options.generate_id,
    };
    let collected = context.parse(format, &plain, &mut || true);
    let collected = collected.map_err(ApiError::from)?;
    let acknowledged = collected.acknowledge();
    let limits = StorageLimits::from(&settings.options);
    let (project, length) = (request.project, plain.len());
    let mut delivery = EventDelivery::of(collected, project, key.id, now, length, limits);
    delivery.pack(|_, _| false);
    let outcome = store.write_grouped(Collect::new(delivery)).wait()?;
    let is_full = outcome.over_quota > 0;
    let limits: &[RateLimit] = if is_full { &[RateLimit::QUOTA] } else { &[] };
    if is_full && outcome.stored + outcome.duplicates == 0 {
        let refusal = ApiError::too_many_requests(RateLimit::QUOTA.seconds.into());
        return Ok(CollectorResponse::refusal(&refusal, limits));
    }
    Ok(match acknowledged {
        Ok(taken) => {
            let id = taken.id().map(|id| id.to_string());
            let body = id.map_or_else(|| json!({}), |id| json!({ "id": id }));
            CollectorResponse::of(200, &body).limited(limits)
        }
        Err(refusal) => CollectorResponse::refusal(&refusal.into(), limits),
    })
}

/// Value of a request header.
fn header(request: &CollectorRequest<'_>, name: &str) -> Option<String> {
    (request.header)(name)
}

/// Client key in the headers or the query of a request.
/// An envelope may carry it inside instead.
fn outside_key(
    request: &CollectorRequest<'_>,
    format: BodyFormat,
) -> Result<Option<String>, ApiError> {
    let tracker = header(request, "x-sentry-auth");
    let authorization = header(request, "authorization");
    let offered = extract_key(&RequestCredentials {
        tracker_header: tracker.as_deref(),
        authorization: authorization.as_deref(),
        query: Some(request.query),
        envelope: None,
    });
    match offered {
        Ok(key) => Ok(Some(key)),
        Err(CredentialsError::Missing) if format == BodyFormat::Envelope => Ok(None),
        Err(refusal) => Err(refusal.into()),
    }
}

/// Decompressed body, and the client key inside it.
fn unpack(
    request: &CollectorRequest<'_>,
    format: BodyFormat,
    body: &[u8],
    options: &CollectorOptions<'_>,
) -> Result<(Vec<u8>, Option<String>), ApiError> {
    let encoding = header(request, "content-encoding");
    let encoding = Encoding::parse(encoding.as_deref())?;
    let limits = Limits {
        bytes: options.max_bytes,
        is_over: options.is_over,
    };
    let plain = format.unpack(body, encoding, limits)?;
    let own = format.own_key(&plain, request.project)?;
    Ok((plain, own))
}

/// Looks up a client key and the settings of the project that accepts it.
fn find_key<S>(store: &S, project: ProjectId, key: &str) -> Result<AcceptedKey, HandlingError>
where
    S: Store,
    for<'t> S::ReadTx<'t>: SettingsQueries,
{
    let not_taken =
        || ApiError::forbidden_because("the project does not accept events with this key");
    let key = PublicKey::parse(key).ok_or_else(not_taken)?;
    let found: Result<_, StoreError> = store
        .read_in(Lane::Check, move |tx| {
            let key = tx.find_client_key(&key)?;
            Ok((key, tx.find_error_settings(project)?))
        })
        .wait();
    let (key, settings) = found?;
    let known = key.zip(settings);
    let known = known.filter(|(key, settings)| settings.accepts(key));
    known.ok_or_else(|| not_taken().into())
}

impl CollectorResponse {
    fn of(status: u16, body: &serde_json::Value) -> Self {
        Self {
            status,
            headers: vec![("content-type", "application/json".to_owned())],
            body: body.to_string(),
        }
    }

    fn refusal(refusal: &ApiError, limits: &[RateLimit]) -> Self {
        let text = refusal.sentence();
        let mut answer = Self::of(refusal.status(), &json!({ "detail": text, "causes": [] }));
        let headers = refusal.headers().iter();
        answer
            .headers
            .extend(headers.map(|(name, value)| (*name, value.clone())));
        answer.headers.push(("x-sentry-error", text));
        answer.limited(limits)
    }

    fn limited(mut self, limits: &[RateLimit]) -> Self {
        let header = rate_limit::header(limits).map(|text| ("x-sentry-rate-limits", text));
        self.headers.extend(header);
        self
    }
}
