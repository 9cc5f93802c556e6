//! Handling of an SDK's request in one call, for a host that needs no rate limits and no key cache.

use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use serde_json::json;
use storage::{Lane, Store, StoreError};

use super::{Collected, Collecting, DropReason, Form};
use crate::model::{ClientKey, Delivery, EventId, PublicKey, Settings, StorageLimits};
use crate::protocol::credentials::{NoKey, Offered, offered_key};
use crate::protocol::encoding::{Encoding, Limits};
use crate::protocol::rate_limit::{self, RateLimit};
use crate::store::{CollectRepository, SettingsQueries};
use crate::work::Collect;

/// Request to the collector, as received.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Request<'r> {
    /// Project in the path.
    pub project: ProjectId,
    /// Body format that the endpoint accepts.
    pub form: Form,
    /// Looks up the value of a header by its lower-case name.
    pub header: &'r (dyn Fn(&str) -> Option<String> + Sync),
    /// Query string of the URL, as sent; empty unless set.
    /// Browsers and some SDKs send the client key there.
    pub query: &'r str,
    /// Address of the client; `None` unless set.
    pub peer: Option<&'r str>,
}

impl<'r> Request<'r> {
    /// Creates a request to a project, with its headers.
    pub fn new(
        project: ProjectId,
        form: Form,
        header: &'r (dyn Fn(&str) -> Option<String> + Sync),
    ) -> Self {
        Self {
            project,
            form,
            header,
            query: "",
            peer: None,
        }
    }
}

impl std::fmt::Debug for Request<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Request({:?} to {})", self.form, self.project)
    }
}

/// Limits set by the host.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Policy<'p> {
    /// Largest size of a body in bytes, compressed and decompressed.
    pub max_bytes: usize,
    /// True once decompression takes too long; called repeatedly.
    pub is_over: &'p (dyn Fn() -> bool + Sync),
    /// Generates an id for an event that has none.
    pub make_id: &'p (dyn Fn() -> EventId + Sync),
}

impl<'p> Policy<'p> {
    /// Creates a policy with these limits.
    pub fn new(
        max_bytes: usize,
        is_over: &'p (dyn Fn() -> bool + Sync),
        make_id: &'p (dyn Fn() -> EventId + Sync),
    ) -> Self {
        Self {
            max_bytes,
            is_over,
            make_id,
        }
    }
}

impl std::fmt::Debug for Policy<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Policy({} bytes)", self.max_bytes)
    }
}

/// Response to an SDK, with a JSON body.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
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
pub fn answer<S>(
    store: &S,
    request: &Request<'_>,
    body: &[u8],
    policy: &Policy<'_>,
    now: Timestamp,
) -> Result<Answer, StoreError>
where
    S: Store,
    for<'t> S::ReadTx<'t>: SettingsQueries,
    for<'t> S::WriteTx<'t>: CollectRepository,
{
    let media_type = header(request, "content-type");
    let form = request.form.sent_as(media_type.as_deref());
    let mut known = None;
    match collect(store, (request, form), body, policy, now, &mut known) {
        Ok(answer) => Ok(answer),
        Err(Stopped::Store(failure)) => Err(failure),
        Err(Stopped::Refusal(refusal)) => {
            if let Some((key, settings)) = &known
                && let Some(reason) = DropReason::of_refusal(refusal.status())
            {
                let lost = Collected::without(form.category(), reason);
                let of = (request.project, key.id);
                let limits = StorageLimits::from(&settings.options);
                let delivery = Delivery::of(lost, of, now, 0, limits);
                // The SDK gets the reason in any case, so a failing store changes nothing here.
                drop(store.write_grouped(Collect::new(delivery)).wait());
            }
            Ok(Answer::refusal(&refusal, &[]))
        }
    }
}

/// Reason why a request is not stored.
enum Stopped {
    Store(StoreError),
    Refusal(ApiError),
}

impl From<StoreError> for Stopped {
    fn from(failure: StoreError) -> Self {
        Self::Store(failure)
    }
}

impl From<ApiError> for Stopped {
    fn from(refusal: ApiError) -> Self {
        Self::Refusal(refusal)
    }
}

/// Client key that its project accepts, with the settings of the project.
type Known = (ClientKey, Settings);

/// Stores the content of a request.
/// Sets `known` as soon as the client key is known.
fn collect<S>(
    store: &S,
    (request, form): (&Request<'_>, Form),
    body: &[u8],
    policy: &Policy<'_>,
    now: Timestamp,
    known: &mut Option<Known>,
) -> Result<Answer, Stopped>
where
    S: Store,
    for<'t> S::ReadTx<'t>: SettingsQueries,
    for<'t> S::WriteTx<'t>: CollectRepository,
{
    let outside = outside_key(request, form)?;
    if let Some(key) = &outside {
        *known = Some(find(store, request.project, key)?);
    }
    let (plain, own) = unpack(request, form, body, policy)?;
    let (key, settings) = match (known, own) {
        (Some(_), Some(own)) if outside.is_some_and(|outside| outside != own) => {
            return Err(ApiError::from(NoKey::Ambiguous).into());
        }
        (Some(known), _) => known,
        (known @ None, Some(own)) => known.insert(find(store, request.project, &own)?),
        (None, None) => return Err(ApiError::from(NoKey::Missing).into()),
    };
    let scrubbing = &settings.options.scrubbing;
    let collecting = Collecting {
        received_at: now,
        peer: request.peer.filter(|_| !scrubbing.hides_addresses),
        scrubbing,
        make_id: policy.make_id,
    };
    let collected = collecting.read(form, &plain, &mut || true);
    let collected = collected.map_err(ApiError::from)?;
    let acknowledged = collected.acknowledge();
    let limits = StorageLimits::from(&settings.options);
    let of = (request.project, key.id);
    let mut delivery = Delivery::of(collected, of, now, plain.len(), limits);
    delivery.pack(|_, _| false);
    let outcome = store.write_grouped(Collect::new(delivery)).wait()?;
    let is_full = outcome.over_quota > 0;
    let limits: &[RateLimit] = if is_full { &[RateLimit::QUOTA] } else { &[] };
    if is_full && outcome.stored + outcome.duplicates == 0 {
        let refusal = ApiError::too_many_requests(RateLimit::QUOTA.seconds.into());
        return Ok(Answer::refusal(&refusal, limits));
    }
    Ok(match acknowledged {
        Ok(taken) => {
            let id = taken.id().map(|id| id.to_string());
            let body = id.map_or_else(|| json!({}), |id| json!({ "id": id }));
            Answer::of(200, &body).limited(limits)
        }
        Err(refusal) => Answer::refusal(&refusal.into(), limits),
    })
}

/// Value of a request header.
fn header(request: &Request<'_>, name: &str) -> Option<String> {
    (request.header)(name)
}

/// Client key in the headers or the query of a request.
/// An envelope may carry it inside instead.
fn outside_key(request: &Request<'_>, form: Form) -> Result<Option<String>, ApiError> {
    let tracker = header(request, "x-sentry-auth");
    let authorization = header(request, "authorization");
    let offered = offered_key(&Offered {
        tracker_header: tracker.as_deref(),
        authorization: authorization.as_deref(),
        query: Some(request.query),
        envelope: None,
    });
    match offered {
        Ok(key) => Ok(Some(key)),
        Err(NoKey::Missing) if form == Form::Envelope => Ok(None),
        Err(refusal) => Err(refusal.into()),
    }
}

/// Decompressed body, and the client key inside it.
fn unpack(
    request: &Request<'_>,
    form: Form,
    body: &[u8],
    policy: &Policy<'_>,
) -> Result<(Vec<u8>, Option<String>), ApiError> {
    let encoding = header(request, "content-encoding");
    let encoding = Encoding::parse(encoding.as_deref())?;
    let limits = Limits {
        bytes: policy.max_bytes,
        is_over: policy.is_over,
    };
    let plain = form.unpack(body, encoding, limits)?;
    let own = form.own_key(&plain, request.project)?;
    Ok((plain, own))
}

/// Looks up a client key and the settings of the project that accepts it.
fn find<S>(store: &S, project: ProjectId, key: &str) -> Result<Known, Stopped>
where
    S: Store,
    for<'t> S::ReadTx<'t>: SettingsQueries,
{
    let not_taken =
        || ApiError::forbidden_because("the project does not take reports with this key");
    let key = PublicKey::parse(key).ok_or_else(not_taken)?;
    let found: Result<_, StoreError> = store
        .read_in(Lane::Check, move |tx| {
            let key = tx.find_client_key(&key)?;
            Ok((key, tx.find_error_settings(project)?))
        })
        .wait();
    let (key, settings) = found?;
    let known = key.zip(settings);
    let known = known.filter(|(key, settings)| settings.takes(key));
    known.ok_or_else(|| not_taken().into())
}

impl Answer {
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
