//! Access to a token by its id: its user, and administrators.

use api_conventions::ids::{TokenId, UserId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::revoke_token::revoke_token;
use crate::model::{AccessToken, TokenKind, User};
use crate::store::{AccountQueries, AccountRepository, AuditRepository};

/// Outcome of finding a token on behalf of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenAccess {
    /// The user may see and revoke the token.
    Permitted(Box<AccessToken>),
    /// The user is no administrator, and the token does not act for them.
    Refused,
    /// There is no such token.
    Unknown,
}

/// Finds a token on behalf of the user `by`. Administrators may see every token, others the tokens that act for them:
/// a user the personal ones, because impersonation tokens are hidden, and a bot its own.
///
/// # Errors
/// Failures of the store.
pub fn find_token_for<R: AccountQueries + ?Sized>(
    repos: &mut R,
    id: TokenId,
    by: UserId,
) -> Result<TokenAccess, StoreError> {
    let is_admin = repos.find_user(by)?.is_some_and(|user: User| user.is_admin);
    Ok(match repos.find_token(id)? {
        None => TokenAccess::Unknown,
        Some(token) if is_admin || is_own(&token, by) => TokenAccess::Permitted(Box::new(token)),
        Some(_) => TokenAccess::Refused,
    })
}

/// Revokes a token on behalf of the user `by`, who may revoke what they may see. Revoking it again changes nothing.
///
/// # Errors
/// Failures of the store.
pub fn revoke_token_for<R: AccountRepository + AuditRepository + ?Sized>(
    repos: &mut R,
    id: TokenId,
    by: UserId,
    now: Timestamp,
) -> Result<TokenAccess, StoreError> {
    let access = find_token_for(repos, id, by)?;
    if let TokenAccess::Permitted(token) = &access {
        revoke_token(repos, token.id, Some(by), now)?;
    }
    Ok(access)
}

fn is_own(token: &AccessToken, by: UserId) -> bool {
    token.user_id == by && token.kind != TokenKind::Impersonation
}
