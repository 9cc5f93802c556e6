//! A pair of an access token and, mostly, a refresh token.

use std::fmt;

use api_conventions::ids::{GrantId, TokenPairId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::{SecretDigest, SecretSource, dated};
use api_conventions::time::Timestamp;

use super::TokenSubject;

/// What an access token starts with.
pub const ACCESS_PREFIX: &str = "ghoa_";
/// What a refresh token starts with.
pub const REFRESH_PREFIX: &str = "ghor_";

/// A time and random bytes that, together with the refresh token that was presented, give the pair that followed it.
///
/// They are kept so that the answer to a refresh can be given again when it was lost on the way. Without the
/// refresh token, which is not kept, they tell nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RotationSeed([u8; 32]);

impl RotationSeed {
    /// The bytes of `now`, with which the tokens that follow begin (see [`dated`]), and fresh random bytes.
    pub fn generate(source: &dyn SecretSource, now: Timestamp) -> Self {
        let mut bytes = [0_u8; 32];
        source.fill(&mut bytes);
        for (byte, of_timestamp) in bytes.iter_mut().zip(dated::timestamp_bytes(now)) {
            *byte = of_timestamp;
        }
        Self(bytes)
    }

    /// The time in front.
    pub fn timestamp(&self) -> [u8; dated::TIMESTAMP_BYTES] {
        let mut timestamp = [0; dated::TIMESTAMP_BYTES];
        for (byte, of_seed) in timestamp.iter_mut().zip(self.0) {
            *byte = of_seed;
        }
        timestamp
    }

    /// Bytes that were stored.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes to store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for RotationSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RotationSeed")
    }
}

/// Whether a pair still works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenPairState {
    /// It does, within its times.
    Current,
    /// Its refresh token was used, so that another pair took its place.
    Rotated {
        /// When: the anchor of the time in which the same answer is given again.
        at: Timestamp,
        /// What gives the pair that followed.
        seed: RotationSeed,
    },
    /// It was ended together with its grant.
    Revoked {
        /// When.
        at: Timestamp,
    },
}

/// A pair of tokens. The tokens themselves are not here: only their digests are kept, and those only in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenPair {
    /// Its id. A pair that replaces another has the greater one.
    pub id: TokenPairId,
    /// The grant that it follows from.
    pub grant_id: GrantId,
    /// The party for which it acts.
    pub subject: TokenSubject,
    /// What it permits.
    pub scopes: ScopeSet,
    /// When it was issued.
    pub created_at: Timestamp,
    /// The first instant at which the access token no longer works.
    pub expires_at: Timestamp,
    /// The first instant at which the refresh token no longer works; `None` without one.
    pub refresh_expires_at: Option<Timestamp>,
    /// Whether it still works.
    pub state: TokenPairState,
}

impl TokenPair {
    /// Whether the access token works at `now`.
    pub fn is_usable(&self, now: Timestamp) -> bool {
        matches!(self.state, TokenPairState::Current) && now < self.expires_at
    }
}

/// A pair to be issued.
#[derive(Debug, Clone)]
pub struct NewTokenPair {
    /// The digest of the access token, unique.
    pub access: SecretDigest,
    /// The digest of the refresh token, unique, and the first instant at which it no longer works.
    pub refresh: Option<(SecretDigest, Timestamp)>,
    /// The grant that it follows from.
    pub grant_id: GrantId,
    /// The party for which it acts.
    pub subject: TokenSubject,
    /// What it permits.
    pub scopes: ScopeSet,
    /// Now.
    pub created_at: Timestamp,
    /// The first instant at which the access token no longer works.
    pub expires_at: Timestamp,
}
