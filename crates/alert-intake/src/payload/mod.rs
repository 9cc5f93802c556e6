//! From the bytes of a POST to a [`Delivery`]: what senders write, read as leniently as the specification allows.
//!
//! No tree of the whole body is built: known fields are picked out of the text in one pass, and the text itself
//! is kept as the alert's payload. Only a generic body without a fingerprint is parsed whole, because its
//! identity is made of everything in it.

mod environment;
mod generic;
mod item;
mod items;
mod key;
mod lenient;
mod metrics;

use api_conventions::error::ApiError;
use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::json::{self, Mended, TooDeep};
use api_conventions::secret::SecretSource;
use api_conventions::time::Timestamp;

use crate::model::{
    ContentDigest, Delivery, DeliveryKey, IncomingAlert, Integration, SenderContext, Source,
};

pub use key::IdempotencyKey;

/// The deepest nesting of a body; the root is level 1.
pub const MAX_NESTING: usize = 100;

/// The number of alerts that one POST may bring, unless something else is configured. A POST is stored whole or not at
/// all, and while it is written everybody else waits.
pub const DEFAULT_MAX_ALERTS: usize = 20_000;

/// What some senders write before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What the edge knows of a POST besides its body.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ParseContext {
    /// The project.
    pub project_id: ProjectId,
    /// The endpoint that received it.
    pub integration_id: IntegrationId,
    /// When it came.
    pub received_at: Timestamp,
    /// Random bytes: they make the identity of a payload that says nothing about what it is.
    pub nonce: [u8; 16],
    /// The word for the service in names such as `service_environment_name`.
    pub service_word: String,
    /// The `User-Agent` of the sender.
    pub user_agent: Option<String>,
    /// What the sender calls the POST.
    pub key: Option<IdempotencyKey>,
    /// The number of alerts that one POST may bring.
    pub max_alerts: usize,
}

impl ParseContext {
    /// The context of a POST that came to an endpoint at `received_at`: with the word `service`, at most
    /// [`DEFAULT_MAX_ALERTS`], and without what the headers say of the sender, which a host adds.
    pub fn new(
        integration: &Integration,
        received_at: Timestamp,
        secrets: &dyn SecretSource,
    ) -> Self {
        let mut nonce = [0; 16];
        secrets.fill(&mut nonce);
        Self::from_parts(integration.project_id, integration.id, received_at, nonce)
    }

    /// [`Self::new`] for a host that keeps no [`Integration`], with a `nonce` of its own.
    pub fn from_parts(
        project_id: ProjectId,
        integration_id: IntegrationId,
        received_at: Timestamp,
        nonce: [u8; 16],
    ) -> Self {
        Self {
            project_id,
            integration_id,
            received_at,
            nonce,
            service_word: "service".to_owned(),
            user_agent: None,
            key: None,
            max_alerts: DEFAULT_MAX_ALERTS,
        }
    }
}

/// Why a body is refused. Nothing of it is stored then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// It is not JSON.
    #[error("the body is not valid JSON")]
    Malformed(#[source] serde_json::Error),
    /// It is nested too deeply.
    #[error(transparent)]
    TooDeep(#[from] TooDeep),
    /// It holds more alerts than one POST may bring: at most this many.
    #[error("the limit is {0} alerts in one request")]
    TooManyAlerts(usize),
    /// It is JSON, but not an object.
    #[error("the body is not a JSON object")]
    NotAnObject,
    /// A metrics webhook lacks a top-level attribute.
    #[error("the attribute {0:?} is missing")]
    MissingAttribute(&'static str),
    /// A metrics webhook is not of version 4.
    #[error("the version is not \"4\"")]
    WrongVersion,
}

impl From<PayloadError> for ApiError {
    fn from(error: PayloadError) -> Self {
        match error {
            PayloadError::Malformed(source) => json::refusal(&source),
            PayloadError::TooDeep(refusal) => refusal.into(),
            PayloadError::TooManyAlerts(limit) => Self::too_many_alerts(limit),
            PayloadError::NotAnObject => Self::malformed_body("the body is not a JSON object"),
            PayloadError::MissingAttribute(_) | PayloadError::WrongVersion => {
                Self::unprocessable(&error.to_string())
            }
        }
    }
}

/// Reads a body that came to an endpoint of the kind `source`.
///
/// A body at a generic endpoint that has the shape of a metrics webhook is read as one. The caller has bounded the
/// body's size. A byte order mark before the body is passed over. What no database keeps and no reader can show later (a
/// NUL, half a surrogate pair, a number beyond all bounds) is replaced or kept as text, and noted.
///
/// # Errors
/// See [`PayloadError`]. A single alert that makes no sense is no error: it is stored with what is there, or skipped
/// when it has no title or no start, and the receipt says so.
pub fn parse(
    body: &[u8],
    source: Source,
    context: &ParseContext,
) -> Result<Delivery, PayloadError> {
    let text = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body);
    let text = std::str::from_utf8(text).map_err(|_| not_utf8())?;
    let mended = json::mend(text, MAX_NESTING)?;
    let mut sender = SenderContext {
        notes: notes_of(&mended),
        ..SenderContext::of_sender(context.user_agent.as_deref())
    };
    let text = &*mended.text;
    let alerts: Vec<IncomingAlert> = match source {
        Source::Metrics => metrics::read(text, context, &mut sender)?,
        Source::Generic => match generic::read(text, context, &mut sender)? {
            generic::Reading::Alert(alert) => vec![*alert],
            generic::Reading::MetricsShape => metrics::read(text, context, &mut sender)?,
        },
    };
    Ok(Delivery {
        project_id: context.project_id,
        integration_id: context.integration_id,
        received_at: context.received_at,
        body_bytes: body.len(),
        alerts,
        context: sender,
        key: context.key.as_ref().map(|key| DeliveryKey {
            key: key.digest(),
            body: ContentDigest::of(body),
        }),
    })
}

/// What was mended, one sentence for each kind.
fn notes_of(mended: &Mended<'_>) -> Vec<String> {
    let kinds = [
        (mended.nuls, "NUL characters, replaced by U+FFFD"),
        (
            mended.surrogates,
            "halves of surrogate pairs, replaced by U+FFFD",
        ),
        (
            mended.numbers,
            "numbers beyond the range of a double, kept as text",
        ),
    ];
    let found = kinds.into_iter().filter(|(count, _)| *count > 0);
    found
        .map(|(count, kind)| format!("the body held {kind}: {count}"))
        .collect()
}

fn not_utf8() -> PayloadError {
    PayloadError::Malformed(serde::de::Error::custom("the body is not UTF-8"))
}

/// Tells a body that is no object from one that is no JSON at all.
fn refuse(text: &str, error: serde_json::Error) -> PayloadError {
    let other_value = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    if error.is_data() && other_value {
        PayloadError::NotAnObject
    } else {
        PayloadError::Malformed(error)
    }
}
