//! Entries of the feed and what they are called.

mod event;
mod filter;
mod words;

pub use event::{Audience, Event, EventTarget, NewEvent};
pub use filter::EventFilter;
pub use words::{Action, TargetType};
