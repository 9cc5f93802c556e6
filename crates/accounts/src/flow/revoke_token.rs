//! Revocation of access tokens.

use api_conventions::ids::{TokenId, UserId};
use api_conventions::page::OffsetPage;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::token_audit::{Change, record};
use crate::model::{AuditEventName, TokenFilter};
use crate::store::{AccountRepository, AuditRepository};

/// Tokens that [`revoke_own_tokens`] reads at a time.
const PER_PAGE: u64 = 100;

/// Revokes a token, and records the author in the audit log; `None` is the command line. Returns `false` if there was
/// nothing to revoke.
///
/// # Errors
/// Failures of the store.
pub fn revoke_token<R: AccountRepository + AuditRepository + ?Sized>(
    repos: &mut R,
    id: TokenId,
    author_id: Option<UserId>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let Some(token) = repos.find_token(id)? else {
        return Ok(false);
    };
    if !repos.revoke_token(id, now)? {
        return Ok(false);
    }
    let change = Change { author_id, now };
    record(repos, AuditEventName::TokenRevoked, &token, change)?;
    Ok(true)
}

/// Revokes all active personal tokens of a user, on the user's own behalf. Returns their number.
///
/// # Errors
/// Failures of the store.
pub fn revoke_own_tokens<R: AccountRepository + AuditRepository + ?Sized>(
    repos: &mut R,
    user_id: UserId,
    now: Timestamp,
) -> Result<usize, StoreError> {
    let active = TokenFilter::active_personal_of(user_id, now.date());
    let mut revoked = 0;
    loop {
        let found = repos
            .list_tokens(&active, OffsetPage::new(1, PER_PAGE))?
            .items;
        if found.is_empty() {
            return Ok(revoked);
        }
        for token in found {
            revoke_token(repos, token.id, Some(user_id), now)?;
            revoked += 1;
        }
    }
}
