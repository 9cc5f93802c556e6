//! Ending an access token.

use api_conventions::ids::TokenId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::store::AccountRepository;

/// Revokes a token and raises the authentication epoch, so that every cache forgets it.
///
/// `false` when there was nothing to revoke; the epoch stays then.
///
/// # Errors
/// Failures of the store.
pub fn revoke_token<R: AccountRepository + ?Sized>(
    repos: &mut R,
    id: TokenId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let revoked = repos.revoke_token(id, now)?;
    if revoked {
        repos.raise_auth_epoch()?;
    }
    Ok(revoked)
}
