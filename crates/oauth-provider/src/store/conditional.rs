//! Arguments and results of the conditional writes.

use api_conventions::ids::{GrantId, TokenPairId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

use crate::model::{Grant, NewTokenPair, RotationSeed, TokenPair};

/// A token pair and its grant.
pub type Family = (TokenPair, Grant);

/// Redemption of a code: see [`GrantRepository::redeem_code`](super::GrantRepository::redeem_code).
#[derive(Debug, Clone)]
pub struct CodeRedemption {
    /// Digest of the code.
    pub code: SecretDigest,
    /// First pair of the grant.
    pub pair: NewTokenPair,
    /// Current time.
    pub now: Timestamp,
}

/// Replacement of a pair: see [`GrantRepository::rotate_pair`](super::GrantRepository::rotate_pair).
#[derive(Debug, Clone)]
pub struct PairRotation {
    /// Digest of the pair's refresh token.
    pub refresh: SecretDigest,
    /// Seed from which the successor is derived.
    pub seed: RotationSeed,
    /// Pair that replaces it.
    pub successor: NewTokenPair,
    /// Current time.
    pub now: Timestamp,
}

/// Result of redeeming a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redemption {
    /// The code was redeemed by this call, and cannot be redeemed again; the pair has this id.
    Redeemed(TokenPairId),
    /// The code was redeemed or revoked before. Nothing was written.
    AlreadyUsed(GrantId),
    /// The code does not exist. Nothing was written.
    Unknown,
}

/// Result of rotating a refresh token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rotation {
    /// The pair was replaced by this call, and cannot be replaced again; the new one has this id.
    Rotated(TokenPairId),
    /// The pair was rotated or revoked before; this is its current state. Nothing was written.
    NotCurrent(Box<TokenPair>),
    /// The refresh token does not exist. Nothing was written.
    Unknown,
}
