//! Which events are the same error. A key is made of what a developer would put events together by: what the program itself
//! says, else the frames of the program with the types of the exceptions, else the type with what it says, else the message.
//!
//! Keys have a version. A better way of making them gets another one, and an event is looked for by the keys of both, so that no
//! error that is known falls apart.

mod explanation;
mod frames;
mod key;
mod names;
mod text;

pub use explanation::{Explanation, Input, Method, Part};
pub use key::{GroupKey, Grouping, VERSION, group};
pub use text::normalised;
