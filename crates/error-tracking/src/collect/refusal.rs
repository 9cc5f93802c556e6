//! Refusals of the collector as errors of an API.

use api_conventions::error::ApiError;

use super::Malformed;
use crate::protocol::credentials::NoKey;
use crate::protocol::encoding::Unreadable;

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
