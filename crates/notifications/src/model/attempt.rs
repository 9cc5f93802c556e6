//! Attempts to deliver a message.

use api_conventions::ids::MessageId;
use api_conventions::time::Timestamp;

api_conventions::named! {
    /// Outcome of an attempt.
    pub enum AttemptOutcome {
        /// The receiver accepted the message.
        Delivered = 0, "delivered";
        /// A failure that may pass; the message is sent again.
        Failed = 1, "failed";
        /// The receiver, or a rule of this server, refused the message for good.
        Rejected = 2, "rejected";
        /// The receiver wants no further messages: the channel is turned off.
        Gone = 3, "gone";
    }
}

/// Report of an attempt, from the caller that sent the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptReport {
    /// Outcome.
    pub outcome: AttemptOutcome,
    /// Status of the response, if there was one.
    pub status: Option<u16>,
    /// Response or failure in words, at most [`Self::MAX_DETAIL`] characters.
    pub detail: String,
    /// Seconds after which the receiver wants the next attempt.
    pub retry_after: Option<u32>,
    /// Duration in milliseconds.
    pub millis: u32,
}

impl AttemptReport {
    /// Longest detail, in characters.
    pub const MAX_DETAIL: usize = 500;
}

/// An attempt that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// Message.
    pub message_id: MessageId,
    /// Number within the message, from 1.
    pub number: u32,
    /// Time of the end.
    pub at: Timestamp,
    /// Duration in milliseconds.
    pub millis: u32,
    /// Outcome.
    pub outcome: AttemptOutcome,
    /// Status of the response, if there was one.
    pub status: Option<u16>,
    /// Response or failure in words.
    pub detail: String,
}
