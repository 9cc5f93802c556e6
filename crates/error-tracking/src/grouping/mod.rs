//! Grouping of events into errors.
//! A key is computed from what a developer would group by: the program's own fingerprint, else the frames of the
//! program with the exception types, else the type with the value, else the message.
//!
//! Keys have a version. A better method gets a new version, and an event is looked up by the keys of both, so that no
//! known error is split.

mod explanation;
mod frames;
mod key;
mod names;
mod text;

pub use explanation::{Explanation, Input, InputKind, Method};
pub use key::{GroupKey, Grouping, VERSION, group};
pub use text::normalised;
