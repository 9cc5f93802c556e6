//! What a request brings.

use crate::event::Event;
use crate::grouping::Grouping;
use crate::model::EventId;
use crate::protocol::client_report::Discarded;
use crate::protocol::feedback::Comment;
use crate::protocol::item::Category;
use crate::protocol::sessions::SessionCount;

/// What a request brings, and what of it is not kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Collected {
    /// The id of the event in the request, or the one that its header names. [`acknowledge`](Self::acknowledge) says whether the
    /// answer tells it.
    pub id: Option<EventId>,
    /// The events.
    pub events: Vec<CollectedEvent>,
    /// The files.
    pub attachments: Vec<Attachment>,
    /// The sessions.
    pub sessions: Vec<SessionCount>,
    /// What users wrote.
    pub comments: Vec<Comment>,
    /// What the SDK dropped itself.
    pub discarded: Vec<Discarded>,
    /// What is not kept here, each category and reason once.
    pub dropped: Vec<Dropped>,
}

impl Collected {
    /// Nothing, but for the count of one thing that is not kept.
    pub fn without(category: Category, reason: DropReason) -> Self {
        let mut nothing = Self::default();
        nothing.drop_many(category, reason, 1);
        nothing
    }

    /// Keeps those events that `admit` lets in, and counts the others, with the files that came with them, by the reasons that it
    /// gives.
    pub fn admit(&mut self, mut admit: impl FnMut(&CollectedEvent) -> Result<(), DropReason>) {
        let mut refused = Vec::new();
        self.events.retain(|event| match admit(event) {
            Ok(()) => true,
            Err(reason) => {
                let is_of_browser = event.event.report.policy_report.is_some();
                refused.push((event.event.id, is_of_browser, reason));
                false
            }
        });
        for (id, is_of_browser, reason) in refused {
            let category = if is_of_browser {
                Category::Security
            } else {
                Category::Error
            };
            self.drop_many(category, reason, 1);
            let before = self.attachments.len();
            self.attachments.retain(|file| file.event_id != Some(id));
            let files = before - self.attachments.len();
            self.drop_many(Category::Attachment, reason, files as u64);
        }
    }

    /// Counts something that is not kept.
    pub(super) fn drop_many(&mut self, category: Category, reason: DropReason, quantity: u64) {
        // A container says itself how much it holds, and nobody sends that much.
        let quantity = quantity.min(1_000_000);
        let mut same = self
            .dropped
            .iter_mut()
            .filter(|dropped| (dropped.category, dropped.reason) == (category, reason));
        match same.next() {
            Some(dropped) => dropped.quantity = dropped.quantity.saturating_add(quantity),
            None if quantity == 0 => {}
            None => self.dropped.push(Dropped {
                category,
                reason,
                quantity,
            }),
        }
    }
}

/// An event that is ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectedEvent {
    /// The event, without its secrets.
    pub event: Event,
    /// The error that it is of.
    pub grouping: Grouping,
}

/// A file that belongs to an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The event.
    pub event_id: Option<EventId>,
    /// Its name. It names nothing of ours: never a path, nor a part of one.
    pub filename: String,
    /// Its type, as the sender says.
    pub content_type: String,
    /// What it is for, in the words of SDKs.
    pub kind: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Something that is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dropped {
    /// What.
    pub category: Category,
    /// Why.
    pub reason: DropReason,
    /// How much.
    pub quantity: u64,
}

api_conventions::named! {
    /// Why something is not kept.
    #[non_exhaustive]
    pub enum DropReason {
        /// Nothing of its kind is kept here.
        NotKept = 0, "not_kept";
        /// Nobody here knows its kind.
        Unknown = 1, "unknown";
        /// It is not what it says it is.
        Invalid = 2, "invalid";
        /// It is too large, or there is too much of it.
        TooLarge = 3, "too_large";
        /// A request has one event, and this is another one.
        SeveralEvents = 4, "several_events";
        /// It belongs to an event, and there is none.
        WithoutEvent = 5, "without_event";
        /// The limit of the key or of the project is reached.
        Limited = 6, "limited";
        /// The quota of the project is used up.
        Quota = 7, "quota";
        /// The event is there already.
        Duplicate = 8, "duplicate";
        /// The limit of its error is reached.
        ErrorLimited = 9, "error_limited";
    }
}
