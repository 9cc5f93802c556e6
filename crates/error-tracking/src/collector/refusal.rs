//! Refusals of the collector as API errors.

use api_conventions::error::ApiError;

use super::{BodyError, DropReason};
use crate::protocol::credentials::CredentialsError;
use crate::protocol::encoding::DecodeError;

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

impl From<CredentialsError> for ApiError {
    fn from(refusal: CredentialsError) -> Self {
        Self::client_key_required(&refusal.to_string())
    }
}

impl From<BodyError> for ApiError {
    fn from(refusal: BodyError) -> Self {
        let text = refusal.to_string();
        match refusal {
            BodyError::TooLarge => Self::content_too_large(&text),
            _ => Self::bad_request(&text),
        }
    }
}

impl From<DecodeError> for ApiError {
    fn from(refusal: DecodeError) -> Self {
        let text = refusal.to_string();
        match refusal {
            DecodeError::Unknown => Self::content_encoding_refused(&text),
            DecodeError::TooLarge | DecodeError::TooSlow => Self::content_too_large(&text),
            DecodeError::Damaged => Self::bad_request(&text),
        }
    }
}
