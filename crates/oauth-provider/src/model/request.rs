//! What an application asked a user for, while the user thinks about it.

use api_conventions::ids::{ApplicationId, SessionId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::time::Timestamp;

use crate::rules::pkce::CodeChallenge;

/// What the handle of a stored request starts with.
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

/// A checked request that waits for the user's consent. It is kept by the server and never changes: the consent
/// page carries nothing but its handle, so that what is approved is what was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationRequest {
    /// Who asks.
    pub application_id: ApplicationId,
    /// Who is asked.
    pub user_id: UserId,
    /// The browser in which the user is asked; no other may answer.
    pub session_id: SessionId,
    /// Where the answer goes, byte for byte as it was asked for.
    pub redirect_uri: String,
    /// What is asked for.
    pub scopes: ScopeSet,
    /// What the application wants to have back, byte for byte.
    pub state: Option<String>,
    /// What is to stand in the id token (OpenID Connect Core 1.0, section 3.1.2.1).
    pub nonce: Option<String>,
    /// The challenge of PKCE (RFC 7636).
    pub challenge: Option<CodeChallenge>,
    /// Transport of the response.
    pub response_mode: ResponseMode,
    /// When the user last signed in.
    pub auth_time: Timestamp,
    /// When it was asked.
    pub created_at: Timestamp,
    /// When it is too late to answer.
    pub expires_at: Timestamp,
}
