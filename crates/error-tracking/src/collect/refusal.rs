//! Refusals of the collector as API errors.

use api_conventions::error::ApiError;

use super::{DropReason, Malformed};
use crate::protocol::credentials::NoKey;
use crate::protocol::encoding::Unreadable;

impl DropReason {
    /// Reason under which a body refused with this status code is counted as lost.
    /// `None` for a refusal because of the key or a limit, and for a fault of the server: the sender is unknown, or
    /// sends the body again.
    pub const fn of_refusal(status: u16) -> Option<Self> {
        match status {
            413 => Some(Self::TooLarge),
            400 | 415 => Some(Self::Invalid),
            _ => None,
        }
    }
}

impl From<NoKey> for ApiError {
    fn from(refusal: NoKey) -> Self {
        Self::client_key_required(&refusal.to_string())
    }
}

impl From<Malformed> for ApiError {
    fn from(refusal: Malformed) -> Self {
        let text = refusal.to_string();
        match refusal {
            Malformed::TooLarge => Self::content_too_large(&text),
            _ => Self::bad_request(&text),
        }
    }
}

impl From<Unreadable> for ApiError {
    fn from(refusal: Unreadable) -> Self {
        let text = refusal.to_string();
        match refusal {
            Unreadable::Unknown => Self::content_encoding_refused(&text),
            Unreadable::TooLarge | Unreadable::TooSlow => Self::content_too_large(&text),
            Unreadable::Damaged => Self::bad_request(&text),
        }
    }
}
