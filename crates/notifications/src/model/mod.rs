//! Channels, messages and attempts.

mod attempt;
mod channel;
mod message;

pub use attempt::{Attempt, AttemptOutcome, AttemptReport};
pub use channel::{
    Channel, ChannelKind, ChannelSettings, DueChannel, Lane, NewChannel, SealedSecret,
    SettingsError,
};
pub use message::{
    Message, MessageContent, MessageEvent, MessageFilter, MessageState, NewMessage, Severity,
    Subject, SubjectKind,
};

pub(crate) use message::shortened;
