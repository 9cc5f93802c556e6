//! Interface from the client of a tracker to the host: one call, one response.

use serde_json::Value;
use url::Url;

use super::failure::ExternalFailure;

/// Call of a tracker's web API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// URL of the call.
    pub url: Url,
    /// Body of a `PUT`; `None` for a `GET`.
    pub body: Option<Value>,
}

impl Call {
    /// Creates a call that reads.
    pub const fn get(url: Url) -> Self {
        Self { url, body: None }
    }

    /// Creates a call that changes something.
    pub const fn put(url: Url, body: Value) -> Self {
        Self {
            url,
            body: Some(body),
        }
    }
}

/// Successful response.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallResponse {
    /// Bytes of the body, at most [`MAX_ANSWER`](super::MAX_ANSWER).
    pub body: Vec<u8>,
    /// Value of the header `Link`.
    pub link: Option<String>,
}

impl CallResponse {
    /// Parses the body as JSON.
    ///
    /// # Errors
    /// The body is not JSON.
    pub fn json(&self) -> Result<Value, ExternalFailure> {
        serde_json::from_slice(&self.body).map_err(|_| ExternalFailure::UnexpectedResponse)
    }
}

/// Sends calls to a tracker, with the token that belongs to it.
/// An implementation limits time and size, follows no redirects, and connects to allowed addresses only.
pub trait Transport {
    /// Sends one call.
    ///
    /// # Errors
    /// Reason why there is no successful response; see [`ExternalFailure::of_status`] for status codes.
    fn send(&self, call: &Call) -> Result<CallResponse, ExternalFailure>;
}
