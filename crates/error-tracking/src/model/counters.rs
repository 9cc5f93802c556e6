//! Accounting: counters of received items, by outcome and reason.

use api_conventions::ids::{ClientKeyId, ProjectId};
use api_conventions::time::CalendarDate;

use crate::collector::DropReason;
use crate::protocol::item::Category;

api_conventions::named! {
    /// Outcome of an item that an SDK sent, or should have sent.
    pub enum Outcome {
        /// The item is stored.
        Stored = 0, "stored";
        /// Items of this kind are never stored here.
        NotKept = 1, "not_kept";
        /// The item type is unknown.
        Unknown = 2, "unknown";
        /// The item is not what its type says.
        Invalid = 3, "invalid";
        /// The item is too large, or there are too many.
        TooLarge = 4, "too_large";
        /// The request already has an event, and only one is allowed.
        SeveralEvents = 5, "several_events";
        /// The item belongs to an event, and there is none.
        WithoutEvent = 6, "without_event";
        /// The rate limit of the key or of the project was reached.
        Limited = 7, "limited";
        /// The quota of the project was used up.
        Quota = 8, "quota";
        /// The item was already stored.
        Duplicate = 9, "duplicate";
        /// The rate limit of the error was reached.
        ErrorLimited = 10, "error_limited";
        /// The SDK had too much to send.
        SdkQueueOverflow = 20, "sdk_queue_overflow";
        /// The SDK had too much to cache until it could send it.
        SdkCacheOverflow = 21, "sdk_cache_overflow";
        /// The SDK obeyed a rate limit.
        SdkRateLimit = 22, "sdk_ratelimit_backoff";
        /// The SDK could not reach the server, or the server refused the request.
        SdkNetwork = 23, "sdk_network_error";
        /// The program sends only a sample.
        SdkSample = 24, "sdk_sample_rate";
        /// The program's own `before_send` dropped the item.
        SdkFiltered = 25, "sdk_before_send";
        /// The SDK did not send the item for another reason.
        SdkOther = 26, "sdk_other";
        /// An event processor dropped the item.
        SdkEventProcessor = 27, "sdk_event_processor";
        /// The item is on a list of items to ignore.
        SdkIgnored = 28, "sdk_ignored";
        /// The SDK sent less because it was overloaded.
        SdkBackpressure = 29, "sdk_backpressure";
        /// The SDK's buffer had no room for the item.
        SdkBufferOverflow = 30, "sdk_buffer_overflow";
        /// The server refused the item.
        SdkSendError = 31, "sdk_send_error";
        /// The SDK had an internal error.
        SdkInternal = 32, "sdk_internal_sdk_error";
    }
}

impl Outcome {
    /// Converts an SDK's reason for a loss to an outcome.
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

/// Key of a counter in the accounting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CounterKey {
    /// The project.
    pub project_id: ProjectId,
    /// Day, by the server's clock.
    pub day: CalendarDate,
    /// Client key of the request.
    pub key_id: ClientKeyId,
    /// Category of the items.
    pub category: Category,
    /// Outcome of the items.
    pub outcome: Outcome,
}

/// Counter in the accounting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OutcomeCounter {
    /// Key of the counter.
    pub of: CounterKey,
    /// Number of items.
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
