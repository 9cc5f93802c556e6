//! Processing of a request body, from its bytes to the delivery that is stored.
//! All of it runs outside any transaction, and long work runs on a blocking thread.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::web::{self, Bytes};
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use error_tracking::collect::{Acknowledged, Collecting, DropReason, Form, MAX_EVENT, Malformed};
use error_tracking::model::{Delivery, StorageLimits};
use error_tracking::protocol::encoding::{Encoding, Limits, Unreadable};
use gatehouse_core::auth::client_keys::Collector;
use gatehouse_core::collecting::{LimitOf, LimitReached};
use tokio::sync::OwnedSemaphorePermit;
use web_conventions::body::INLINE_BYTES;
use web_conventions::failure::Failure;

use super::make_id;
use crate::frame::collector_failure::CollectorFailure;
use crate::state::AppState;

/// Time limit for unpacking a body.
const UNPACKING: Duration = Duration::from_secs(2);

/// A body as received.
#[derive(Debug)]
pub(super) struct Packed {
    pub(super) body: Bytes,
    pub(super) encoding: Option<String>,
    pub(super) form: Form,
    pub(super) max_bytes: usize,
}

impl Packed {
    /// Unpacks the body: inline if the result is short, as nearly all are, otherwise on a blocking thread.
    /// However many arrive, only a few large bodies are in memory at a time.
    pub(super) async fn unpack(self, state: &AppState) -> Result<Unpacked, CollectorFailure> {
        let encoding = Encoding::parse(self.encoding.as_deref())?;
        if encoding == Encoding::Identity && self.form != Form::Event {
            return Ok(Unpacked {
                body: self.body,
                form: self.form,
                permit: None,
            });
        }
        if self.body.len() <= INLINE_BYTES {
            match self.unpack_to(encoding, self.max_bytes.min(INLINE_BYTES)) {
                Err(Unreadable::TooLarge) if self.max_bytes > INLINE_BYTES => {}
                unpacked => return Ok(self.with(unpacked?, None)),
            }
        }
        let permit = Arc::clone(&state.large_reports).acquire_owned().await;
        let permit = permit.map_err(|closed| Failure::caused(ApiError::unavailable(1), closed))?;
        aside(move || {
            let unpacked = self.unpack_to(encoding, self.max_bytes)?;
            Ok(self.with(unpacked, Some(permit)))
        })
        .await?
    }

    fn unpack_to(&self, encoding: Encoding, bytes: usize) -> Result<Bytes, Unreadable> {
        let started = Instant::now();
        let limits = Limits {
            bytes,
            is_over: &|| started.elapsed() > UNPACKING,
        };
        self.form
            .unpack(&self.body, encoding, limits)
            .map(Bytes::from)
    }

    fn with(&self, body: Bytes, permit: Option<OwnedSemaphorePermit>) -> Unpacked {
        Unpacked {
            body,
            form: self.form,
            permit,
        }
    }
}

/// A decompressed body.
#[derive(Debug)]
pub(super) struct Unpacked {
    body: Bytes,
    form: Form,
    /// Permit of a large body, which limits how many are in memory at a time.
    permit: Option<OwnedSemaphorePermit>,
}

/// Parsed content of a request, ready to be stored.
#[derive(Debug)]
pub(super) struct Read {
    /// Proof that permits a success response, or the reason why nothing is kept.
    pub(super) acknowledged: Result<Acknowledged, Malformed>,
    /// Data to store.
    /// Even if no event is kept, there are counts to record.
    pub(super) delivery: Delivery,
    /// Rate limit of the key or the project that dropped events, if any.
    pub(super) limited: Option<LimitReached>,
    /// True if the rate limit of an error dropped an event.
    pub(super) is_error_limited: bool,
}

impl Unpacked {
    /// Returns the key of the DSN in an envelope.
    /// A DSN of another project proves nothing for this one.
    pub(super) fn own_key(&self, project: ProjectId) -> Result<Option<String>, CollectorFailure> {
        Ok(self.form.own_key(&self.body, project)?)
    }

    /// Parses the body; scrubs, groups and compresses the data to store.
    pub(super) async fn collect(
        self,
        state: &web::Data<AppState>,
        collector: &Arc<Collector>,
        peer: Option<String>,
    ) -> Result<Read, CollectorFailure> {
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
        let (body, form) = (self.body, self.form);
        let read = move || {
            let body = Body { bytes: &body, form };
            let read = body.collect(&state, &collector, peer.as_deref());
            drop(permit);
            read
        };
        if is_short {
            return read();
        }
        aside(read).await?
    }
}

/// A body to parse.
struct Body<'b> {
    bytes: &'b [u8],
    form: Form,
}

impl Body<'_> {
    fn collect(
        &self,
        state: &AppState,
        collector: &Collector,
        peer: Option<&str>,
    ) -> Result<Read, CollectorFailure> {
        let received_at = state.now();
        let settings = &collector.settings;
        let scrubbing = &settings.options.scrubbing;
        let collecting = Collecting {
            received_at,
            peer: peer.filter(|_| !scrubbing.hides_addresses),
            scrubbing,
            make_id: &make_id,
        };
        let limits = &state.event_limits;
        let mut reached: Vec<LimitReached> = Vec::new();
        let mut may_come = || {
            let room = limits.check(collector, received_at);
            room.map_err(|full| reached.push(full)).is_ok()
        };
        let mut collected = collecting.read(self.form, self.bytes, &mut may_come)?;
        collected.admit(|event| {
            let of_error = limits.take_of_error(collector, event.grouping.key, received_at);
            let room = of_error.and_then(|()| limits.take(collector, received_at));
            room.map_err(|full| {
                reached.push(full);
                reason_of(full)
            })
        });
        let of_error = |full: &LimitReached| matches!(full.of, LimitOf::Error(..));
        let is_error_limited = reached.iter().any(of_error);
        let limited = reached.into_iter().find(|full| !of_error(full));
        let acknowledged = collected.acknowledge();
        let key = (settings.project_id, collector.key.id);
        let limits = StorageLimits::from(&settings.options);
        let bytes = self.bytes.len();
        let mut delivery = Delivery::of(collected, key, received_at, bytes, limits);
        delivery.pack(|key, digest| state.known_parts.know(key, digest));
        Ok(Read {
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
        LimitOf::Error(..) => DropReason::ErrorLimited,
        LimitOf::Key(_) | LimitOf::Project(_) => DropReason::Limited,
    }
}

/// Runs work on a blocking thread.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, CollectorFailure> {
    let done = web::block(work).await;
    Ok(done.map_err(|lost| Failure::caused(ApiError::unavailable(1), lost))?)
}
