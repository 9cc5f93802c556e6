//! Revocation of access tokens.

use api_conventions::ids::TokenId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::store::AccountRepository;

/// Revokes a token. Returns `false` if there was nothing to revoke.
///
/// # Errors
/// Failures of the store.
pub fn revoke_token<R: AccountRepository + ?Sized>(
    repos: &mut R,
    id: TokenId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    repos.revoke_token(id, now)
}
