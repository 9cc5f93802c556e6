//! From the bytes of a POST to a [`Delivery`]: what senders write, read as leniently as the specification allows.
//!
//! No tree of the whole body is built: known fields are picked out of the text in one pass, and the text itself
//! is kept as the alert's payload. Only a generic body without a fingerprint is parsed whole, because its
//! identity is made of everything in it.

mod environment;
mod generic;
mod item;
mod lenient;
mod metrics;

use api_conventions::error::ApiError;
use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::json;
use api_conventions::time::Timestamp;

use crate::model::{Delivery, IncomingAlert, SenderContext, Source};

/// What the edge knows of a POST besides its body.
#[derive(Debug, Clone)]
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
}

/// Why a body is refused. Nothing of it is stored then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// It is not JSON.
    #[error("the body is not valid JSON")]
    Malformed(#[source] serde_json::Error),
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
            PayloadError::NotAnObject => Self::malformed_body("the body is not a JSON object"),
            PayloadError::MissingAttribute(_) | PayloadError::WrongVersion => {
                Self::unprocessable(&error.to_string())
            }
        }
    }
}

/// Reads a body that came to an endpoint of the kind `source`.
///
/// A body at a generic endpoint that has the shape of a metrics webhook is read as one. The caller has bounded
/// the body's size and nesting.
///
/// # Errors
/// See [`PayloadError`]. A single alert that makes no sense is no error: it is stored with what is there, and
/// the receipt says what is missing.
pub fn parse(
    body: &[u8],
    source: Source,
    context: &ParseContext,
) -> Result<Delivery, PayloadError> {
    let text = std::str::from_utf8(body).map_err(|_| not_utf8())?;
    let mut sender = SenderContext {
        user_agent: context
            .user_agent
            .as_deref()
            .map(|agent| crate::rules::text::cut(agent, 200)),
        ..SenderContext::default()
    };
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
    })
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
