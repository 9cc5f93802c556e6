//! Authorization requests that wait for the user's consent.

use api_conventions::ids::{ApplicationId, SessionId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::time::Timestamp;

use crate::rules::pkce::CodeChallenge;

/// Prefix of the handle of a stored request.
pub const HANDLE_PREFIX: &str = "ghoq_";

/// Transport of an authorization response to the application.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ResponseMode {
    /// Parameters in the query of the redirect URI (OAuth 2.0 Multiple Response Types, section 2.1).
    #[default]
    Query,
    /// Fields of a form that the browser posts to the redirect URI (OAuth 2.0 Form Post Response Mode).
    FormPost,
}

impl ResponseMode {
    /// All modes.
    pub const ALL: [Self; 2] = [Self::Query, Self::FormPost];

    /// Value of the parameter `response_mode`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::FormPost => "form_post",
        }
    }

    /// Mode with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }
}

/// A validated request that waits for the user's consent. The server stores it and never changes it: the consent page
/// carries only its handle, so the user approves exactly what was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationRequest {
    /// Application that sent the request.
    pub application_id: ApplicationId,
    /// User who must consent.
    pub user_id: UserId,
    /// Browser session that shows the consent page; no other may answer.
    pub session_id: SessionId,
    /// Redirect URI for the response, byte for byte as requested.
    pub redirect_uri: String,
    /// Requested scopes.
    pub scopes: ScopeSet,
    /// State to return to the application, byte for byte.
    pub state: Option<String>,
    /// Nonce for the id token (OpenID Connect Core 1.0, section 3.1.2.1).
    pub nonce: Option<String>,
    /// PKCE challenge (RFC 7636).
    pub challenge: Option<CodeChallenge>,
    /// Transport of the response.
    pub response_mode: ResponseMode,
    /// Time of the user's last sign-in.
    pub auth_time: Timestamp,
    /// Time of the request.
    pub created_at: Timestamp,
    /// Time at which the request expires.
    pub expires_at: Timestamp,
}
