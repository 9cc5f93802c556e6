//! Error responses of OAuth 2.0.

mod code;

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

pub use code::ErrorCode;

/// Authentication scheme of a refusal for `WWW-Authenticate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Challenge {
    None,
    Basic,
    Bearer,
}

/// An error response: its code, a sentence for developers, and the HTTP status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OAuthError {
    code: ErrorCode,
    description: Cow<'static, str>,
    status: u16,
    challenge: Challenge,
}

/// JSON object of an error response (RFC 6749, section 5.2).
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "OAuthError"))]
pub struct ErrorBody<'e> {
    /// Error code.
    #[cfg_attr(feature = "schema", schemars(schema_with = "codes"))]
    pub error: &'static str,
    /// Description for developers, in a sentence.
    pub error_description: &'e str,
}

/// Returns the schema of an error code: one of all codes.
#[cfg(feature = "schema")]
fn codes(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let words: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    schemars::json_schema!({"type": "string", "enum": words})
}

/// Reason why an access token is not accepted (RFC 6750, section 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenFault {
    /// The token is missing or unknown.
    Invalid,
    /// The token has expired.
    Expired,
    /// The token was revoked or replaced.
    Revoked,
}

impl OAuthError {
    /// Creates the error with this code and its default description.
    pub fn new(code: ErrorCode) -> Self {
        let challenge = match code {
            ErrorCode::InvalidToken | ErrorCode::InsufficientScope => Challenge::Bearer,
            _ => Challenge::None,
        };
        Self {
            code,
            description: Cow::Borrowed(code.description()),
            status: code.status(),
            challenge,
        }
    }

    /// Creates the error for a missing parameter.
    pub fn missing_parameter(name: &str) -> Self {
        Self::invalid_request(format!("Missing required parameter: {name}."))
    }

    /// Creates `invalid_request` with its own description. Characters that RFC 6749, section 5.2, does not allow are
    /// removed.
    pub fn invalid_request(description: impl Into<Cow<'static, str>>) -> Self {
        let mut description = description.into();
        if !description.chars().all(is_allowed) {
            description = description.chars().filter(|one| is_allowed(*one)).collect();
        }
        Self {
            description,
            ..Self::new(ErrorCode::InvalidRequest)
        }
    }

    /// Creates the error for a failed client authentication. If the client sent an `Authorization` header, the error
    /// names the supported scheme; otherwise it does not, because a browser would ask its user for a password (RFC
    /// 6749, section 5.2).
    pub fn invalid_client(by_header: bool) -> Self {
        let challenge = if by_header {
            Challenge::Basic
        } else {
            Challenge::None
        };
        Self {
            challenge,
            ..Self::new(ErrorCode::InvalidClient)
        }
    }

    /// Creates the error for an access token that is not accepted.
    pub fn invalid_token(fault: TokenFault) -> Self {
        let description = match fault {
            TokenFault::Invalid => "The access token is invalid",
            TokenFault::Expired => "The access token expired",
            TokenFault::Revoked => "The access token was revoked",
        };
        Self {
            description: Cow::Borrowed(description),
            ..Self::new(ErrorCode::InvalidToken)
        }
    }

    /// Creates the error for the revocation of another application's token. Existing clients expect the status 403.
    pub fn token_of_other_client() -> Self {
        Self {
            description: Cow::Borrowed("You are not authorized to revoke this token"),
            status: 403,
            ..Self::new(ErrorCode::UnauthorizedClient)
        }
    }

    /// Creates an error for an HTTP status without a code in the protocol, such as a body that is too large, or too
    /// many requests (RFC 6749, section 5.2, leaves the codes of such errors open). Faults of the client are
    /// `invalid_request`; temporary ones are `temporarily_unavailable`, so that a client retries; all others are
    /// `server_error`. Characters that the section does not allow are removed from the description.
    pub fn of_status(status: u16, description: &str) -> Self {
        let code = match status {
            429 | 503 => ErrorCode::TemporarilyUnavailable,
            400..=499 => ErrorCode::InvalidRequest,
            _ => ErrorCode::ServerError,
        };
        let description: String = description.chars().filter(|one| is_allowed(*one)).collect();
        Self {
            description: description.into(),
            status,
            ..Self::new(code)
        }
    }

    /// Returns the error code.
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// Returns the description for developers.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the HTTP status.
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// Returns the JSON object to send.
    pub fn body(&self) -> ErrorBody<'_> {
        ErrorBody {
            error: self.code.as_str(),
            error_description: &self.description,
        }
    }

    /// Returns the value of `WWW-Authenticate`, if the error has one. `realm` has no quotes and no backslashes.
    pub fn www_authenticate(&self, realm: &str) -> Option<String> {
        match self.challenge {
            Challenge::None => None,
            Challenge::Basic => Some(format!("Basic realm=\"{realm}\", charset=\"UTF-8\"")),
            Challenge::Bearer => Some(format!(
                "Bearer realm=\"{realm}\", error=\"{}\", error_description=\"{}\"",
                self.code, self.description
            )),
        }
    }
}

/// True for printable ASCII, except quotes and backslashes.
fn is_allowed(one: char) -> bool {
    matches!(one, ' '..='~') && one != '"' && one != '\\'
}

impl fmt::Display for OAuthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.description)
    }
}

impl std::error::Error for OAuthError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_the_code_and_a_sentence() {
        let error = OAuthError::missing_parameter("code");
        assert_eq!(
            serde_json::to_string(&error.body()).unwrap(),
            r#"{"error":"invalid_request","error_description":"Missing required parameter: code."}"#
        );
        assert_eq!(error.status(), 400);
    }

    #[test]
    fn a_challenge_is_sent_only_to_requests_with_an_authorization_header() {
        let realm = |error: OAuthError| error.www_authenticate("Gatehouse");
        assert_eq!(realm(OAuthError::invalid_client(false)), None);
        assert_eq!(
            realm(OAuthError::invalid_client(true)).as_deref(),
            Some("Basic realm=\"Gatehouse\", charset=\"UTF-8\"")
        );
        assert_eq!(realm(OAuthError::new(ErrorCode::InvalidGrant)), None);
        assert_eq!(
            realm(OAuthError::invalid_token(TokenFault::Expired)).as_deref(),
            Some(
                "Bearer realm=\"Gatehouse\", error=\"invalid_token\", \
                 error_description=\"The access token expired\""
            )
        );
    }

    #[test]
    fn a_sentence_has_no_character_that_the_protocol_forbids() {
        let error = OAuthError::invalid_request("a \"b\" \\ \u{e9}\r\nc".to_owned());
        assert_eq!(error.description(), "a b  c");
    }

    #[test]
    fn a_status_of_http_gets_the_nearest_code() {
        for (status, code) in [
            (400, ErrorCode::InvalidRequest),
            (404, ErrorCode::InvalidRequest),
            (405, ErrorCode::InvalidRequest),
            (413, ErrorCode::InvalidRequest),
            (429, ErrorCode::TemporarilyUnavailable),
            (500, ErrorCode::ServerError),
            (503, ErrorCode::TemporarilyUnavailable),
        ] {
            let error = OAuthError::of_status(status, "say \"it\"");
            assert_eq!((error.status(), error.code()), (status, code));
            assert_eq!(error.description(), "say it");
            assert_eq!(error.www_authenticate("r"), None);
        }
    }

    #[test]
    fn a_token_of_another_application_is_forbidden() {
        let error = OAuthError::token_of_other_client();
        assert_eq!(
            (error.status(), error.code()),
            (403, ErrorCode::UnauthorizedClient)
        );
    }
}
