//! JSON of events, and of the items received with them.

use api_conventions::ids::{AttachmentId, ErrorCommentId, ErrorEventId};
use api_conventions::time::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::ErrorJson;
use crate::event::StoredReportError;
use crate::model::{ErrorComment, ErrorEvent, ErrorEventSummary, EventId, StoredAttachment};
use crate::store::EventNeighbours;

/// An event in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventJson {
    id: ErrorEventId,
    event_id: String,
    title: String,
    level: &'static str,
    release: Option<String>,
    environment: Option<String>,
    received_at: Timestamp,
    occurred_at: Timestamp,
}

impl From<ErrorEventSummary> for EventJson {
    fn from(event: ErrorEventSummary) -> Self {
        Self {
            id: event.id,
            event_id: event.event_id.to_string(),
            title: event.title,
            level: event.level.as_str(),
            release: event.release,
            environment: event.environment,
            received_at: event.received_at,
            occurred_at: event.occurred_at,
        }
    }
}

/// Event with all details.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventDetailJson {
    #[serde(flatten)]
    event: EventJson,
    previous_event_id: Option<String>,
    next_event_id: Option<String>,
    attachments: Vec<AttachmentJson>,
    /// Report that the SDK sent, as far as it was kept.
    /// It holds exceptions with their stack traces, breadcrumbs, request, user, tags, contexts; `notes` lists what was
    /// filtered or did not fit.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, Value>"))]
    report: Value,
}

impl EventDetailJson {
    /// Creates the JSON of an event with its neighbours and attachments.
    ///
    /// # Errors
    /// The stored report cannot be decoded.
    pub fn new(
        event: ErrorEvent,
        place: EventNeighbours,
        attachments: Vec<StoredAttachment>,
    ) -> Result<Self, StoredReportError> {
        let report = event.report()?;
        let id = |id: Option<EventId>| id.map(|id| id.to_string());
        Ok(Self {
            event: event.summary.into(),
            previous_event_id: id(place.previous),
            next_event_id: id(place.next),
            attachments: attachments.into_iter().map(Into::into).collect(),
            report: serde_json::to_value(report).map_err(|_| StoredReportError::Damaged)?,
        })
    }
}

/// Error that an event belongs to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventErrorJson {
    event_id: String,
    error: ErrorJson,
    /// The event; null when it is no longer kept.
    event: Option<EventJson>,
}

impl EventErrorJson {
    /// Creates the JSON of an event's error, and of the event if it is kept.
    pub fn new(id: EventId, error: ErrorJson, event: Option<ErrorEventSummary>) -> Self {
        Self {
            event_id: id.to_string(),
            error,
            event: event.map(Into::into),
        }
    }
}

/// Attachment of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttachmentJson {
    id: AttachmentId,
    filename: String,
    content_type: String,
    kind: String,
    size: i64,
}

impl From<StoredAttachment> for AttachmentJson {
    fn from(file: StoredAttachment) -> Self {
        Self {
            id: file.id,
            filename: file.filename,
            content_type: file.content_type,
            kind: file.kind,
            size: file.size,
        }
    }
}

/// Feedback from a user of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommentJson {
    id: ErrorCommentId,
    event_id: Option<String>,
    received_at: Timestamp,
    name: Option<String>,
    email: Option<String>,
    text: String,
    url: Option<String>,
}

impl From<ErrorComment> for CommentJson {
    fn from(comment: ErrorComment) -> Self {
        Self {
            id: comment.id,
            event_id: comment.event_id.map(|id| id.to_string()),
            received_at: comment.received_at,
            name: comment.name,
            email: comment.email,
            text: comment.text,
            url: comment.url,
        }
    }
}
