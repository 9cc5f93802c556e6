//! From the bytes of a request to what is stored of it. All of it happens outside any transaction, and what may take long on a thread
//! that may block.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::http::header::{CONTENT_TYPE, HeaderMap};
use actix_web::web::{self, Bytes};
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use error_tracking::collect::{
    Acknowledged, Collected, Collecting, DropReason, Dropped, MAX_EVENT, Malformed,
};
use error_tracking::model::{Delivery, StorageLimits};
use error_tracking::protocol::credentials::NoKey;
use error_tracking::protocol::dsn::Dsn;
use error_tracking::protocol::encoding::{Encoding, Limits, Unreadable, event_of_store, unpack};
use error_tracking::protocol::envelope::Envelope;
use error_tracking::protocol::item::{Category, ItemKind};
use gatehouse_core::auth::client_keys::Collector;
use gatehouse_core::collecting::{LimitOf, LimitReached};
use tokio::sync::OwnedSemaphorePermit;
use web_conventions::body::INLINE_BYTES;
use web_conventions::failure::Failure;

use super::make_id;
use crate::frame::collector_failure::CollectorFailure;
use crate::state::AppState;

/// How long a body may take to unpack.
const UNPACKING: Duration = Duration::from_secs(2);
/// The media type of envelopes, by which the old endpoint knows one.
const ENVELOPE_TYPE: &str = "application/x-sentry-envelope";

/// What the body of a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// An envelope.
    Envelope,
    /// One event.
    Event,
    /// What a browser reports.
    Report,
    /// Network errors, which are not kept.
    Network,
}

impl Form {
    /// The category of a body of this form that cannot be read.
    pub(super) const fn category(self) -> Category {
        match self {
            Self::Event => Category::Error,
            Self::Report => Category::Security,
            Self::Envelope | Self::Network => Category::Default,
        }
    }

    /// The form, where the old endpoint may get an envelope.
    pub(super) fn of(self, headers: &HeaderMap) -> Self {
        let media_type = headers
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok());
        let is_envelope = media_type.is_some_and(|media_type| {
            let essence = media_type.split(';').next().unwrap_or_default().trim();
            essence.eq_ignore_ascii_case(ENVELOPE_TYPE)
        });
        match self {
            Self::Event if is_envelope => Self::Envelope,
            other => other,
        }
    }
}

/// A body as it came.
#[derive(Debug)]
pub(super) struct Packed {
    pub(super) body: Bytes,
    pub(super) encoding: Option<String>,
    pub(super) form: Form,
    pub(super) max_bytes: usize,
}

impl Packed {
    /// Unpacks the body: here, when it turns out to be short, which nearly all are; or else beside, where only a few at a time are held,
    /// however many come.
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
        let plain = unpack(&self.body, encoding, limits)?;
        Ok(match self.form {
            Form::Event => Bytes::from(event_of_store(&plain, limits)?.into_owned()),
            _ => Bytes::from(plain.into_owned()),
        })
    }

    fn with(&self, body: Bytes, permit: Option<OwnedSemaphorePermit>) -> Unpacked {
        Unpacked {
            body,
            form: self.form,
            permit,
        }
    }
}

/// A body that is no longer compressed.
#[derive(Debug)]
pub(super) struct Unpacked {
    body: Bytes,
    form: Form,
    /// The place of a large body among those that are held at a time.
    permit: Option<OwnedSemaphorePermit>,
}

/// What a request brings, ready to be written.
#[derive(Debug)]
pub(super) struct Read {
    /// The leave to answer with a success, or why nothing is kept.
    pub(super) acknowledged: Result<Acknowledged, Malformed>,
    /// What is to be written. Also where nothing is kept, there is something to count.
    pub(super) delivery: Delivery,
    /// The limit of the key or of the project that kept events out, if one did.
    pub(super) limited: Option<LimitReached>,
    /// Whether the limit of an error kept one out.
    pub(super) is_error_limited: bool,
}

impl Unpacked {
    /// The key in the DSN that an envelope names. A DSN of another project proves nothing for this one.
    pub(super) fn own_key(&self, project: ProjectId) -> Result<Option<String>, CollectorFailure> {
        if self.form != Form::Envelope {
            return Ok(None);
        }
        let first = self.body.split(|byte| *byte == b'\n').next();
        let header = Envelope::parse(first.unwrap_or_default());
        let dsn = header.ok().and_then(|envelope| envelope.own_dsn());
        match dsn {
            None => Ok(None),
            Some(Ok(Dsn {
                key, project_id, ..
            })) if project_id == project => Ok(Some(key.to_string())),
            Some(_) => Err(NoKey::Ambiguous.into()),
        }
    }

    /// Reads the body, scrubs, groups and compresses what is stored of it.
    pub(super) async fn collect(
        self,
        state: &web::Data<AppState>,
        collector: &Arc<Collector>,
        peer: Option<String>,
    ) -> Result<Read, CollectorFailure> {
        let is_short = self.body.len() <= INLINE_BYTES;
        // A large event is cut while it is read. However it comes, only a few such bodies are held at a time.
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

/// A body that is read now.
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
        let mut collected = self.read(&collecting, &mut may_come)?;
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

    /// What the body brings. `may_come` says whether there may be room for another event; where there is none, events are counted
    /// and not read.
    fn read(
        &self,
        collecting: &Collecting<'_>,
        may_come: &mut dyn FnMut() -> bool,
    ) -> Result<Collected, CollectorFailure> {
        Ok(match self.form {
            Form::Envelope => {
                let mut envelope = Envelope::parse(self.bytes).map_err(Malformed::from)?;
                let has_event = envelope.items.iter().any(is_event);
                let mut refused = [(ItemKind::Event, 0), (ItemKind::Attachment, 0)];
                if has_event && !may_come() {
                    for (kind, count) in &mut refused {
                        let before = envelope.items.len();
                        envelope.items.retain(|item| item.kind != *kind);
                        *count = before - envelope.items.len();
                    }
                }
                let mut collected = collecting.of_envelope(&envelope);
                for (kind, count) in refused {
                    let category = kind.category().unwrap_or(Category::Default);
                    count_limited(&mut collected, category, count);
                }
                collected
            }
            Form::Event if !may_come() => limited(Category::Error),
            Form::Report if !may_come() => limited(Category::Security),
            Form::Event => collecting.store(self.bytes)?,
            Form::Report => collecting.security(self.bytes)?,
            Form::Network => {
                let mut collected = Collected::default();
                collected.dropped.push(Dropped {
                    category: Category::Default,
                    reason: DropReason::NotKept,
                    quantity: 1,
                });
                collected
            }
        })
    }
}

fn is_event(item: &error_tracking::protocol::envelope::Item<'_>) -> bool {
    item.kind == ItemKind::Event
}

/// Why an event is dropped that a limit left no room for.
fn reason_of(reached: LimitReached) -> DropReason {
    match reached.of {
        LimitOf::Error(..) => DropReason::ErrorLimited,
        LimitOf::Key(_) | LimitOf::Project(_) => DropReason::Limited,
    }
}

fn limited(category: Category) -> Collected {
    let mut collected = Collected::default();
    count_limited(&mut collected, category, 1);
    collected
}

fn count_limited(collected: &mut Collected, category: Category, refused: usize) {
    if refused > 0 {
        collected.dropped.push(Dropped {
            category,
            reason: DropReason::Limited,
            quantity: u64::try_from(refused).unwrap_or(u64::MAX),
        });
    }
}

/// Runs work on a thread that may block.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, CollectorFailure> {
    let done = web::block(work).await;
    Ok(done.map_err(|lost| Failure::caused(ApiError::unavailable(1), lost))?)
}
