//! For whom an access token acts.

use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{TokenPair, TokenPairState};
use crate::store::GrantQueries;

/// What became of an access token. The last two are told apart because a client acts differently on them (RFC 6750,
/// section 3.1); anyone who holds the token may know that it was one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenOutcome {
    /// It is good.
    Usable(Box<TokenPair>),
    /// There is no such token.
    Unknown,
    /// Its time is over.
    Expired,
    /// It was ended, or another took its place.
    Revoked,
}

/// Looks up an access token by its digest and judges it at `now`. Writes nothing. Whether the user may still act is
/// the caller's to ask.
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
