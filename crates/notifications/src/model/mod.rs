//! Channels, messages and attempts.

mod attempt;
mod channel;
mod message;

pub use attempt::{AttemptOutcome, AttemptReport, DeliveryAttempt};
pub use channel::{
    Channel, ChannelKind, ChannelLane, ChannelSettings, ChannelSettingsError, DueChannel,
    NewChannel, SealedSecret,
};
pub use message::{
    MessageContent, MessageEvent, MessageFilter, MessageSeverity, MessageState, MessageSubject,
    MessageSubjectKind, NewMessage, OutboxMessage,
};

pub(crate) use message::shortened;
