//! Error codes, with their HTTP status and default description.

use std::fmt;

/// Defines the error codes in one table: for each code its HTTP status, its name, and its default description.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $status:literal, $word:literal, $sentence:literal;)*) => {
        /// Error code that a client can act on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $($(#[$doc])* $name,)*
        }

        impl ErrorCode {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// Returns the default description.
            pub const fn description(self) -> &'static str {
                match self { $(Self::$name => $sentence,)* }
            }

            /// Returns the HTTP status.
            pub const fn status(self) -> u16 {
                match self { $(Self::$name => $status,)* }
            }
        }
    };
}

// Existing clients show these descriptions to their users, and some match on them, so the ones that they know must not
// change.
codes! {
    /// A parameter is missing, repeated or wrong (RFC 6749, sections 4.1.2.1 and 5.2).
    InvalidRequest = 400, "invalid_request",
        "The request is missing a required parameter, includes an unsupported parameter value, or is otherwise malformed.";
    /// The client authentication failed (RFC 6749, section 5.2).
    InvalidClient = 401, "invalid_client",
        "Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.";
    /// The code, refresh token or password is not valid (RFC 6749, section 5.2).
    InvalidGrant = 400, "invalid_grant",
        "The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.";
    /// The application may not use this grant (RFC 6749, sections 4.1.2.1 and 5.2).
    UnauthorizedClient = 401, "unauthorized_client",
        "The client is not authorized to perform this request using this method.";
    /// The grant type is not supported (RFC 6749, section 5.2).
    UnsupportedGrantType = 400, "unsupported_grant_type",
        "The authorization grant type is not supported by the authorization server.";
    /// The scope is unknown, or exceeds what is allowed (RFC 6749, sections 4.1.2.1 and 5.2).
    InvalidScope = 400, "invalid_scope",
        "The requested scope is invalid, unknown, or malformed.";
    /// The user denied consent (RFC 6749, section 4.1.2.1).
    AccessDenied = 400, "access_denied",
        "The resource owner or authorization server denied the request.";
    /// The response type is not supported (RFC 6749, section 4.1.2.1).
    UnsupportedResponseType = 400, "unsupported_response_type",
        "The authorization server does not support this response type.";
    /// The server failed (RFC 6749, section 4.1.2.1).
    ServerError = 500, "server_error",
        "The server failed; try again later.";
    /// The server is busy (RFC 6749, section 4.1.2.1).
    TemporarilyUnavailable = 503, "temporarily_unavailable",
        "The server is busy; try again soon.";
    /// The access token is not valid (RFC 6750, section 3.1).
    InvalidToken = 401, "invalid_token",
        "The access token is invalid";
    /// The access token lacks a required scope (RFC 6750, section 3.1).
    InsufficientScope = 403, "insufficient_scope",
        "The access token does not permit this.";
    /// Tokens of this kind cannot be revoked (RFC 7009, section 2.2.1).
    UnsupportedTokenType = 400, "unsupported_token_type",
        "Tokens of this type cannot be revoked.";
    /// The user would have to see a page (OpenID Connect Core 1.0, section 3.1.2.6).
    InteractionRequired = 400, "interaction_required",
        "The user must interact with a page, but the request does not allow it.";
    /// The user would have to sign in (same section).
    LoginRequired = 400, "login_required",
        "The user must sign in, but the request does not allow it.";
    /// The user would have to choose an account (same section).
    AccountSelectionRequired = 400, "account_selection_required",
        "The user must choose an account, but the request does not allow it.";
    /// The user would have to consent (same section).
    ConsentRequired = 400, "consent_required",
        "The user must give consent, but the request does not allow it.";
    /// Signed requests are not supported (same section).
    RequestNotSupported = 400, "request_not_supported",
        "The parameter request is not supported.";
    /// Signed requests at an address are not supported (same section).
    RequestUriNotSupported = 400, "request_uri_not_supported",
        "The parameter request_uri is not supported.";
    /// The redirect URI is not one of the application's. Not part of a standard; existing clients show it.
    InvalidRedirectUri = 400, "invalid_redirect_uri",
        "The requested redirect uri is malformed or doesn't match client redirect URI.";
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_word_of_its_own_and_a_sentence_within_the_rules() {
        let mut words = Vec::new();
        for code in ErrorCode::ALL {
            let (word, sentence) = (code.as_str(), code.description());
            assert!(!words.contains(&word), "{word}");
            assert!(
                word.bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
            );
            assert!(
                sentence.bytes().all(|byte| matches!(byte, b' '..=b'~')),
                "{word}"
            );
            assert!(!sentence.contains(['"', '\\']), "{word}");
            words.push(word);
        }
    }

    #[test]
    fn only_authentication_errors_return_401() {
        let found: Vec<&str> = ErrorCode::ALL
            .iter()
            .filter(|code| code.status() == 401)
            .map(|code| code.as_str())
            .collect();
        assert_eq!(
            found,
            ["invalid_client", "unauthorized_client", "invalid_token"]
        );
    }
}
