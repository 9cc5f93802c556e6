//! Keys that sign id tokens.

use std::fmt;

use api_conventions::ids::SigningKeyId;
use api_conventions::time::Timestamp;

/// Signature algorithm of id tokens (RFC 7518, section 3.1, and RFC 8037).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SigningAlgorithm {
    /// RSASSA-PKCS1-v1_5 with SHA-256, which every client supports.
    Rs256,
    /// ECDSA with P-256 and SHA-256.
    Es256,
    /// Ed25519.
    EdDsa,
}

impl SigningAlgorithm {
    /// All algorithms.
    pub const ALL: [Self; 3] = [Self::Rs256, Self::Es256, Self::EdDsa];

    /// Returns the name in headers, metadata and rows.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }

    /// Returns the algorithm with this name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == word)
    }
}

/// A signing key. Its private half is sealed: the store never sees it in the clear.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// Id in the store.
    pub id: SigningKeyId,
    /// Key id in headers and key sets: the thumbprint of the public half (RFC 7638).
    pub kid: String,
    /// Signature algorithm.
    pub algorithm: SigningAlgorithm,
    /// Number of the key among those of its algorithm, from 1. Prevents two nodes from rotating at the same time.
    pub generation: i64,
    /// The public half, as a JSON Web Key.
    pub public_jwk: String,
    /// The private half, sealed.
    pub sealed: Vec<u8>,
    /// Time of creation; the key is published from then on.
    pub created_at: Timestamp,
    /// Time from which it signs, late enough for clients to have fetched it.
    pub signs_from: Timestamp,
}

/// A signing key to insert.
#[derive(Clone)]
pub struct NewSigningKey {
    /// Key id in headers and key sets, unique.
    pub kid: String,
    /// Signature algorithm.
    pub algorithm: SigningAlgorithm,
    /// Number of the key among those of its algorithm, unique.
    pub generation: i64,
    /// The public half, as a JSON Web Key.
    pub public_jwk: String,
    /// The private half, sealed.
    pub sealed: Vec<u8>,
    /// Current time.
    pub created_at: Timestamp,
    /// Time from which it signs.
    pub signs_from: Timestamp,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("kid", &self.kid)
            .field("algorithm", &self.algorithm)
            .field("signs_from", &self.signs_from)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for NewSigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewSigningKey")
            .field("kid", &self.kid)
            .field("algorithm", &self.algorithm)
            .field("signs_from", &self.signs_from)
            .finish_non_exhaustive()
    }
}
