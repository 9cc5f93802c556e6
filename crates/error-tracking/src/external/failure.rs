//! What goes wrong with an external tracker, in the words that people read.

/// The largest answer that is read, in bytes.
pub const MAX_ANSWER: usize = 1024 * 1024;

/// Why an external tracker gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExternalFailure {
    /// Its answer is too large.
    #[error("The tracker's response is too big: the limit is 1 MB")]
    TooLarge,
    /// Its answer lacks what it must have.
    #[error("The tracker's response is missing keys: {0}")]
    MissingKeys(&'static str),
    /// Its answer is something else.
    #[error("The tracker's response is no JSON of the kind that was asked for")]
    UnexpectedAnswer,
    /// It refuses the token.
    #[error("The tracker refuses the token: status code {0}")]
    Refused(u16),
    /// It does not know what was asked for.
    #[error("The tracker does not know this: status code 404")]
    NotFound,
    /// The project at its address is unknown to the tracker, or the token may not see it: a tracker answers both with 404.
    #[error(
        "The project {project} does not exist at {tracker}, or the token may not see it: check the address and the token in the settings"
    )]
    NoProject {
        /// Organization and project.
        project: String,
        /// Address of the tracker.
        tracker: String,
    },
    /// Another kind of server is at the address.
    #[error("There is no API of a tracker at {0}: status code 404")]
    NoTracker(String),
    /// It wants to be asked less often.
    #[error("The tracker wants to be asked less often: status code 429")]
    Limited,
    /// It failed.
    #[error("The tracker failed: status code {0}")]
    Status(u16),
    /// It did not answer in time.
    #[error("The connection to the tracker timed out")]
    TimedOut,
    /// Nobody is there.
    #[error("Nothing answers at the tracker's address")]
    Unreachable,
    /// Its certificate or its TLS cannot be trusted.
    #[error("The tracker's TLS cannot be trusted")]
    Tls,
    /// Its name leads to an address that may not be reached.
    #[error("The tracker's address is private or local, which the administrator has not allowed")]
    Forbidden,
    /// It is asked too much at once, by us.
    #[error("The tracker is being asked too much at once: try again in a few seconds")]
    Busy,
    /// The token that is stored cannot be read.
    #[error("The stored token cannot be read any more: enter it again in the settings")]
    Token,
    /// A tracker cannot be asked for this.
    #[error("An external tracker cannot be asked for this: {0}")]
    NotAskable(&'static str),
    /// It wants to be asked somewhere else.
    #[error("The tracker redirects to another address, which is not followed")]
    Redirected,
}

impl ExternalFailure {
    /// What a status says; nothing for one that is a success.
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
    fn statuses_say_what_is_wrong() {
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
