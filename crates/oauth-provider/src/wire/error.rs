//! Refusals in the words of the protocol.

mod code;

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

pub use code::ErrorCode;

/// What a refusal says in `WWW-Authenticate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Challenge {
    None,
    Basic,
    Bearer,
}

/// A refusal: its code, a sentence for developers, and the status of HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OAuthError {
    code: ErrorCode,
    description: Cow<'static, str>,
    status: u16,
    challenge: Challenge,
}

/// The JSON object of a refusal (RFC 6749, section 5.2).
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "OAuthError"))]
pub struct ErrorBody<'e> {
    /// The code.
    #[cfg_attr(feature = "schema", schemars(schema_with = "codes"))]
    pub error: &'static str,
    /// A sentence for developers.
    pub error_description: &'e str,
}

/// The schema of a code: one of those that there are.
#[cfg(feature = "schema")]
fn codes(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let words: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    schemars::json_schema!({"type": "string", "enum": words})
}

/// Why an access token is not accepted (RFC 6750, section 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenFault {
    /// It is missing or unknown.
    Invalid,
    /// Its time is over.
    Expired,
    /// It was ended, or another took its place.
    Revoked,
}

impl OAuthError {
    /// The refusal with this code and its usual sentence.
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

    /// The request lacks a parameter.
    pub fn missing_parameter(name: &str) -> Self {
        Self::invalid_request(format!("Missing required parameter: {name}."))
    }

    /// The request breaks a rule that a sentence of its own tells. The sentence has only characters that RFC 6749,
    /// section 5.2, allows; others are left out.
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

    /// An application did not prove that it is itself. When it tried with an `Authorization` header, it is told which
    /// scheme there is; otherwise it is not, because a browser would ask its user for a password (RFC 6749, section 5.2).
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

    /// An access token is not accepted.
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

    /// A token is another application's, which alone may end it. Existing clients know the status 403 for it.
    pub fn not_your_token() -> Self {
        Self {
            description: Cow::Borrowed("You are not authorized to revoke this token"),
            status: 403,
            ..Self::new(ErrorCode::UnauthorizedClient)
        }
    }

    /// A refusal that HTTP has a status for and the protocol has none, such as a body that is too large, or too many
    /// requests (RFC 6749, section 5.2, leaves the codes of such refusals open). The client's own faults are
    /// `invalid_request`; what passes is `temporarily_unavailable`, so that a client tries again; the rest is
    /// `server_error`. The sentence has only characters that the section allows; others are left out.
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

    /// The code.
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// The sentence for developers.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The status of HTTP.
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// What is sent as JSON.
    pub fn body(&self) -> ErrorBody<'_> {
        ErrorBody {
            error: self.code.as_str(),
            error_description: &self.description,
        }
    }

    /// The value of `WWW-Authenticate`, when there is to be one. `realm` has no quotes and no backslashes.
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

/// Printable ASCII without quotes and backslashes.
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
    fn a_scheme_is_asked_for_only_where_a_header_was_sent() {
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
        let error = OAuthError::not_your_token();
        assert_eq!(
            (error.status(), error.code()),
            (403, ErrorCode::UnauthorizedClient)
        );
    }
}
