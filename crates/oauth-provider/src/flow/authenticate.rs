//! Authentication of access tokens.

use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{TokenPair, TokenPairState};
use crate::store::GrantQueries;

/// Result of looking up an access token. Expired and revoked tokens are distinct because a client reacts differently to
/// them (RFC 6750, section 3.1); anyone who holds the token may learn that it was one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenOutcome {
    /// The token is valid.
    Usable(Box<TokenPair>),
    /// The token does not exist.
    Unknown,
    /// The token has expired.
    Expired,
    /// The token was revoked or replaced.
    Revoked,
}

/// Looks up an access token by its digest and checks it at `now`. Writes nothing. The caller checks whether the user
/// may still act.
///
/// # Errors
/// Failures of the store.
pub fn authenticate<R: GrantQueries + ?Sized>(
    repos: &mut R,
    access: &SecretDigest,
    now: Timestamp,
) -> Result<TokenOutcome, StoreError> {
    let Some(pair) = repos.find_pair_by_access(access)? else {
        return Ok(TokenOutcome::Unknown);
    };
    Ok(match pair.state {
        TokenPairState::Rotated { .. } | TokenPairState::Revoked { .. } => TokenOutcome::Revoked,
        TokenPairState::Current if now < pair.expires_at => TokenOutcome::Usable(Box::new(pair)),
        TokenPairState::Current => TokenOutcome::Expired,
    })
}
