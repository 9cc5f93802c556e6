//! Who a token acts for.

use api_conventions::ids::TokenId;
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{AccessToken, User, UserState};
use crate::store::AccountQueries;

/// A token that was found good, and its user.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Authentication {
    /// The user who acts.
    pub user: User,
    /// The token.
    pub token_id: TokenId,
    /// Time of the token's creation.
    pub created_at: Timestamp,
    /// What the token permits.
    pub scopes: ScopeSet,
    /// The first instant at which this no longer holds.
    pub expires_at: Timestamp,
}

/// What became of credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthenticationOutcome {
    /// They are good.
    Authenticated(Box<Authentication>),
    /// The token is unknown, expired or revoked. The three are one answer, so that nobody learns which.
    Refused,
    /// The token is good, but its user is blocked.
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
    let usable = repos
        .find_token_by_digest(digest)?
        .filter(|token| token.is_usable(now));
    let Some(token) = usable else {
        return Ok(AuthenticationOutcome::Refused);
    };
    let user = repos.find_user(token.user_id)?.ok_or_else(|| {
        StoreError::inconsistent("access_tokens", token.id, "its user does not exist")
    })?;
    Ok(validate(&token, user))
}

fn validate(token: &AccessToken, user: User) -> AuthenticationOutcome {
    match user.state {
        UserState::Blocked { .. } => AuthenticationOutcome::Blocked,
        UserState::Active => AuthenticationOutcome::Authenticated(Box::new(Authentication {
            user,
            token_id: token.id,
            created_at: token.created_at,
            scopes: token.scopes.clone(),
            expires_at: token.expires_on.start(),
        })),
    }
}
