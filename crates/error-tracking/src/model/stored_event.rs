//! Events as they are stored, and what came with them.

use api_conventions::ids::{AttachmentId, ErrorCommentId, ErrorEventId, ErrorKeyId, ProjectId};
use api_conventions::time::Timestamp;

use super::{EventId, Level};
use crate::event::{Report, Unkept};

/// An event in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorEventSummary {
    /// Its number; later events have greater ones.
    pub id: ErrorEventId,
    /// The key that put it where it is.
    pub key_id: ErrorKeyId,
    /// The id that its SDK gave it.
    pub event_id: EventId,
    /// When it came.
    pub received_at: Timestamp,
    /// When it happened, as far as the sender's clock can be trusted.
    pub occurred_at: Timestamp,
    /// What happened, in one line.
    pub title: String,
    /// How bad it is.
    pub level: Level,
    /// The release.
    pub release: Option<String>,
    /// The environment.
    pub environment: Option<String>,
}

/// An event that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorEvent {
    /// What a list shows of it.
    pub summary: ErrorEventSummary,
    /// The report in the form in which it is kept.
    pub kept: Vec<u8>,
    /// What it has in common with others, if that is kept apart: the bytes of a [`SharedPart`](crate::event::SharedPart).
    pub shared: Option<Vec<u8>>,
}

impl ErrorEvent {
    /// The report.
    ///
    /// # Errors
    /// When what is kept cannot be read.
    pub fn report(&self) -> Result<Report, Unkept> {
        Report::from_kept(&self.kept, self.shared.as_deref())
    }
}

/// How many events of an error have a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagCount {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
    /// How many events have it.
    pub events: i64,
    /// When the latest of them came.
    pub last_seen: Timestamp,
}

/// What a user of the program wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorComment {
    /// Its id.
    pub id: ErrorCommentId,
    /// The project.
    pub project_id: ProjectId,
    /// The event that it is about, by the id that its SDK gave it. Nothing says that there is such an event.
    pub event_id: Option<EventId>,
    /// When it came.
    pub received_at: Timestamp,
    /// What the user calls themselves.
    pub name: Option<String>,
    /// Their address of mail.
    pub email: Option<String>,
    /// What they wrote.
    pub text: String,
    /// Where they were.
    pub url: Option<String>,
}

/// A file that came with an event, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAttachment {
    /// Its id.
    pub id: AttachmentId,
    /// Its name, as the sender says. It names nothing of ours.
    pub filename: String,
    /// Its type, as the sender says.
    pub content_type: String,
    /// What it is for, in the words of SDKs.
    pub kind: String,
    /// Its bytes.
    pub size: i64,
}
