//! What the conditional writes are asked and what they tell.

use api_conventions::ids::{GrantId, TokenPairId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

use crate::model::{Grant, NewTokenPair, RotationSeed, TokenPair};

/// A pair, and the grant that it follows from.
pub type Family = (TokenPair, Grant);

/// A code to be redeemed: see [`GrantRepository::redeem_code`](super::GrantRepository::redeem_code).
#[derive(Debug, Clone)]
pub struct CodeRedemption {
    /// The digest of the code.
    pub code: SecretDigest,
    /// The first pair.
    pub pair: NewTokenPair,
    /// Now.
    pub now: Timestamp,
}

/// A pair to be replaced: see [`GrantRepository::rotate_pair`](super::GrantRepository::rotate_pair).
#[derive(Debug, Clone)]
pub struct PairRotation {
    /// The digest of its refresh token.
    pub refresh: SecretDigest,
    /// What gives its successor.
    pub seed: RotationSeed,
    /// Its successor.
    pub successor: NewTokenPair,
    /// Now.
    pub now: Timestamp,
}

/// What happened to a code that was to be redeemed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redemption {
    /// It was redeemed, here and now and never again; the pair has this id.
    Redeemed(TokenPairId),
    /// It was redeemed or revoked before. Nothing was written.
    AlreadyUsed(GrantId),
    /// There is no such code. Nothing was written.
    Unknown,
}

/// What happened to a refresh token that was to be rotated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rotation {
    /// The pair was replaced, here and now and never again; the new one has this id.
    Rotated(TokenPairId),
    /// The pair was rotated or revoked before; this is how it stands. Nothing was written.
    NotCurrent(Box<TokenPair>),
    /// There is no such refresh token. Nothing was written.
    Unknown,
}
