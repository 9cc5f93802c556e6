//! Accounting: what came, what became of it, and why.

use api_conventions::ids::{ClientKeyId, ProjectId};
use api_conventions::time::CalendarDate;

use crate::collect::DropReason;
use crate::protocol::item::Category;

api_conventions::named! {
    /// What became of something that an SDK sent, or had to send.
    pub enum Outcome {
        /// It is stored.
        Stored = 0, "stored";
        /// Nothing of its kind is kept here.
        NotKept = 1, "not_kept";
        /// Nobody here knows its kind.
        Unknown = 2, "unknown";
        /// It is not what it says it is.
        Invalid = 3, "invalid";
        /// It is too large, or there is too much of it.
        TooLarge = 4, "too_large";
        /// A request has one event, and this is another one.
        SeveralEvents = 5, "several_events";
        /// It belongs to an event, and there is none.
        WithoutEvent = 6, "without_event";
        /// The limit of the key or of the project was reached.
        Limited = 7, "limited";
        /// The quota of the project was used up.
        Quota = 8, "quota";
        /// It was there already.
        Duplicate = 9, "duplicate";
        /// The limit of its error was reached.
        ErrorLimited = 10, "error_limited";
        /// The SDK had too much to send.
        SdkQueueOverflow = 20, "sdk_queue_overflow";
        /// The SDK had too much to keep until it could send it.
        SdkCacheOverflow = 21, "sdk_cache_overflow";
        /// The SDK kept to a limit that it was given.
        SdkRateLimit = 22, "sdk_ratelimit_backoff";
        /// The SDK could not reach the server, or was refused by it.
        SdkNetwork = 23, "sdk_network_error";
        /// The program sends a sample only.
        SdkSample = 24, "sdk_sample_rate";
        /// The program's own `before_send` took it out.
        SdkFiltered = 25, "sdk_before_send";
        /// Something else kept the SDK from sending it.
        SdkOther = 26, "sdk_other";
        /// A processor of events took it out.
        SdkEventProcessor = 27, "sdk_event_processor";
        /// A list of what to ignore names it.
        SdkIgnored = 28, "sdk_ignored";
        /// The SDK sent less because it had too much to do.
        SdkBackpressure = 29, "sdk_backpressure";
        /// The SDK had no room for it before it was sent.
        SdkBufferOverflow = 30, "sdk_buffer_overflow";
        /// The server refused it.
        SdkSendError = 31, "sdk_send_error";
        /// The SDK failed by itself.
        SdkInternal = 32, "sdk_internal_sdk_error";
    }
}

impl Outcome {
    /// What an SDK means by one of its words for losses.
    pub fn of_sdk(reason: &str) -> Self {
        match reason {
            "queue_overflow" => Self::SdkQueueOverflow,
            "buffer_overflow" => Self::SdkBufferOverflow,
            "backpressure" => Self::SdkBackpressure,
            "cache_overflow" => Self::SdkCacheOverflow,
            "ratelimit_backoff" => Self::SdkRateLimit,
            "network_error" => Self::SdkNetwork,
            "send_error" => Self::SdkSendError,
            "internal_sdk_error" => Self::SdkInternal,
            "sample_rate" => Self::SdkSample,
            "before_send" => Self::SdkFiltered,
            "event_processor" => Self::SdkEventProcessor,
            "ignored" => Self::SdkIgnored,
            _ => Self::SdkOther,
        }
    }
}

impl From<DropReason> for Outcome {
    fn from(reason: DropReason) -> Self {
        match reason {
            DropReason::NotKept => Self::NotKept,
            DropReason::Unknown => Self::Unknown,
            DropReason::Invalid => Self::Invalid,
            DropReason::TooLarge => Self::TooLarge,
            DropReason::SeveralEvents => Self::SeveralEvents,
            DropReason::WithoutEvent => Self::WithoutEvent,
            DropReason::Limited => Self::Limited,
            DropReason::Quota => Self::Quota,
            DropReason::Duplicate => Self::Duplicate,
            DropReason::ErrorLimited => Self::ErrorLimited,
        }
    }
}

/// What a number in the accounting is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TallyOf {
    /// The project.
    pub project_id: ProjectId,
    /// The day, by our clock.
    pub day: CalendarDate,
    /// The key that it came with.
    pub key_id: ClientKeyId,
    /// What it is.
    pub category: Category,
    /// What became of it.
    pub outcome: Outcome,
}

/// A number in the accounting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tally {
    /// What it is of.
    pub of: TallyOf,
    /// How much.
    pub quantity: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_an_outcome_of_the_same_name() {
        for reason in DropReason::ALL {
            assert_eq!(Outcome::from(*reason).as_str(), reason.as_str());
        }
    }

    #[test]
    fn a_word_of_an_sdk_is_shown_as_it_is() {
        for outcome in Outcome::ALL {
            if let Some(word) = outcome.as_str().strip_prefix("sdk_")
                && *outcome != Outcome::SdkOther
            {
                assert_eq!(Outcome::of_sdk(word), *outcome);
            }
        }
    }

    #[test]
    fn any_word_of_an_sdk_counts_as_something() {
        for (word, expected) in [
            ("queue_overflow", Outcome::SdkQueueOverflow),
            ("network_error", Outcome::SdkNetwork),
            ("event_processor", Outcome::SdkEventProcessor),
            ("made_up", Outcome::SdkOther),
        ] {
            assert_eq!(Outcome::of_sdk(word), expected, "{word}");
        }
    }
}
