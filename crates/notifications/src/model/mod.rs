//! Channels, messages and attempts.

mod attempt;
mod channel;
mod message;
mod quiet;
mod settings;

pub use attempt::{AttemptOutcome, AttemptReport, DeliveryAttempt};
pub use channel::{Channel, ChannelKind, ChannelLane, DueChannel, NewChannel, SealedSecret};
pub use message::{
    MessageContent, MessageEvent, MessageFilter, MessageSeverity, MessageState, MessageSubject,
    MessageSubjectKind, NewMessage, OutboxMessage, shortened,
};
pub use quiet::{LocalTime, QuietHours};
pub use settings::{ChannelSettings, ChannelSettingsError};
