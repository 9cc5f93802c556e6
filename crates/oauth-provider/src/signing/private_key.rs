//! Private half of a key.

use std::fmt;

use aws_lc_rs::encoding::{AsDer as _, Pkcs8V1Der};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256,
    RsaKeyPair,
};
use serde::Serialize;
use zeroize::Zeroizing;

use super::jwk::PublicJwk;
use super::{SigningError, jws};
use crate::model::SigningAlgorithm;

/// A signing key.
pub struct PrivateKey {
    half: Half,
    public: PublicJwk,
    kid: String,
}

enum Half {
    Rsa(RsaKeyPair),
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl PrivateKey {
    /// Generates a key. An RS256 key has 2048 bits and takes a noticeable part of a second, so generate it outside of
    /// any transaction.
    ///
    /// # Errors
    /// [`SigningError::Failed`] if the library cannot generate it.
    pub fn generate(algorithm: SigningAlgorithm) -> Result<Self, SigningError> {
        Self::of(match algorithm {
            SigningAlgorithm::Rs256 => Half::Rsa(RsaKeyPair::generate(KeySize::Rsa2048)?),
            SigningAlgorithm::Es256 => {
                Half::P256(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING)?)
            }
            SigningAlgorithm::EdDsa => Half::Ed25519(Ed25519KeyPair::generate()?),
        })
    }

    /// Parses a private key (PKCS#8, RFC 5208).
    ///
    /// # Errors
    /// [`SigningError::NoPrivateKey`] if the bytes are not a key of this algorithm.
    pub fn from_pkcs8(algorithm: SigningAlgorithm, pkcs8: &[u8]) -> Result<Self, SigningError> {
        let half = match algorithm {
            SigningAlgorithm::Rs256 => RsaKeyPair::from_pkcs8(pkcs8).map(Half::Rsa),
            SigningAlgorithm::Es256 => {
                EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8).map(Half::P256)
            }
            SigningAlgorithm::EdDsa => Ed25519KeyPair::from_pkcs8(pkcs8).map(Half::Ed25519),
        };
        Self::of(half.map_err(|_| SigningError::NoPrivateKey)?)
    }

    fn of(half: Half) -> Result<Self, SigningError> {
        let public = half.public().ok_or(SigningError::Failed)?;
        Ok(Self {
            kid: public.thumbprint(),
            public,
            half,
        })
    }

    /// Returns the private half in the clear (PKCS#8, RFC 5208). Seal it before storing it.
    ///
    /// # Errors
    /// [`SigningError::Failed`] if the library cannot encode it.
    pub fn to_pkcs8(&self) -> Result<Zeroizing<Vec<u8>>, SigningError> {
        let copy = |bytes: &[u8]| Zeroizing::new(bytes.to_vec());
        Ok(match &self.half {
            Half::Rsa(key) => {
                let der: Pkcs8V1Der<'_> = key.as_der()?;
                copy(der.as_ref())
            }
            Half::P256(key) => copy(key.to_pkcs8v1()?.as_ref()),
            Half::Ed25519(key) => copy(key.to_pkcs8v1()?.as_ref()),
        })
    }

    /// Returns the public half.
    pub const fn public(&self) -> &PublicJwk {
        &self.public
    }

    /// Returns the key id in headers and key sets.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// Signs claims as a compact JSON Web Signature (RFC 7515, section 7.1) with the type `JWT` (RFC 7519).
    ///
    /// # Errors
    /// [`SigningError::Claims`] if the claims cannot be serialized, [`SigningError::Failed`] if the library fails.
    pub fn sign<C: Serialize + ?Sized>(&self, claims: &C) -> Result<String, SigningError> {
        let claims = serde_json::to_vec(claims).map_err(|_| SigningError::Claims)?;
        let signed = jws::signed_part(self.public.algorithm(), &self.kid, &claims);
        let signature = self.signature(signed.as_bytes())?;
        Ok(jws::complete(signed, &signature))
    }

    pub(super) fn signature(&self, message: &[u8]) -> Result<Vec<u8>, SigningError> {
        // The library's interface takes a source of randomness, but it uses its own.
        let randomness = SystemRandom::new();
        Ok(match &self.half {
            Half::Rsa(key) => {
                let mut signature = vec![0; key.public_modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &randomness, message, &mut signature)?;
                signature
            }
            Half::P256(key) => key.sign(&randomness, message)?.as_ref().to_vec(),
            Half::Ed25519(key) => key.try_sign(message)?.as_ref().to_vec(),
        })
    }
}

impl Half {
    fn public(&self) -> Option<PublicJwk> {
        match self {
            Self::Rsa(key) => Some(PublicJwk::Rsa {
                n: key
                    .public_key()
                    .modulus()
                    .big_endian_without_leading_zero()
                    .to_vec(),
                e: key
                    .public_key()
                    .exponent()
                    .big_endian_without_leading_zero()
                    .to_vec(),
            }),
            // An uncompressed point: the byte 4, then both coordinates (SEC 1, section 2.3.3).
            Self::P256(key) => {
                let (&4, point) = key.public_key().as_ref().split_first()? else {
                    return None;
                };
                let (x, y) = point.split_first_chunk()?;
                Some(PublicJwk::P256 {
                    x: *x,
                    y: y.try_into().ok()?,
                })
            }
            Self::Ed25519(key) => Some(PublicJwk::Ed25519 {
                x: key.public_key().as_ref().try_into().ok()?,
            }),
        }
    }
}

impl From<Unspecified> for SigningError {
    fn from(_: Unspecified) -> Self {
        Self::Failed
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateKey")
            .field("kid", &self.kid)
            .finish_non_exhaustive()
    }
}
