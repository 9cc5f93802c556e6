//! The answer to a request: a success promises that something is kept, and nothing else makes one.

use super::{Collected, DropReason, Malformed};
use crate::model::EventId;
use crate::protocol::item::Category;

/// The leave to answer a request with a success. Only [`Collected::acknowledge`] gives one, so a request of which nothing is kept
/// cannot be answered as if it were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acknowledged {
    id: Option<EventId>,
}

impl Acknowledged {
    /// The id that the answer tells: of the event that is kept, or that a comment that is kept is about.
    pub const fn id(&self) -> Option<EventId> {
        self.id
    }
}

impl Collected {
    /// The leave to answer with a success: something is kept or counted, or the sender asked for nothing, or for what is never kept
    /// here.
    ///
    /// # Errors
    /// Why nothing is kept of what is meant to be. It is counted all the same.
    pub fn acknowledge(&self) -> Result<Acknowledged, Malformed> {
        if let Some(event) = self.events.first() {
            return Ok(Acknowledged {
                id: Some(event.event.id),
            });
        }
        let is_kept =
            !self.comments.is_empty() || !self.sessions.is_empty() || !self.discarded.is_empty();
        if !is_kept && let Some(refusal) = self.refusal() {
            return Err(refusal);
        }
        // The id of an event that is not kept is told to nobody.
        let has_lost = |category| self.dropped.iter().any(|one| one.category == category);
        let is_about = !self.comments.is_empty()
            && !has_lost(Category::Error)
            && !has_lost(Category::Transaction);
        Ok(Acknowledged {
            id: self.id.filter(|_| is_about),
        })
    }

    /// The reason to refuse a request of which nothing is kept.
    fn refusal(&self) -> Option<Malformed> {
        let is_dropped = |reason: DropReason, is_of: &dyn Fn(Category) -> bool| {
            let mut same = self.dropped.iter().filter(|one| one.reason == reason);
            same.any(|one| is_of(one.category))
        };
        let of_error = |category| category == Category::Error;
        let of_any = |_| true;
        let bad = [
            (DropReason::Invalid, Malformed::Item),
            (DropReason::TooLarge, Malformed::TooLarge),
        ];
        for (reason, refusal) in bad {
            if is_dropped(reason, &of_error) {
                return Some(refusal);
            }
        }
        // What is never kept, or refused by a limit, has an answer of its own; what came with it does not change that.
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
        let mut bad = bad.chain([(DropReason::WithoutEvent, Malformed::WithoutEvent)]);
        bad.find_map(|(reason, refusal)| is_dropped(reason, &of_any).then_some(refusal))
    }
}
