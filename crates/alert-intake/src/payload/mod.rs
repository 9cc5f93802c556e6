//! Parsing of a POST's bytes into a [`Delivery`], as leniently as the specification allows.
//!
//! Builds no tree of the whole body: one pass picks the known fields out of the text, and the text itself is kept as
//! the alert's payload. Only two kinds of generic bodies are parsed completely: one without a fingerprint, because its
//! identity is derived from all of its content, and one with a top-level field that other senders use, because it may be
//! one of theirs.

mod environment;
mod fields;
mod form;
mod general;
mod generic;
mod item;
mod items;
mod key;
mod lenient;
mod list;
mod mapped;
mod metrics;
mod senders;

use api_conventions::error::ApiError;
use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::json::{self, RepairedBody, TooDeep};
use api_conventions::secret::SecretSource;
use api_conventions::time::Timestamp;

use self::generic::GenericBody;
use self::item::note;
use self::senders::SenderBody;
use crate::model::{
    AlertExpiry, AlertIdentity, ContentDigest, Delivery, DeliveryKey, IncomingAlert, Integration,
    IntegrationSettings, SenderContext, SeverityTable, Source,
};
use crate::rules::exact::ExactJson;
use crate::rules::identity::IdentityScope;
use crate::rules::text::cut;

pub use form::DeliveryFormat;
pub(crate) use item::DEFAULT_TITLE;
pub use key::IdempotencyKey;
pub use metrics::RESOLVE_TIMEOUT;

/// Deepest nesting of a body; the root is level 1.
pub const MAX_NESTING: usize = 100;

/// Default limit on the number of alerts in one POST. A POST is stored completely or not at all, and everyone else
/// waits while it is written.
pub const DEFAULT_MAX_ALERTS: usize = 20_000;

/// Byte order mark that some senders put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Context of a POST besides its body, from the HTTP layer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ParseContext {
    /// The project.
    pub project_id: ProjectId,
    /// The endpoint that received it.
    pub integration_id: IntegrationId,
    /// Time of receipt.
    pub received_at: Timestamp,
    /// Random bytes for the identity of a payload that has no identifying content.
    pub nonce: [u8; 16],
    /// Service word in names such as `service_environment_name`.
    pub service_word: String,
    /// The `User-Agent` of the sender.
    pub user_agent: Option<String>,
    /// Format of the body.
    pub format: DeliveryFormat,
    /// Idempotency key of the POST.
    pub key: Option<IdempotencyKey>,
    /// Limit on the number of alerts in one POST.
    pub max_alerts: usize,
    /// Rules of the endpoint for its payloads.
    pub settings: IntegrationSettings,
}

impl ParseContext {
    /// Creates the context of a POST received at `received_at`, with the rules of its endpoint, the service word
    /// `service` and a limit of [`DEFAULT_MAX_ALERTS`]. The host adds what the headers say about the sender.
    pub fn new(
        integration: &Integration,
        received_at: Timestamp,
        secrets: &dyn SecretSource,
    ) -> Self {
        let mut nonce = [0; 16];
        secrets.fill(&mut nonce);
        Self {
            settings: integration.settings.clone(),
            ..Self::from_parts(integration.project_id, integration.id, received_at, nonce)
        }
    }

    /// Creates the context like [`Self::new`], for a host that has no [`Integration`] and supplies its own `nonce`. No rule
    /// is set.
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
            format: DeliveryFormat::Json,
            key: None,
            max_alerts: DEFAULT_MAX_ALERTS,
            settings: IntegrationSettings::default(),
        }
    }

    /// Scope of the identities of the POST's alerts.
    fn identity_scope(&self) -> IdentityScope<'_> {
        IdentityScope {
            project: self.project_id,
            ignored: &self.settings.ignored_labels,
        }
    }

    /// Severities of the endpoint for its sender's words.
    const fn severities(&self) -> &SeverityTable {
        &self.settings.severities
    }
}

/// Reasons to refuse a body. Nothing is stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// The body is not valid JSON.
    #[error("the body is not valid JSON")]
    Malformed(#[source] serde_json::Error),
    /// The body is nested too deeply.
    #[error(transparent)]
    TooDeep(#[from] TooDeep),
    /// The body has more alerts than one POST may have, which is this limit.
    #[error("the limit is {0} alerts in one request")]
    TooManyAlerts(usize),
    /// The body is JSON, but not an object.
    #[error("the body is not a JSON object")]
    NotAnObject,
    /// The body is JSON, but not a list, where one is expected.
    #[error("the body is not a list of alerts")]
    NotAList,
    /// A form has no fields with values, too many, or control characters in a name.
    #[error("the form has no fields; send a JSON object, or a form of 1 to 1000 fields")]
    NoFields,
    /// A metrics webhook lacks a required top-level attribute.
    #[error("the attribute {0:?} is missing")]
    MissingAttribute(&'static str),
    /// A metrics webhook does not have version 4.
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
            PayloadError::NotAList | PayloadError::NoFields => {
                Self::malformed_body(&error.to_string())
            }
            PayloadError::MissingAttribute(_) | PayloadError::WrongVersion => {
                Self::unprocessable(&error.to_string())
            }
        }
    }
}

/// Parses a body received at an endpoint of the kind `source`.
///
/// A body with the shape of a metrics webhook is parsed as one even at a generic endpoint. The caller has limited the
/// body's size. Bodies of well-known senders are recognised by their fields at either kind of endpoint, and at a generic
/// endpoint a general rule reads the fields that unknown senders usually have. A leading byte order mark is skipped. Values that no database can store or no reader can display (a
/// NUL, a lone surrogate, an out-of-range number) are replaced or kept as text, and noted.
///
/// # Errors
/// See [`PayloadError`]. A single invalid alert is not an error: it is stored with the fields it has, or skipped if it
/// lacks a title or a start, and the receipt says so.
pub fn parse(
    body: &[u8],
    source: Source,
    context: &ParseContext,
) -> Result<Delivery, PayloadError> {
    let text = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body);
    let text = std::str::from_utf8(text).map_err(|_| not_utf8())?;
    let json = form::json_of(text, &context.format)?;
    let repaired = json::repair(&json, MAX_NESTING)?;
    let mut sender = SenderContext {
        notes: notes_of(&repaired),
        ..SenderContext::of_sender(context.user_agent.as_deref())
    };
    let text = &*repaired.text;
    let body_alerts = read(text, source, context, &mut sender)?;
    let BodyAlerts {
        alerts,
        acknowledged,
        expiries,
    } = mapped::apply(body_alerts, text, source, context, &mut sender)?;
    Ok(Delivery {
        project_id: context.project_id,
        integration_id: context.integration_id,
        received_at: context.received_at,
        body_bytes: body.len(),
        // A mapping changes what was read, so the digest comes last.
        alerts: alerts.into_iter().map(IncomingAlert::digested).collect(),
        acknowledged,
        lowers_severity: context.settings.lowers_severity,
        stale_after: context.settings.stale_after,
        expiries,
        context: sender,
        key: context.key.as_ref().map(|key| DeliveryKey {
            key: key.digest(),
            body: ContentDigest::of(body),
        }),
    })
}

/// Content of a body: alerts, or the acknowledgement of one.
#[derive(Debug, Default)]
struct BodyAlerts {
    alerts: Vec<IncomingAlert>,
    acknowledged: Option<AlertIdentity>,
    expiries: Vec<AlertExpiry>,
}

impl From<Vec<IncomingAlert>> for BodyAlerts {
    fn from(alerts: Vec<IncomingAlert>) -> Self {
        Self {
            alerts,
            ..Self::default()
        }
    }
}

fn read(
    text: &str,
    source: Source,
    context: &ParseContext,
    sender: &mut SenderContext,
) -> Result<BodyAlerts, PayloadError> {
    if context.format == DeliveryFormat::PostedAlerts {
        return metrics::read_posted(text, context, sender);
    }
    if text.trim_start().starts_with('[') {
        return match metrics::read_list(text, context, sender) {
            Err(PayloadError::NotAnObject) if source == Source::Generic => {
                list::read(text, context, sender)
            }
            read => Ok(read?.into()),
        };
    }
    match source {
        Source::Metrics => match metrics::read(text, context, sender) {
            Err(error @ (PayloadError::MissingAttribute(_) | PayloadError::WrongVersion)) => {
                let body = ExactJson::parse(text).map_err(PayloadError::Malformed)?;
                // The specification requires all attributes of a webhook here, so a part of one stays an error.
                match senders::recognise(body.tree(), context.severities()) {
                    None | Some(SenderBody::Webhook(metrics::TOOL)) => Err(error),
                    Some(known) => read_sender(known, text, context, sender),
                }
            }
            read => Ok(read?.into()),
        },
        Source::Generic => match generic::read(text, context, sender)? {
            GenericBody::Alert(alert) => Ok(vec![*alert].into()),
            GenericBody::Nothing => Ok(BodyAlerts::default()),
            GenericBody::MetricsShape => Ok(metrics::read(text, context, sender)?.into()),
            GenericBody::Sender(known) => read_sender(known, text, context, sender),
        },
    }
}

/// Reads the body of a recognised sender. The receipt says which one.
fn read_sender(
    known: SenderBody,
    text: &str,
    context: &ParseContext,
    sender: &mut SenderContext,
) -> Result<BodyAlerts, PayloadError> {
    let by = |tool: &str| format!("recognised as a body of {tool}");
    match known {
        SenderBody::Alert(alert) => {
            note(&mut sender.notes, &by(alert.tool));
            Ok(vec![alert.into_alert(text, context)].into())
        }
        SenderBody::Acknowledgement(alert) => {
            note(&mut sender.notes, &by(alert.tool));
            Ok(BodyAlerts {
                acknowledged: Some(alert.identity(context)),
                ..BodyAlerts::default()
            })
        }
        SenderBody::Webhook(tool) => {
            note(&mut sender.notes, &by(tool));
            Ok(metrics::read_items(text, tool, context, sender)?.into())
        }
        SenderBody::Notice(notice) => {
            note(&mut sender.notes, &cut(&notice, MAX_NOTE));
            Ok(BodyAlerts::default())
        }
    }
}

/// Longest note about a body that is no alert, in characters.
const MAX_NOTE: usize = 1_000;

/// Returns the repairs made, one sentence for each kind.
fn notes_of(repaired: &RepairedBody<'_>) -> Vec<String> {
    let kinds = [
        (repaired.nuls, "NUL characters, replaced by U+FFFD"),
        (
            repaired.surrogates,
            "unpaired surrogates, replaced by U+FFFD",
        ),
        (
            repaired.numbers,
            "numbers outside the range of a double, kept as text",
        ),
    ];
    let found = kinds.into_iter().filter(|(count, _)| *count > 0);
    found
        .map(|(count, kind)| format!("the body contained {kind}: {count}"))
        .collect()
}

fn not_utf8() -> PayloadError {
    PayloadError::Malformed(serde::de::Error::custom("the body is not UTF-8"))
}

/// Distinguishes a body that is not an object from one that is not JSON.
fn refuse(text: &str, error: serde_json::Error) -> PayloadError {
    let other_value = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    if error.is_data() && other_value {
        PayloadError::NotAnObject
    } else {
        PayloadError::Malformed(error)
    }
}
