//! Introspection of a token by the application that owns it (RFC 7662).

use api_conventions::ids::ApplicationId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{TokenPair, TokenPairState};
use crate::store::GrantQueries;

/// Half of a token pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenHalf {
    /// The access token.
    Access,
    /// The refresh token.
    Refresh,
}

/// An active token.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActiveToken {
    /// Pair of the token.
    pub pair: TokenPair,
    /// Half of the pair that was introspected.
    pub half: TokenHalf,
}

impl ActiveToken {
    /// Wraps a half of a pair that was found usable.
    pub fn new(pair: TokenPair, half: TokenHalf) -> Self {
        Self { pair, half }
    }
}

impl ActiveToken {
    /// Returns the first instant at which the token no longer works.
    pub fn expires_at(&self) -> Timestamp {
        match self.half {
            TokenHalf::Access => self.pair.expires_at,
            TokenHalf::Refresh => self.pair.refresh_expires_at.unwrap_or(self.pair.expires_at),
        }
    }
}

/// Looks up a token by the digest of either half. Returns `None` if it is not valid at `now`, does not exist, or
/// belongs to another application: all three give the same response (RFC 7662, section 2.2). Writes nothing.
///
/// # Errors
/// Failures of the store.
pub fn introspect<R: GrantQueries + ?Sized>(
    repos: &mut R,
    token: &SecretDigest,
    caller: ApplicationId,
    now: Timestamp,
) -> Result<Option<ActiveToken>, StoreError> {
    let by_access = repos.find_pair_by_access(token)?;
    let (found, half) = if by_access.is_some() {
        (by_access, TokenHalf::Access)
    } else {
        (repos.find_pair_by_refresh(token)?, TokenHalf::Refresh)
    };
    let active = found.map(|pair| ActiveToken { pair, half });
    Ok(active.filter(|active| {
        matches!(active.pair.state, TokenPairState::Current)
            && active.pair.subject.application_id() == Some(caller)
            && now < active.expires_at()
    }))
}
