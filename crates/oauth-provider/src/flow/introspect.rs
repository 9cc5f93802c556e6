//! What a token is, for the application that it belongs to (RFC 7662).

use api_conventions::ids::ApplicationId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{TokenPair, TokenPairState};
use crate::store::GrantQueries;

/// Which half of a pair a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenHalf {
    /// The access token.
    Access,
    /// The refresh token.
    Refresh,
}

/// A token that works.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActiveToken {
    /// The pair.
    pub pair: TokenPair,
    /// Which half of it was asked about.
    pub half: TokenHalf,
}

impl ActiveToken {
    /// A half of a pair that was found usable.
    pub fn new(pair: TokenPair, half: TokenHalf) -> Self {
        Self { pair, half }
    }
}

impl ActiveToken {
    /// The first instant at which it no longer works.
    pub fn expires_at(&self) -> Timestamp {
        match self.half {
            TokenHalf::Access => self.pair.expires_at,
            TokenHalf::Refresh => self.pair.refresh_expires_at.unwrap_or(self.pair.expires_at),
        }
    }
}

/// Looks up a token, given as the digest of either half. `None` when it does not work at `now`, does not exist, or
/// is another application's: the three are one answer (RFC 7662, section 2.2). Writes nothing.
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
