//! Events: what an SDK sent, parsed so that one bad field never loses the event.

mod bounded;
mod clock;
mod fields;
mod http;
mod kept;
mod model;
mod read;
mod stack;
mod template;
#[cfg(test)]
pub(crate) mod testing;
mod time;
mod title;

pub use bounded::{CUT, cut};
pub(crate) use fields::scalar as plain_text;
pub use kept::{SharedPart, Unkept};
pub use model::{
    Breadcrumb, Event, Exception, Frame, Image, Mechanism, Message, Note, Report, Request, Sdk,
    Stacktrace, Thread, User,
};
pub use read::{NoEvent, Sent, read};
pub use time::timestamp;
