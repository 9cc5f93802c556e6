//! Authentication of requests by access token.

use api_conventions::ids::{TokenId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::token_reuse::ends_family;
use crate::model::{AccessToken, TokenKind, User, UserState};
use crate::store::AccountQueries;

/// A valid token and its user.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Authentication {
    /// User whom the token acts for.
    pub user: User,
    /// The token.
    pub token_id: TokenId,
    /// Kind of the token.
    pub kind: TokenKind,
    /// User who created the token, as far as it is known.
    pub creator_id: Option<UserId>,
    /// Time of the token's creation.
    pub created_at: Timestamp,
    /// Scopes of the token.
    pub scopes: ScopeSet,
    /// First instant at which the token is no longer valid.
    pub expires_at: Timestamp,
}

/// Outcome of authenticating a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthenticationOutcome {
    /// The token is valid.
    Authenticated(Box<Authentication>),
    /// The token is unknown, expired or revoked. All three give the same answer, so that a caller cannot tell them
    /// apart.
    Refused,
    /// The token was rotated, and its successor is active. The answer is that of a refused token; the caller ends the
    /// family with [`end_token_family`](super::token_reuse::end_token_family).
    Reused(TokenId),
    /// The token is valid, but its user is blocked.
    Blocked,
}

/// Looks up a token by its digest and validates it at `now`. Writes nothing.
///
/// # Errors
/// Failures of the store.
pub fn authenticate<R: AccountQueries + ?Sized>(
    repos: &mut R,
    digest: &SecretDigest,
    now: Timestamp,
) -> Result<AuthenticationOutcome, StoreError> {
    let Some(token) = repos.find_token_by_digest(digest)? else {
        return Ok(AuthenticationOutcome::Refused);
    };
    if !token.is_usable(now) {
        return Ok(if ends_family(repos, &token, now)? {
            AuthenticationOutcome::Reused(token.id)
        } else {
            AuthenticationOutcome::Refused
        });
    }
    let user = repos.find_user(token.user_id)?.ok_or_else(|| {
        StoreError::inconsistent("access_tokens", token.id, "user does not exist")
    })?;
    Ok(validate(&token, user))
}

fn validate(token: &AccessToken, user: User) -> AuthenticationOutcome {
    match user.state {
        UserState::Blocked { .. } | UserState::Banned { .. } | UserState::Deactivated { .. } => {
            AuthenticationOutcome::Blocked
        }
        UserState::Active => AuthenticationOutcome::Authenticated(Box::new(Authentication {
            user,
            token_id: token.id,
            kind: token.kind,
            creator_id: token.creator_id,
            created_at: token.created_at,
            scopes: token.scopes.clone(),
            expires_at: token.expires_on.start(),
        })),
    }
}
