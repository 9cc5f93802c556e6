//! From the body of a request to what is stored of it. All that takes time is done here, before any writer has it: reading,
//! scrubbing and grouping.

mod outcome;

use api_conventions::time::Timestamp;

pub use outcome::{Attachment, Collected, CollectedEvent, DropReason, Dropped};

use crate::event::{NoEvent, Sent, read};
use crate::grouping::group;
use crate::model::EventId;
use crate::protocol::envelope::{Envelope, Item, MalformedEnvelope};
use crate::protocol::item::{Category, ItemKind};
use crate::protocol::{client_report, feedback, json, policy_report, sessions};
use crate::scrub::{ScrubSettings, scrub};

/// The largest event, in bytes of JSON.
pub const MAX_EVENT: usize = 1024 * 1024;
/// The largest file that is kept with an event, in bytes.
pub const MAX_ATTACHMENT: usize = 1024 * 1024;
/// Files of one request that are kept.
const MOST_ATTACHMENTS: usize = 10;
/// Items of sessions in one request that are counted.
const MOST_SESSIONS: usize = 100;

/// How a request came, and what the project wants done with it.
#[derive(Clone, Copy)]
pub struct Collecting<'c> {
    /// When, by our clock.
    pub received_at: Timestamp,
    /// The address that it came from, if the project keeps any.
    pub peer: Option<&'c str>,
    /// What is taken out.
    pub scrubbing: &'c ScrubSettings,
    /// Makes an id for an event that has none.
    pub make_id: &'c (dyn Fn() -> EventId + Sync),
}

impl std::fmt::Debug for Collecting<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Collecting(at {:?})", self.received_at)
    }
}

/// Why nothing of a body is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// It is no envelope.
    #[error(transparent)]
    Envelope(#[from] MalformedEnvelope),
    /// It is no JSON.
    #[error("the body is no JSON")]
    Json,
    /// It is no event.
    #[error("the body is no event: a JSON object is")]
    Event,
    /// The event is too large.
    #[error("the event is larger than a mebibyte")]
    TooLarge,
}

impl Collecting<'_> {
    /// What an envelope brings. One bad item costs itself and is counted.
    ///
    /// # Errors
    /// When it cannot be taken apart.
    pub fn envelope(&self, body: &[u8]) -> Result<Collected, Malformed> {
        let envelope = Envelope::parse(body)?;
        Ok(self.of_envelope(&envelope))
    }

    /// What an envelope brings that was read before, to see which key it has.
    pub fn of_envelope(&self, envelope: &Envelope<'_>) -> Collected {
        let mut collected = Collected::default();
        for item in &envelope.items {
            self.item(&mut collected, envelope, item);
        }
        let id = collected.events.first().map(|event| event.event.id);
        collected.id = id.or(envelope.event_id);
        // A file belongs to the event that it came with, or to the one that the header names.
        if collected.id.is_some() {
            let id = collected.id;
            let files = collected.attachments.iter_mut();
            files.for_each(|file| file.event_id = id);
        } else {
            let files = collected.attachments.drain(..).count();
            collected.drop_many(Category::Attachment, DropReason::WithoutEvent, files as u64);
        }
        collected
    }

    /// What the old endpoint brings: one event.
    ///
    /// # Errors
    /// When it is none.
    pub fn store(&self, body: &[u8]) -> Result<Collected, Malformed> {
        if body.len() > MAX_EVENT {
            return Err(Malformed::TooLarge);
        }
        let value = json::read(body).map_err(|_| Malformed::Json)?.value;
        let mut collected = Collected::default();
        match self.event(value, None, None) {
            Ok(event) => {
                collected.id = Some(event.event.id);
                collected.events.push(event);
            }
            Err(NoEvent::Transaction) => {
                collected.drop_many(Category::Transaction, DropReason::NotKept, 1);
            }
            Err(NoEvent::NoObject) => return Err(Malformed::Event),
        }
        Ok(collected)
    }

    /// What a browser reports.
    ///
    /// # Errors
    /// When it is no JSON.
    pub fn security(&self, body: &[u8]) -> Result<Collected, Malformed> {
        if body.len() > MAX_EVENT {
            return Err(Malformed::TooLarge);
        }
        let mut collected = Collected::default();
        for report in policy_report::events(body).map_err(|_| Malformed::Json)? {
            if let Ok(event) = self.event(report, None, None) {
                collected.events.push(event);
            }
        }
        collected.id = collected.events.first().map(|event| event.event.id);
        Ok(collected)
    }

    fn event(
        &self,
        value: serde_json::Value,
        id: Option<EventId>,
        sent_at: Option<Timestamp>,
    ) -> Result<CollectedEvent, NoEvent> {
        let sent = Sent {
            received_at: self.received_at,
            sent_at,
            id,
            spare_id: (self.make_id)(),
            peer: self.peer,
        };
        let mut event = read(alone(value), &sent)?;
        // The key is made of what the event said, so that a rule of scrubbing that changes moves no event to another error.
        let grouping = group(&event.report);
        scrub(&mut event.report, self.scrubbing);
        if let Some(message) = &mut event.report.message {
            message.fill_in();
        }
        Ok(CollectedEvent { event, grouping })
    }

    fn item(&self, collected: &mut Collected, envelope: &Envelope<'_>, item: &Item<'_>) {
        match item.kind {
            ItemKind::Event => self.event_item(collected, envelope, item),
            ItemKind::Session | ItemKind::Sessions => self.sessions_item(collected, item),
            ItemKind::ClientReport => {
                collected
                    .discarded
                    .extend(client_report::discarded(item.payload));
            }
            ItemKind::Attachment => attachment(collected, item),
            ItemKind::UserReport | ItemKind::Feedback => {
                let comment = match item.kind {
                    ItemKind::UserReport => feedback::user_report(item.payload),
                    _ => feedback::feedback(item.payload),
                };
                match comment {
                    Some(comment) => collected.comments.push(comment),
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

    fn event_item(&self, collected: &mut Collected, envelope: &Envelope<'_>, item: &Item<'_>) {
        let reason = if !collected.events.is_empty() {
            DropReason::SeveralEvents
        } else if item.payload.len() > MAX_EVENT {
            DropReason::TooLarge
        } else {
            let event = json::read(item.payload)
                .ok()
                .map(|read| self.event(read.value, envelope.event_id, envelope.sent_at));
            match event {
                Some(Ok(event)) => {
                    collected.events.push(event);
                    return;
                }
                Some(Err(NoEvent::Transaction)) => {
                    collected.drop_many(Category::Transaction, DropReason::NotKept, 1);
                    return;
                }
                Some(Err(NoEvent::NoObject)) | None => DropReason::Invalid,
            }
        };
        collected.drop_many(Category::Error, reason, 1);
    }

    fn sessions_item(&self, collected: &mut Collected, item: &Item<'_>) {
        if collected.sessions.len() >= MOST_SESSIONS {
            collected.drop_many(Category::Session, DropReason::TooLarge, 1);
            return;
        }
        if item.kind == ItemKind::Session {
            let session = sessions::session(item.payload, self.received_at);
            collected.sessions.extend(session);
        } else {
            let sums = sessions::sessions(item.payload, self.received_at);
            collected.sessions.extend(sums);
        }
    }
}

fn attachment(collected: &mut Collected, item: &Item<'_>) {
    let is_too_much =
        item.payload.len() > MAX_ATTACHMENT || collected.attachments.len() >= MOST_ATTACHMENTS;
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

/// The event of a list that holds it alone, as some senders wrap theirs. A list of several is none, so nothing of it is lost in silence.
fn alone(value: serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Array(mut list) if list.len() == 1 => list.pop().unwrap_or_default(),
        other => other,
    }
}

#[cfg(test)]
mod tests;
