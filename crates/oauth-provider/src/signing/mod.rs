//! Keys that sign id tokens: making them, signing, publishing their public halves, and checking signatures.
//!
//! The private half leaves [`PrivateKey::to_pkcs8`] in the clear; anyone who stores it seals it first.

mod jwk;
mod jws;
mod key_set;
mod private_key;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;

pub use jwk::PublicJwk;
pub use key_set::{IdTokenHint, KeySet, VerifyError};
pub use private_key::PrivateKey;

/// A key cannot be made, read or used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SigningError {
    /// The library of the algorithms failed.
    #[error("the key cannot be made or used")]
    Failed,
    /// The bytes are no private key of the algorithm.
    #[error("the bytes are no private key of this algorithm")]
    NoPrivateKey,
    /// The text is no public key.
    #[error("the text is no public JSON Web Key")]
    NoPublicKey,
    /// The claims cannot be written as JSON.
    #[error("the claims cannot be written as JSON")]
    Claims,
}
