//! Secrets: random, prefixed, shown once, and stored as digests.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use crate::time::Timestamp;

mod checksum;
pub mod dated;

/// Source of random bytes. The app passes in the operating system's source; tests pass in their own.
pub trait SecretSource: Send + Sync {
    /// Fills `bytes` with unpredictable bytes.
    fn fill(&self, bytes: &mut [u8]);
}

/// A secret in plain text: a token, a key, or a password that a user sent.
///
/// It cannot be cloned or serialized, its `Debug` prints nothing of it, and its memory is zeroed on drop.
pub struct PlainSecret(Zeroizing<String>);

impl PlainSecret {
    /// Number of random bytes in a generated secret: 192 bits, infeasible to guess.
    pub const RANDOM_BYTES: usize = 24;

    /// Wraps a secret received from outside.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// Generates a secret: `prefix`, by which people and secret scanners recognize it, [`Self::RANDOM_BYTES`] random
    /// bytes in URL-safe base64, and a checksum (see [`Self::with_checksum`]). Without a prefix, as for a password that
    /// is given to a user, no scanner looks for the secret, and it has no checksum.
    pub fn generate(prefix: &str, source: &dyn SecretSource) -> Self {
        let mut bytes = Zeroizing::new([0_u8; Self::RANDOM_BYTES]);
        source.fill(bytes.as_mut_slice());
        let random = Zeroizing::new(URL_SAFE_NO_PAD.encode(bytes.as_slice()));
        if prefix.is_empty() {
            return Self(random);
        }
        Self::new(format!("{prefix}{}", random.as_str())).with_checksum()
    }

    /// Generates a secret with its timestamp before the random bytes (see [`dated`]): for secrets created so often that
    /// the location of their digests in an index matters.
    pub fn generate_dated(prefix: &str, source: &dyn SecretSource, now: Timestamp) -> Self {
        let random = Self::generate("", source);
        let timestamp = dated::timestamp_bytes(now);
        Self::new(dated::assemble(prefix, timestamp, random.reveal())).with_checksum()
    }

    /// Appends a checksum, by which a scanner tells a secret from a text that only looks like one: the CRC-32 of the
    /// whole text in six base62 digits, in the order `0` to `9`, `A` to `Z`, `a` to `z`.
    #[must_use]
    pub fn with_checksum(&self) -> Self {
        let mut text = String::with_capacity(self.0.len() + checksum::DIGITS);
        text.push_str(&self.0);
        text.extend(checksum::of(&self.0));
        Self::new(text)
    }

    /// True if the secret ends with the checksum of the rest. A secret without one may be valid: only its digest
    /// decides.
    pub fn has_checksum(&self) -> bool {
        checksum::is_at_end_of(&self.0)
    }

    /// Returns the secret itself, for the one place that shows or checks it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the digest to store or look up.
    pub fn digest(&self) -> SecretDigest {
        SecretDigest::of(&self.0)
    }
}

impl fmt::Debug for PlainSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlainSecret")
    }
}

/// SHA-256 of a secret with so many random bits that the digest reveals nothing about it. In the digest of a dated
/// secret, its timestamp replaces the first [`dated::TIMESTAMP_BYTES`]; the remaining 208 bits are just as infeasible
/// to guess.
///
/// Not for passwords: those are guessable and need a slow hash. Equality takes constant time.
#[derive(Clone, Copy, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(transparent)
)]
pub struct SecretDigest([u8; 32]);

impl SecretDigest {
    /// Computes the digest of `secret`.
    pub fn of(secret: &str) -> Self {
        let mut digest: [u8; 32] = Sha256::digest(secret.as_bytes()).into();
        if let Some(timestamp) = dated::timestamp_in(secret) {
            for (byte, of_timestamp) in digest.iter_mut().zip(timestamp) {
                *byte = of_timestamp;
            }
        }
        Self(digest)
    }

    /// Wraps a stored digest.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Bytes to store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl PartialEq for SecretDigest {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

/// Consistent with equality: equal digests have equal bytes.
impl std::hash::Hash for SecretDigest {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Debug for SecretDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretDigest")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sevens;

    impl SecretSource for Sevens {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    #[test]
    fn a_generated_secret_is_prefixed_and_url_safe_and_ends_with_a_checksum() {
        let secret = PlainSecret::generate("ghat_", &Sevens);
        assert_eq!(
            secret.reveal(),
            "ghat_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH09HWlQ"
        );
        assert!(secret.has_checksum());
    }

    #[test]
    fn a_secret_without_a_prefix_has_no_checksum() {
        let secret = PlainSecret::generate("", &Sevens);
        assert_eq!(secret.reveal(), "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH");
        assert!(!secret.has_checksum());
    }

    #[test]
    fn the_digest_of_a_dated_secret_begins_with_its_timestamp() {
        let now = Timestamp::from_micros(1_000_000).unwrap();
        let secret = PlainSecret::generate_dated("ghoa_", &Sevens, now);
        assert_eq!(
            secret.reveal(),
            "ghoa_AAAAAAPo.BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH2sVkpG"
        );
        let plain: [u8; 32] = Sha256::digest(secret.reveal()).into();
        let digest = secret.digest();
        assert_eq!(digest.as_bytes()[..6], dated::timestamp_bytes(now));
        assert_eq!(digest.as_bytes()[6..], plain[6..]);
    }

    #[test]
    fn debug_output_hides_secrets() {
        let secret = PlainSecret::new("swordfish");
        assert_eq!(
            format!("{secret:?} {:?}", secret.digest()),
            "PlainSecret SecretDigest"
        );
    }

    #[test]
    fn equal_secrets_have_equal_digests_and_others_do_not() {
        assert_eq!(PlainSecret::new("a").digest(), SecretDigest::of("a"));
        assert_ne!(SecretDigest::of("a"), SecretDigest::of("b"));
    }
}
