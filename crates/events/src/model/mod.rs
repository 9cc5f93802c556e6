//! Events of the feed and their vocabulary.

mod event;
mod filter;
mod names;
#[cfg(test)]
#[cfg(feature = "serde")]
mod stored_tests;
mod vocabulary;

pub use event::{Audience, EventTarget, FeedEvent, NewEvent};
pub use filter::{AuthorFilter, AuthoredEvent, Days, EventFilter};
pub use names::{Action, CustomAction, CustomTarget, HostWords, TargetType};
pub use vocabulary::Vocabulary;
