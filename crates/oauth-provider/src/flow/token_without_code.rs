//! Storage of access tokens that are issued without an authorization code (RFC 6749, sections 4.3 and 4.4).

use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{NewGrant, NewTokenPair, TokenSubject};
use crate::store::GrantRepository;

/// An access token of a grant without a code. It has no refresh token.
pub(super) struct TokenWithoutCode {
    /// Subject of the token.
    pub subject: TokenSubject,
    /// Scopes of the token.
    pub scopes: ScopeSet,
    /// Digest of the access token.
    pub access: SecretDigest,
    /// Time of issue.
    pub now: Timestamp,
    /// The first instant at which the token no longer works.
    pub expires_at: Timestamp,
}

/// Inserts the token with a grant of its own, so that it is listed and revoked like any other.
///
/// # Errors
/// Failures of the store.
pub(super) fn insert_token<R: GrantRepository + ?Sized>(
    repos: &mut R,
    token: &TokenWithoutCode,
) -> Result<(), StoreError> {
    let grant_id = repos.insert_grant(&NewGrant {
        code: None,
        subject: token.subject,
        session_id: None,
        scopes: token.scopes.clone(),
        redirect_uri: None,
        challenge: None,
        nonce: None,
        auth_time: token.now,
        created_at: token.now,
        expires_at: token.expires_at,
    })?;
    repos.insert_pair(&NewTokenPair {
        access: token.access,
        refresh: None,
        grant_id,
        subject: token.subject,
        scopes: token.scopes.clone(),
        created_at: token.now,
        expires_at: token.expires_at,
    })?;
    Ok(())
}
