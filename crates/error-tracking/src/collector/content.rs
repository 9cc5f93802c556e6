//! Content of a request.

use crate::event::Event;
use crate::grouping::Grouping;
use crate::model::EventId;
use crate::monitors::CheckIn;
use crate::protocol::client_report::DiscardedItems;
use crate::protocol::feedback::Comment;
use crate::protocol::item::Category;
use crate::protocol::sessions::SessionCount;

/// Content of a request, and counts of the items that are not stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestContent {
    /// Id of the event in the request, or the one in the envelope header.
    /// [`acknowledge`](Self::acknowledge) decides if the response contains it.
    pub id: Option<EventId>,
    /// The events.
    pub events: Vec<CollectedEvent>,
    /// The attachments.
    pub attachments: Vec<Attachment>,
    /// The sessions.
    pub sessions: Vec<SessionCount>,
    /// Check-ins of jobs.
    pub check_ins: Vec<CollectedCheckIn>,
    /// User feedback.
    pub comments: Vec<Comment>,
    /// Counts of items that the SDK discarded itself, from client reports.
    pub discarded: Vec<DiscardedItems>,
    /// Counts of items that are not stored here, once per category and reason.
    pub dropped: Vec<DroppedItems>,
}

impl RequestContent {
    /// Creates an empty result that counts one dropped item.
    pub fn only_dropped(category: Category, reason: DropReason) -> Self {
        let mut nothing = Self::default();
        nothing.drop_many(category, reason, 1);
        nothing
    }

    /// Keeps the events that `admit` accepts.
    /// Counts the others, with their attachments, under the reason that it returns.
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

    /// Counts dropped items.
    pub(super) fn drop_many(&mut self, category: Category, reason: DropReason, quantity: u64) {
        // A container declares its own item count, and no sender has that many.
        let quantity = quantity.min(1_000_000);
        let mut same = self
            .dropped
            .iter_mut()
            .filter(|dropped| (dropped.category, dropped.reason) == (category, reason));
        match same.next() {
            Some(dropped) => dropped.quantity = dropped.quantity.saturating_add(quantity),
            None if quantity == 0 => {}
            None => self.dropped.push(DroppedItems {
                category,
                reason,
                quantity,
            }),
        }
    }
}

/// Event that is ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectedEvent {
    /// The event, scrubbed.
    pub event: Event,
    /// Grouping key of the event, which selects its error.
    pub grouping: Grouping,
}

/// Check-in of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectedCheckIn {
    /// The check-in.
    pub check_in: CheckIn,
    /// Id of the run if the check-in names none and no run is in progress.
    pub fallback_id: EventId,
}

/// Attachment of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The event.
    pub event_id: Option<EventId>,
    /// File name given by the sender.
    /// Names nothing on this server: never a path, nor a part of one.
    pub filename: String,
    /// Media type given by the sender.
    pub content_type: String,
    /// Type of the attachment, in the SDKs' words.
    pub kind: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Count of items that are not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DroppedItems {
    /// Category of the items.
    pub category: Category,
    /// Reason why they are not stored.
    pub reason: DropReason,
    /// Number of items.
    pub quantity: u64,
}

api_conventions::named! {
    /// Reason why an item is not stored.
    #[non_exhaustive]
    pub enum DropReason {
        /// Items of this kind are never stored here.
        NotKept = 0, "not_kept";
        /// The item type is unknown.
        Unknown = 1, "unknown";
        /// The item is not what its type says.
        Invalid = 2, "invalid";
        /// The item is too large, or there are too many.
        TooLarge = 3, "too_large";
        /// The request already has an event, and only one is allowed.
        SeveralEvents = 4, "several_events";
        /// The item belongs to an event, and there is none.
        WithoutEvent = 5, "without_event";
        /// The rate limit of the key or of the project is reached.
        Limited = 6, "limited";
        /// The quota of the project is used up.
        Quota = 7, "quota";
        /// The event is already stored.
        Duplicate = 8, "duplicate";
        /// The rate limit of the error is reached.
        ErrorLimited = 9, "error_limited";
    }
}
