//! Keys that sign id tokens: generation, signatures, published public halves, and verification.
//!
//! [`PrivateKey::to_pkcs8`] returns the private half in the clear; callers must seal it before they store it.

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

/// Error while generating, parsing or using a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SigningError {
    /// The cryptographic library failed.
    #[error("the key cannot be generated or used")]
    Failed,
    /// The bytes are not a private key of the algorithm.
    #[error("the bytes are not a private key of this algorithm")]
    NoPrivateKey,
    /// The text is not a public key.
    #[error("the text is not a public JSON Web Key")]
    NoPublicKey,
    /// The claims cannot be serialized as JSON.
    #[error("the claims cannot be serialized as JSON")]
    Claims,
}
