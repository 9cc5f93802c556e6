//! Events: what an SDK sent, parsed so that one bad field never loses the event.

mod bounded;
mod clock;
mod fields;
mod http;
mod model;
mod read;
mod stack;
mod stored;
mod template;
#[cfg(test)]
pub(crate) mod testing;
mod time;
mod title;

pub use bounded::{CUT, cut};
pub(crate) use fields::scalar as plain_text;
pub use model::{
    Breadcrumb, Event, EventUser, Exception, FieldNote, Frame, Image, Mechanism, Message, Report,
    Request, Sdk, Stacktrace, Thread,
};
pub use read::{EventError, EventSource, read};
pub use stored::{SharedPart, StoredReportError};
pub use time::timestamp;
