//! Token pairs: an access token and, usually, a refresh token.

use std::fmt;

use api_conventions::ids::{GrantId, TokenPairId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::{SecretDigest, SecretSource, dated};
use api_conventions::time::Timestamp;

use super::TokenSubject;

/// Prefix of an access token.
pub const ACCESS_PREFIX: &str = "ghoa_";
/// Prefix of a refresh token.
pub const REFRESH_PREFIX: &str = "ghor_";

/// A timestamp and random bytes that, together with the presented refresh token, determine the pair that succeeds it.
///
/// They are stored so that a lost refresh response can be repeated. Without the refresh token, which is not stored,
/// they reveal nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RotationSeed([u8; 32]);

impl RotationSeed {
    /// Creates a seed from the bytes of `now`, with which the next tokens begin (see [`dated`]), and fresh random
    /// bytes.
    pub fn generate(source: &dyn SecretSource, now: Timestamp) -> Self {
        let mut bytes = [0_u8; 32];
        source.fill(&mut bytes);
        for (byte, of_timestamp) in bytes.iter_mut().zip(dated::timestamp_bytes(now)) {
            *byte = of_timestamp;
        }
        Self(bytes)
    }

    /// Returns the timestamp at the front.
    pub fn timestamp(&self) -> [u8; dated::TIMESTAMP_BYTES] {
        let mut timestamp = [0; dated::TIMESTAMP_BYTES];
        for (byte, of_seed) in timestamp.iter_mut().zip(self.0) {
            *byte = of_seed;
        }
        timestamp
    }

    /// Wraps stored bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes to store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for RotationSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RotationSeed")
    }
}

/// State of a token pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenPairState {
    /// The pair works until it expires.
    Current,
    /// The refresh token was used, and another pair replaced this one.
    Rotated {
        /// Time of the rotation, from which the window for repeated responses counts.
        at: Timestamp,
        /// Seed of the pair that replaced this one.
        seed: RotationSeed,
    },
    /// Pair revoked together with its grant.
    Revoked {
        /// Time of revocation.
        at: Timestamp,
    },
}

/// A pair of tokens, without the tokens themselves: the store keeps only their digests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenPair {
    /// Pair id. The replacement of a pair has a greater id.
    pub id: TokenPairId,
    /// Grant to which the pair belongs.
    pub grant_id: GrantId,
    /// Party for which the tokens act.
    pub subject: TokenSubject,
    /// Scopes of the tokens.
    pub scopes: ScopeSet,
    /// Time of issue.
    pub created_at: Timestamp,
    /// The first instant at which the access token no longer works.
    pub expires_at: Timestamp,
    /// The first instant at which the refresh token no longer works; `None` without one.
    pub refresh_expires_at: Option<Timestamp>,
    /// Current state.
    pub state: TokenPairState,
}

impl TokenPair {
    /// True if the access token works at `now`.
    pub fn is_usable(&self, now: Timestamp) -> bool {
        matches!(self.state, TokenPairState::Current) && now < self.expires_at
    }
}

/// A pair to insert.
#[derive(Debug, Clone)]
pub struct NewTokenPair {
    /// The digest of the access token, unique.
    pub access: SecretDigest,
    /// The digest of the refresh token, unique, and the first instant at which it no longer works.
    pub refresh: Option<(SecretDigest, Timestamp)>,
    /// Grant to which the pair belongs.
    pub grant_id: GrantId,
    /// Party for which the tokens act.
    pub subject: TokenSubject,
    /// Scopes of the tokens.
    pub scopes: ScopeSet,
    /// Current time.
    pub created_at: Timestamp,
    /// The first instant at which the access token no longer works.
    pub expires_at: Timestamp,
}
