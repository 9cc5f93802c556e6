//! Stored events, and the items received with them.

use api_conventions::ids::{AttachmentId, ErrorCommentId, ErrorEventId, ErrorKeyId, ProjectId};
use api_conventions::time::Timestamp;

use super::{EventId, Level};
use crate::event::{Report, StoredReportError};

/// An event in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorEventSummary {
    /// Id of the event; later events have greater ids.
    pub id: ErrorEventId,
    /// Grouping key that assigned the event to its error.
    pub key_id: ErrorKeyId,
    /// Id given by the SDK.
    pub event_id: EventId,
    /// Time of receipt.
    pub received_at: Timestamp,
    /// Time of the event, as far as the sender's clock can be trusted.
    pub occurred_at: Timestamp,
    /// Title, in one line.
    pub title: String,
    /// Severity.
    pub level: Level,
    /// The release.
    pub release: Option<String>,
    /// The environment.
    pub environment: Option<String>,
}

/// Stored event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorEvent {
    /// Summary, as shown in a list.
    pub summary: ErrorEventSummary,
    /// Report in its storage format.
    pub kept: Vec<u8>,
    /// Part that it shares with other events, if stored separately: the bytes of a
    /// [`SharedPart`](crate::event::SharedPart).
    pub shared: Option<Vec<u8>>,
}

impl ErrorEvent {
    /// Decodes the report.
    ///
    /// # Errors
    /// The stored data cannot be decoded.
    pub fn report(&self) -> Result<Report, StoredReportError> {
        Report::decode(&self.kept, self.shared.as_deref())
    }
}

/// Number of events of an error that have a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagCount {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
    /// Number of events with the tag.
    pub events: i64,
    /// Time of receipt of the latest of them.
    pub last_seen: Timestamp,
}

/// Feedback from a user of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorComment {
    /// Id of the comment.
    pub id: ErrorCommentId,
    /// The project.
    pub project_id: ProjectId,
    /// Event that the comment is about, by the id that the SDK gave it.
    /// There may be no such event.
    pub event_id: Option<EventId>,
    /// Time of receipt.
    pub received_at: Timestamp,
    /// Name that the user gave.
    pub name: Option<String>,
    /// Email address that the user gave.
    pub email: Option<String>,
    /// Text of the comment.
    pub text: String,
    /// URL of the page on which the user was.
    pub url: Option<String>,
}

/// Attachment of an event, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAttachment {
    /// Id of the attachment.
    pub id: AttachmentId,
    /// File name given by the sender.
    /// Names nothing on this server.
    pub filename: String,
    /// Media type given by the sender.
    pub content_type: String,
    /// Type of the attachment, in the SDKs' words.
    pub kind: String,
    /// Size in bytes.
    pub size: i64,
}
