//! Processing of request bodies before they are stored.
//! All slow work is done here, before a writer is involved: parsing, scrubbing and grouping.

mod acknowledgement;
mod content;
mod format;
mod handler;
mod refusal;

use api_conventions::time::Timestamp;

pub use acknowledgement::Acknowledgement;
pub use content::{
    Attachment, CollectedCheckIn, CollectedEvent, DropReason, DroppedItems, RequestContent,
};
pub use format::BodyFormat;
pub use handler::{CollectorOptions, CollectorRequest, CollectorResponse, handle_request};

use crate::event::{EventError, EventSource, FieldNote, read};
use crate::grouping::group;
use crate::model::EventId;
use crate::monitors::CheckIn;
use crate::protocol::client_report::{self, ClientReportError};
use crate::protocol::envelope::{Envelope, Item, MalformedEnvelope};
use crate::protocol::item::{Category, ItemKind};
use crate::protocol::sessions::{self, SessionsError};
use crate::protocol::shorten::read_within;
use crate::protocol::{feedback, policy_report};
use crate::scrub::{ScrubSettings, scrub, scrub_comment};

/// Largest event that is stored uncut, in bytes of JSON.
/// A larger one is cut to about this size while it is parsed.
pub const MAX_EVENT: usize = 1024 * 1024;
/// Largest attachment that is stored, in bytes.
pub const MAX_ATTACHMENT: usize = 1024 * 1024;
/// Attachments of one request that are stored.
const MAX_ATTACHMENTS: usize = 10;
/// Session items of one request that are counted.
const MAX_SESSIONS: usize = 100;

/// Check-ins of one request that are recorded.
const MAX_CHECK_INS: usize = 100;
/// Largest check-in, in bytes.
pub const MAX_CHECK_IN: usize = 100 * 1024;

/// Context of a request: how it was received, and what the project wants done with it.
#[derive(Clone, Copy)]
pub struct RequestContext<'c> {
    /// Time of receipt, by the server's clock.
    pub received_at: Timestamp,
    /// Address of the client, if the project stores addresses.
    pub peer: Option<&'c str>,
    /// Scrubbing settings.
    pub scrubbing: &'c ScrubSettings,
    /// Generates an id for an event that has none.
    pub generate_id: &'c (dyn Fn() -> EventId + Sync),
}

impl std::fmt::Debug for RequestContext<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Collecting(at {:?})", self.received_at)
    }
}

/// Reason why nothing of a body is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// The body is not an envelope.
    #[error(transparent)]
    Envelope(#[from] MalformedEnvelope),
    /// The body is not JSON.
    #[error("the body is not valid JSON")]
    Json,
    /// The body is not an event.
    #[error("the event is not a JSON object")]
    Event,
    /// No item of the envelope is what its type says.
    #[error("no item of the envelope is valid for its type: an event must be a JSON object")]
    Item,
    /// The body is not a report of a browser.
    #[error("the body contains no report of a security policy")]
    Report,
    /// Everything in the body is too large to store.
    #[error("every item of the envelope is too large")]
    TooLarge,
    /// The envelope holds attachments but no event.
    #[error("the envelope has attachments without their event: send them together")]
    WithoutEvent,
}

impl RequestContext<'_> {
    /// Parses an envelope.
    /// A bad item is dropped and counted; the others are processed.
    ///
    /// # Errors
    /// The body is not a well-formed envelope.
    pub fn parse_envelope(&self, body: &[u8]) -> Result<RequestContent, BodyError> {
        let envelope = Envelope::parse(body)?;
        Ok(self.process_envelope(&envelope))
    }

    /// Processes an envelope that was parsed before, to find its client key.
    pub fn process_envelope(&self, envelope: &Envelope<'_>) -> RequestContent {
        let mut collected = RequestContent::default();
        for item in &envelope.items {
            self.item(&mut collected, envelope, item);
        }
        let beyond = envelope.items_beyond;
        collected.drop_many(Category::Default, DropReason::TooLarge, beyond);
        let id = collected.events.first().map(|event| event.event.id);
        collected.id = id.or(envelope.event_id);
        // An attachment belongs to the event that it was sent with. Without one it could never be found.
        if id.is_some() {
            let files = collected.attachments.iter_mut();
            files.for_each(|file| file.event_id = id);
        } else {
            let files = collected.attachments.drain(..).count();
            collected.drop_many(Category::Attachment, DropReason::WithoutEvent, files as u64);
        }
        collected
    }

    /// Parses a body of the legacy endpoint: one event.
    ///
    /// # Errors
    /// The body is not an event.
    pub fn parse_event(&self, body: &[u8]) -> Result<RequestContent, BodyError> {
        let mut collected = RequestContent::default();
        match self.event(body, None)? {
            Some(event) => {
                collected.id = Some(event.event.id);
                collected.events.push(event);
            }
            None => collected.drop_many(Category::Transaction, DropReason::NotKept, 1),
        }
        Ok(collected)
    }

    /// Parses the reports of a browser.
    ///
    /// # Errors
    /// The body is not JSON, or holds nothing that a browser reports.
    pub fn parse_security_reports(&self, body: &[u8]) -> Result<RequestContent, BodyError> {
        let reports = policy_report::reports(body, MAX_EVENT).map_err(|_| BodyError::Json)?;
        if reports.events.is_empty() && reports.not_kept == 0 {
            return Err(BodyError::Report);
        }
        let mut collected = RequestContent::default();
        for report in reports.events {
            if let Ok(event) = self.event_of(report, None, None) {
                collected.events.push(event);
            }
        }
        for (reason, quantity) in [
            (DropReason::NotKept, reports.not_kept),
            (DropReason::Invalid, reports.invalid),
            (DropReason::TooLarge, reports.too_many),
        ] {
            collected.drop_many(Category::Security, reason, quantity);
        }
        collected.id = collected.events.first().map(|event| event.event.id);
        Ok(collected)
    }

    /// Parses a JSON text as an event; `None` for a transaction, which is never stored.
    fn event(
        &self,
        payload: &[u8],
        envelope: Option<&Envelope<'_>>,
    ) -> Result<Option<CollectedEvent>, BodyError> {
        let (value, is_cut) = read_within(payload, MAX_EVENT).map_err(|_| BodyError::Json)?;
        let id = envelope.and_then(|envelope| envelope.event_id);
        let sent_at = envelope.and_then(|envelope| envelope.sent_at);
        match self.event_of(value, id, sent_at) {
            Ok(mut event) => {
                if is_cut {
                    event.event.report.notes.push(FieldNote {
                        field: "event".to_owned(),
                        text: "was truncated: it was larger than 1 MiB".to_owned(),
                    });
                }
                Ok(Some(event))
            }
            Err(EventError::Transaction) => Ok(None),
            Err(EventError::NoObject) => Err(BodyError::Event),
        }
    }

    fn event_of(
        &self,
        value: serde_json::Value,
        id: Option<EventId>,
        sent_at: Option<Timestamp>,
    ) -> Result<CollectedEvent, EventError> {
        let sent = EventSource {
            received_at: self.received_at,
            sent_at,
            id,
            fallback_id: (self.generate_id)(),
            peer: self.peer,
        };
        let mut event = read(alone(value), &sent)?;
        // The key is computed before scrubbing, so that a change of scrubbing rules moves no event to another error.
        let grouping = group(&event.report);
        scrub(&mut event.report, self.scrubbing);
        if let Some(message) = &mut event.report.message {
            message.fill_in();
        }
        Ok(CollectedEvent { event, grouping })
    }

    fn item(&self, collected: &mut RequestContent, envelope: &Envelope<'_>, item: &Item<'_>) {
        match item.kind {
            ItemKind::Event => self.event_item(collected, envelope, item),
            ItemKind::Session | ItemKind::Sessions => self.sessions_item(collected, item),
            ItemKind::ClientReport => client_report_item(collected, item),
            ItemKind::CheckIn => self.check_in_item(collected, item.payload),
            ItemKind::Attachment => attachment(collected, item),
            ItemKind::UserReport | ItemKind::Feedback => {
                let comment = match item.kind {
                    ItemKind::UserReport => feedback::user_report(item.payload),
                    _ => feedback::feedback(item.payload),
                };
                match comment {
                    Some(mut comment) => {
                        scrub_comment(&mut comment, self.scrubbing);
                        collected.comments.push(comment);
                    }
                    None => collected.drop_many(Category::Feedback, DropReason::Invalid, 1),
                }
            }
            ItemKind::Dropped(category) => {
                collected.drop_many(category, DropReason::NotKept, item.count());
            }
            ItemKind::Unknown => {
                collected.drop_many(Category::Default, DropReason::Unknown, 1);
            }
        }
    }

    fn event_item(&self, collected: &mut RequestContent, envelope: &Envelope<'_>, item: &Item<'_>) {
        if !collected.events.is_empty() {
            collected.drop_many(Category::Error, DropReason::SeveralEvents, 1);
            return;
        }
        match self.event(item.payload, Some(envelope)) {
            Ok(Some(event)) => collected.events.push(event),
            Ok(None) => collected.drop_many(Category::Transaction, DropReason::NotKept, 1),
            Err(_) => collected.drop_many(Category::Error, DropReason::Invalid, 1),
        }
    }

    fn check_in_item(&self, collected: &mut RequestContent, payload: &[u8]) {
        if payload.len() > MAX_CHECK_IN || collected.check_ins.len() >= MAX_CHECK_INS {
            collected.drop_many(Category::Monitor, DropReason::TooLarge, 1);
            return;
        }
        match CheckIn::parse(payload) {
            Some(check_in) => collected.check_ins.push(self.check_in(check_in)),
            None => collected.drop_many(Category::Monitor, DropReason::Invalid, 1),
        }
    }

    /// Prepares a check-in to be stored.
    pub fn check_in(&self, check_in: CheckIn) -> CollectedCheckIn {
        CollectedCheckIn {
            check_in,
            fallback_id: (self.generate_id)(),
        }
    }

    fn sessions_item(&self, collected: &mut RequestContent, item: &Item<'_>) {
        if collected.sessions.len() >= MAX_SESSIONS {
            collected.drop_many(Category::Session, DropReason::TooLarge, 1);
            return;
        }
        let counts = if item.kind == ItemKind::Session {
            let count = sessions::session(item.payload, self.received_at);
            count.map(|count| count.into_iter().collect())
        } else {
            sessions::sessions(item.payload, self.received_at)
        };
        match counts {
            Ok(counts) => collected.sessions.extend(counts),
            Err(SessionsError::Invalid) => {
                collected.drop_many(Category::Session, DropReason::Invalid, 1);
            }
            Err(SessionsError::NotKept) => {
                collected.drop_many(Category::Session, DropReason::NotKept, 1);
            }
        }
    }
}

fn client_report_item(collected: &mut RequestContent, item: &Item<'_>) {
    match client_report::discarded(item.payload) {
        Ok(discarded) => collected.discarded.extend(discarded),
        Err(ClientReportError::TooLarge) => {
            collected.drop_many(Category::Internal, DropReason::TooLarge, 1);
        }
        Err(ClientReportError::Invalid) => {
            collected.drop_many(Category::Internal, DropReason::Invalid, 1);
        }
    }
}

fn attachment(collected: &mut RequestContent, item: &Item<'_>) {
    let is_too_much =
        item.payload.len() > MAX_ATTACHMENT || collected.attachments.len() >= MAX_ATTACHMENTS;
    if is_too_much {
        collected.drop_many(Category::Attachment, DropReason::TooLarge, 1);
        return;
    }
    let text = |name: &str, spare: &str, longest: usize| {
        let text = item
            .text(name)
            .map(str::trim)
            .filter(|text| !text.is_empty());
        crate::event::cut(text.unwrap_or(spare), longest)
    };
    collected.attachments.push(Attachment {
        event_id: None,
        filename: text("filename", "attachment", 255),
        content_type: text("content_type", "application/octet-stream", 255),
        kind: text("attachment_type", "event.attachment", 64),
        bytes: item.payload.to_vec(),
    });
}

/// Unwraps an event from a list that holds only it, as some senders send it.
/// A longer list is returned unchanged and is no event, so nothing of it is lost silently.
fn alone(value: serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Array(mut list) if list.len() == 1 => list.pop().unwrap_or_default(),
        other => other,
    }
}

#[cfg(test)]
mod tests;
