//! Processing of a request body, from its bytes to the delivery that is stored.
//! All of it runs outside any transaction, and long work runs on a blocking thread.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::web::{self, Bytes};
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use error_tracking::collector::{
    Acknowledgement, BodyError, BodyFormat, DropReason, MAX_EVENT, RequestContext,
};
use error_tracking::model::{EventDelivery, StorageLimits};
use error_tracking::protocol::encoding::{DecodeError, Encoding, Limits};
use gatehouse_core::auth::client_keys::Collector;
use gatehouse_core::collecting::{LimitReached, LimitSubject};
use tokio::sync::OwnedSemaphorePermit;
use web_conventions::body::INLINE_BYTES;
use web_conventions::failure::Failure;

use super::new_event_id;
use crate::frame::collector_failure::CollectorFailure;
use crate::state::AppState;

/// Time limit for unpacking a body.
const DECODE_TIMEOUT: Duration = Duration::from_secs(2);

/// A body as received.
#[derive(Debug)]
pub(super) struct RawBody {
    pub(super) body: Bytes,
    pub(super) encoding: Option<String>,
    pub(super) format: BodyFormat,
    pub(super) max_bytes: usize,
}

impl RawBody {
    /// Unpacks the body: inline if the result is short, as nearly all are, otherwise on a blocking thread.
    /// However many arrive, only a few large bodies are in memory at a time.
    pub(super) async fn decode(self, state: &AppState) -> Result<DecodedBody, CollectorFailure> {
        let encoding = Encoding::parse(self.encoding.as_deref())?;
        if encoding == Encoding::Identity && self.format != BodyFormat::Event {
            return Ok(DecodedBody {
                body: self.body,
                format: self.format,
                permit: None,
            });
        }
        if self.body.len() <= INLINE_BYTES {
            match self.decode_to(encoding, self.max_bytes.min(INLINE_BYTES)) {
                Err(DecodeError::TooLarge) if self.max_bytes > INLINE_BYTES => {}
                decoded => return Ok(self.with(decoded?, None)),
            }
        }
        let permit = Arc::clone(&state.large_reports).acquire_owned().await;
        let permit = permit.map_err(|closed| Failure::caused(ApiError::unavailable(1), closed))?;
        run_blocking(move || {
            let decoded = self.decode_to(encoding, self.max_bytes)?;
            Ok(self.with(decoded, Some(permit)))
        })
        .await?
    }

    fn decode_to(&self, encoding: Encoding, bytes: usize) -> Result<Bytes, DecodeError> {
        let started = Instant::now();
        let limits = Limits {
            bytes,
            is_over: &|| started.elapsed() > DECODE_TIMEOUT,
        };
        self.format
            .unpack(&self.body, encoding, limits)
            .map(Bytes::from)
    }

    fn with(&self, body: Bytes, permit: Option<OwnedSemaphorePermit>) -> DecodedBody {
        DecodedBody {
            body,
            format: self.format,
            permit,
        }
    }
}

/// A decompressed body.
#[derive(Debug)]
pub(super) struct DecodedBody {
    body: Bytes,
    format: BodyFormat,
    /// Permit of a large body, which limits how many are in memory at a time.
    permit: Option<OwnedSemaphorePermit>,
}

/// Parsed content of a request, ready to be stored.
#[derive(Debug)]
pub(super) struct ParsedRequest {
    /// Proof that permits a success response, or the reason why nothing is kept.
    pub(super) acknowledged: Result<Acknowledgement, BodyError>,
    /// Data to store.
    /// Even if no event is kept, there are counts to record.
    pub(super) delivery: EventDelivery,
    /// Rate limit of the key or the project that dropped events, if any.
    pub(super) limited: Option<LimitReached>,
    /// True if the rate limit of an error dropped an event.
    pub(super) is_error_limited: bool,
}

impl DecodedBody {
    /// Returns the bytes of the body.
    pub(super) fn into_bytes(self) -> Bytes {
        self.body
    }

    /// Returns the key of the DSN in an envelope.
    /// A DSN of another project proves nothing for this one.
    pub(super) fn own_key(&self, project: ProjectId) -> Result<Option<String>, CollectorFailure> {
        Ok(self.format.own_key(&self.body, project)?)
    }

    /// Parses the body; scrubs, groups and compresses the data to store.
    pub(super) async fn parse(
        self,
        state: &web::Data<AppState>,
        collector: &Arc<Collector>,
        peer: Option<String>,
    ) -> Result<ParsedRequest, CollectorFailure> {
        let is_short = self.body.len() <= INLINE_BYTES;
        // A large event is truncated while it is parsed. Even if it arrived uncompressed, only a few such bodies are
        // held at a time.
        let permit = match self.permit {
            None if self.body.len() > MAX_EVENT => {
                let permit = Arc::clone(&state.large_reports).acquire_owned().await;
                Some(permit.map_err(|closed| Failure::caused(ApiError::unavailable(1), closed))?)
            }
            permit => permit,
        };
        let (state, collector) = (state.clone(), Arc::clone(collector));
        let (body, format) = (self.body, self.format);
        let parse = move || {
            let parser = BodyParser {
                bytes: &body,
                format,
            };
            let parsed = parser.parse(&state, &collector, peer.as_deref());
            drop(permit);
            parsed
        };
        if is_short {
            return parse();
        }
        run_blocking(parse).await?
    }
}

/// A body to parse.
struct BodyParser<'b> {
    bytes: &'b [u8],
    format: BodyFormat,
}

impl BodyParser<'_> {
    fn parse(
        &self,
        state: &AppState,
        collector: &Collector,
        peer: Option<&str>,
    ) -> Result<ParsedRequest, CollectorFailure> {
        let received_at = state.now();
        let settings = &collector.settings;
        let scrubbing = &settings.options.scrubbing;
        let context = RequestContext {
            received_at,
            peer: peer.filter(|_| !scrubbing.hides_addresses),
            scrubbing,
            generate_id: &new_event_id,
        };
        let limits = &state.event_limits;
        let mut reached: Vec<LimitReached> = Vec::new();
        let mut has_room = || {
            let room = limits.check(collector, received_at);
            room.map_err(|full| reached.push(full)).is_ok()
        };
        let mut collected = context.parse(self.format, self.bytes, &mut has_room)?;
        collected.admit(|event| {
            let of_error = limits.take_of_error(collector, event.grouping.key, received_at);
            let room = of_error.and_then(|()| limits.take(collector, received_at));
            room.map_err(|full| {
                reached.push(full);
                reason_of(full)
            })
        });
        let of_error = |full: &LimitReached| matches!(full.of, LimitSubject::Error(..));
        let is_error_limited = reached.iter().any(of_error);
        let limited = reached.into_iter().find(|full| !of_error(full));
        let acknowledged = collected.acknowledge();
        let limits = StorageLimits::from(&settings.options);
        let bytes = self.bytes.len();
        let (project_id, key_id) = (settings.project_id, collector.key.id);
        let mut delivery =
            EventDelivery::of(collected, project_id, key_id, received_at, bytes, limits);
        delivery.pack(|key, digest| state.known_parts.know(key, digest));
        Ok(ParsedRequest {
            acknowledged,
            delivery,
            limited,
            is_error_limited,
        })
    }
}

/// Returns the reason for dropping an event over a rate limit.
fn reason_of(reached: LimitReached) -> DropReason {
    match reached.of {
        LimitSubject::Error(..) => DropReason::ErrorLimited,
        LimitSubject::Key(_) | LimitSubject::Project(_) => DropReason::Limited,
    }
}

/// Runs work on a blocking thread.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, CollectorFailure> {
    let done = web::block(work).await;
    Ok(done.map_err(|lost| Failure::caused(ApiError::unavailable(1), lost))?)
}
