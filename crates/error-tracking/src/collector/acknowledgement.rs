//! Acknowledgement of requests: a success response promises that something was stored or counted.

use super::{BodyError, DropReason, RequestContent};
use crate::model::EventId;
use crate::protocol::item::Category;

/// Permission to answer a request with success.
/// Only [`RequestContent::acknowledge`] creates one, so a request of which nothing is stored cannot be answered with
/// success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acknowledgement {
    id: Option<EventId>,
}

impl Acknowledgement {
    /// Event id in the response: of the stored event, or of the event that a stored comment is about.
    pub const fn id(&self) -> Option<EventId> {
        self.id
    }
}

impl RequestContent {
    /// Returns the permission to answer with success: something is stored or counted, or nothing had to be.
    /// The latter holds for an empty request, and for items that this server never stores or that are over a limit.
    ///
    /// # Errors
    /// Reason why nothing is stored of what should be. The loss is still counted.
    pub fn acknowledge(&self) -> Result<Acknowledgement, BodyError> {
        if let Some(event) = self.events.first() {
            return Ok(Acknowledgement {
                id: Some(event.event.id),
            });
        }
        let is_kept = !self.comments.is_empty()
            || !self.sessions.is_empty()
            || !self.check_ins.is_empty()
            || !self.discarded.is_empty();
        if !is_kept && let Some(refusal) = self.refusal() {
            return Err(refusal);
        }
        // The id of an event that is not stored is not returned.
        let has_lost = |category| self.dropped.iter().any(|one| one.category == category);
        let is_about = !self.comments.is_empty()
            && !has_lost(Category::Error)
            && !has_lost(Category::Transaction);
        Ok(Acknowledgement {
            id: self.id.filter(|_| is_about),
        })
    }

    /// Reason to refuse a request of which nothing is stored.
    fn refusal(&self) -> Option<BodyError> {
        let is_dropped = |reason: DropReason, is_of: &dyn Fn(Category) -> bool| {
            let mut same = self.dropped.iter().filter(|one| one.reason == reason);
            same.any(|one| is_of(one.category))
        };
        let of_error = |category| category == Category::Error;
        let of_any = |_| true;
        let bad = [
            (DropReason::Invalid, BodyError::Item),
            (DropReason::TooLarge, BodyError::TooLarge),
        ];
        for (reason, refusal) in bad {
            if is_dropped(reason, &of_error) {
                return Some(refusal);
            }
        }
        // Items that are never stored, or over a limit, have a response of their own, whatever else the request holds.
        for reason in [
            DropReason::NotKept,
            DropReason::Unknown,
            DropReason::Limited,
            DropReason::ErrorLimited,
        ] {
            if is_dropped(reason, &of_any) {
                return None;
            }
        }
        let bad = bad.into_iter();
        let mut bad = bad.chain([(DropReason::WithoutEvent, BodyError::WithoutEvent)]);
        bad.find_map(|(reason, refusal)| is_dropped(reason, &of_any).then_some(refusal))
    }
}
