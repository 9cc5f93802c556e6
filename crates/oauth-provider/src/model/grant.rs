//! What a user permitted an application once, and all that comes of it.

use api_conventions::ids::{GrantId, SessionId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

use super::TokenSubject;
use crate::rules::pkce::CodeChallenge;

/// What an authorization code starts with.
pub const CODE_PREFIX: &str = "ghoc_";

/// How far a grant has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantState {
    /// Its code was not redeemed yet.
    Issued,
    /// It has given tokens.
    Redeemed {
        /// Since when.
        at: Timestamp,
    },
    /// It was ended, and all its tokens with it.
    Revoked {
        /// When.
        at: Timestamp,
    },
}

/// An authorization grant (RFC 6749, section 1.3): the family of all tokens that follow from one consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Its id.
    pub id: GrantId,
    /// The party for which its tokens act.
    pub subject: TokenSubject,
    /// The browser in which it was permitted; `None` for a grant without a code.
    pub session_id: Option<SessionId>,
    /// What is permitted.
    pub scopes: ScopeSet,
    /// Where the code was sent; `None` for a grant without a code.
    pub redirect_uri: Option<String>,
    /// The challenge that the redeemer must meet.
    pub challenge: Option<CodeChallenge>,
    /// What is to stand in the id token.
    pub nonce: Option<String>,
    /// Time of the last sign-in of the user; for a grant without a user, the time at which it was given.
    pub auth_time: Timestamp,
    /// How far it has come.
    pub state: GrantState,
    /// When it was given.
    pub created_at: Timestamp,
    /// Until when the code can be redeemed; `None` for a grant without a code.
    pub code_expires_at: Option<Timestamp>,
    /// The end of everything that follows from it, however often it is refreshed.
    pub expires_at: Timestamp,
}

/// A grant to be kept. One without a code is redeemed from the beginning.
#[derive(Debug, Clone)]
pub struct NewGrant {
    /// The digest of the code, unique, and until when it can be redeemed; `None` for a grant without a code.
    pub code: Option<(SecretDigest, Timestamp)>,
    /// The party for which its tokens act.
    pub subject: TokenSubject,
    /// The browser in which it is permitted.
    pub session_id: Option<SessionId>,
    /// What is permitted.
    pub scopes: ScopeSet,
    /// Where the code is sent.
    pub redirect_uri: Option<String>,
    /// The challenge that the redeemer must meet.
    pub challenge: Option<CodeChallenge>,
    /// What is to stand in the id token.
    pub nonce: Option<String>,
    /// Time of the last sign-in of the user; for a grant without a user, now.
    pub auth_time: Timestamp,
    /// Now.
    pub created_at: Timestamp,
    /// The end of everything that follows from it.
    pub expires_at: Timestamp,
}
