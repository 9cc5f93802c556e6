//! Failures of an external tracker, with messages for users.

/// Largest response that is read, in bytes.
pub const MAX_ANSWER: usize = 1024 * 1024;

/// Reason why a request to an external tracker failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExternalFailure {
    /// The response is too large.
    #[error("The tracker's response is too big: the limit is 1 MB")]
    TooLarge,
    /// The response lacks a required key.
    #[error("The tracker's response is missing keys: {0}")]
    MissingKeys(&'static str),
    /// The response is not the expected JSON.
    #[error("The tracker's response is not the expected JSON")]
    UnexpectedResponse,
    /// The tracker refuses the token.
    #[error("The tracker rejected the token: status code {0}")]
    Refused(u16),
    /// The tracker does not know the requested resource.
    #[error("The tracker did not find this: status code 404")]
    NotFound,
    /// The tracker does not know the project, or the token may not see it: a tracker answers both with 404.
    #[error(
        "The project {project} does not exist at {tracker}, or the token has no access to it: check the address and the token in the settings"
    )]
    NoProject {
        /// Organization and project.
        project: String,
        /// Address of the tracker.
        tracker: String,
    },
    /// Another kind of server is at the address.
    #[error("No tracker API found at {0}: status code 404")]
    NoTracker(String),
    /// The tracker's rate limit is reached.
    #[error("The tracker's rate limit is exceeded: status code 429")]
    Limited,
    /// The tracker failed.
    #[error("The tracker failed: status code {0}")]
    Status(u16),
    /// The tracker did not answer in time.
    #[error("The connection to the tracker timed out")]
    TimedOut,
    /// No server answers at the address.
    #[error("No server responds at the tracker's address")]
    Unreachable,
    /// The tracker's certificate or TLS cannot be trusted.
    #[error("The tracker's TLS certificate is not trusted")]
    Tls,
    /// The tracker's host name resolves to an address that may not be reached.
    #[error(
        "The tracker's address is private or local, and the administrator has not allowed such addresses"
    )]
    Forbidden,
    /// This server has too many requests to the tracker in flight.
    #[error("Too many requests to the tracker are in progress: try again in a few seconds")]
    Busy,
    /// The stored token cannot be read.
    #[error("The stored token can no longer be read: enter it again in the settings")]
    Token,
    /// A tracker does not support the request.
    #[error("An external tracker does not support this: {0}")]
    Unsupported(&'static str),
    /// The tracker redirects to another address.
    #[error("The tracker redirects to another address: redirects are not followed")]
    Redirected,
}

impl ExternalFailure {
    /// Failure for a status code; `None` for a success.
    pub fn of_status(status: u16) -> Option<Self> {
        Some(match status {
            200..=204 => return None,
            300..=399 => Self::Redirected,
            401 | 403 => Self::Refused(status),
            404 => Self::NotFound,
            429 => Self::Limited,
            _ => Self::Status(status),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_map_to_failures() {
        for (status, expected) in [
            (200, None),
            (204, None),
            (205, Some(ExternalFailure::Status(205))),
            (302, Some(ExternalFailure::Redirected)),
            (401, Some(ExternalFailure::Refused(401))),
            (404, Some(ExternalFailure::NotFound)),
            (429, Some(ExternalFailure::Limited)),
            (500, Some(ExternalFailure::Status(500))),
        ] {
            assert_eq!(ExternalFailure::of_status(status), expected, "{status}");
        }
    }
}
