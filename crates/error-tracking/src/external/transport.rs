//! What the client of a tracker asks of the host: one call, one answer.

use serde_json::Value;
use url::Url;

use super::failure::ExternalFailure;

/// A call of a tracker's web API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Where to.
    pub url: Url,
    /// What is sent with `PUT`; without it the call is `GET`.
    pub body: Option<Value>,
}

impl Call {
    /// A call that reads.
    pub const fn get(url: Url) -> Self {
        Self { url, body: None }
    }

    /// A call that changes something.
    pub const fn put(url: Url, body: Value) -> Self {
        Self {
            url,
            body: Some(body),
        }
    }
}

/// A successful answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallAnswer {
    /// Its bytes, at most [`MAX_ANSWER`](super::MAX_ANSWER).
    pub body: Vec<u8>,
    /// Its header `Link`.
    pub link: Option<String>,
}

impl CallAnswer {
    /// The JSON of the answer.
    ///
    /// # Errors
    /// When it is none.
    pub fn json(&self) -> Result<Value, ExternalFailure> {
        serde_json::from_slice(&self.body).map_err(|_| ExternalFailure::UnexpectedAnswer)
    }
}

/// Carries calls to a tracker, with the token that belongs to it. An implementation bounds time and size, follows no redirect, and
/// reaches only addresses that it may.
pub trait Transport {
    /// Carries one call.
    ///
    /// # Errors
    /// Why there is no successful answer; see [`ExternalFailure::of_status`] for what a status says.
    fn send(&self, call: &Call) -> Result<CallAnswer, ExternalFailure>;
}
