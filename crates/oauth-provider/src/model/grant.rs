//! Authorization grants: permission given to an application once, and everything issued from it.

use api_conventions::ids::{GrantId, SessionId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

use super::TokenSubject;
use crate::rules::pkce::CodeChallenge;

/// Prefix of an authorization code.
pub const CODE_PREFIX: &str = "ghoc_";

/// State of a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantState {
    /// Code not redeemed yet.
    Issued,
    /// Tokens issued.
    Redeemed {
        /// Time of redemption.
        at: Timestamp,
    },
    /// Grant revoked, and all its tokens with it.
    Revoked {
        /// Time of revocation.
        at: Timestamp,
    },
}

/// An authorization grant (RFC 6749, section 1.3): the family of all tokens issued from one consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Grant id.
    pub id: GrantId,
    /// The party for which its tokens act.
    pub subject: TokenSubject,
    /// Browser session in which it was permitted; `None` for a grant without a code.
    pub session_id: Option<SessionId>,
    /// Granted scopes.
    pub scopes: ScopeSet,
    /// Redirect URI to which the code was sent; `None` for a grant without a code.
    pub redirect_uri: Option<String>,
    /// PKCE challenge that the code verifier must meet.
    pub challenge: Option<CodeChallenge>,
    /// Nonce for the id token.
    pub nonce: Option<String>,
    /// Time of the user's last sign-in; for a grant without a user, the time of the grant.
    pub auth_time: Timestamp,
    /// Current state.
    pub state: GrantState,
    /// Time of the grant.
    pub created_at: Timestamp,
    /// Time at which the code expires; `None` for a grant without a code.
    pub code_expires_at: Option<Timestamp>,
    /// Time at which the grant and all its tokens expire, however often it is refreshed.
    pub expires_at: Timestamp,
}

/// A grant to insert. A grant without a code starts as redeemed.
#[derive(Debug, Clone)]
pub struct NewGrant {
    /// Digest of the code, unique, and the time at which it expires; `None` for a grant without a code.
    pub code: Option<(SecretDigest, Timestamp)>,
    /// The party for which its tokens act.
    pub subject: TokenSubject,
    /// Browser session in which it is permitted.
    pub session_id: Option<SessionId>,
    /// Granted scopes.
    pub scopes: ScopeSet,
    /// Redirect URI to which the code is sent.
    pub redirect_uri: Option<String>,
    /// PKCE challenge that the code verifier must meet.
    pub challenge: Option<CodeChallenge>,
    /// Nonce for the id token.
    pub nonce: Option<String>,
    /// Time of the user's last sign-in; for a grant without a user, the current time.
    pub auth_time: Timestamp,
    /// Current time.
    pub created_at: Timestamp,
    /// Time at which the grant and all its tokens expire.
    pub expires_at: Timestamp,
}
