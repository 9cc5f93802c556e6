//! Slow hashes of passwords.
//!
//! Argon2id with 19 MiB of memory, two passes and one lane: the minimum that OWASP's password storage cheat sheet
//! recommends. One hash takes about ten milliseconds of a core, so callers run it on a thread that may block, a few at
//! a time, and never inside a transaction.

use std::fmt;

use api_conventions::secret::{PlainSecret, SecretSource};
use argon2::password_hash::phc::PasswordHash as PhcHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};

/// Memory of one hash, in KiB.
pub const MEMORY_KIB: u32 = 19_456;
/// Passes over that memory.
pub const PASSES: u32 = 2;
/// Longest password that is hashed, in bytes. Longer ones are refused, not truncated.
pub const MAX_BYTES: usize = 1024;
/// Shortest password of a new account, in characters.
pub const MIN_CHARACTERS: usize = 8;

/// Hash of a password in the PHC string format, which includes parameters and salt.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

/// Reasons why a password cannot be hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PasswordError {
    /// Fewer than [`MIN_CHARACTERS`] characters.
    #[error("a password must have at least 8 characters")]
    TooShort,
    /// More than [`MAX_BYTES`] bytes.
    #[error("a password must have at most 1024 bytes")]
    TooLong,
    /// The hash function failed because it ran out of memory.
    #[error("the password could not be hashed")]
    Hashing,
}

impl PasswordHash {
    /// Hashes `password` with a fresh salt from `source`. Takes about ten milliseconds of a core and 19 MiB.
    ///
    /// # Errors
    /// When the password is too short or too long, or the hash function has no memory.
    pub fn of(password: &PlainSecret, source: &dyn SecretSource) -> Result<Self, PasswordError> {
        let text = password.reveal();
        if text.chars().count() < MIN_CHARACTERS {
            return Err(PasswordError::TooShort);
        }
        if text.len() > MAX_BYTES {
            return Err(PasswordError::TooLong);
        }
        let mut salt = [0_u8; 16];
        source.fill(&mut salt);
        let hash: PhcHash = hasher()?
            .hash_password_with_salt(text.as_bytes(), &salt)
            .map_err(|_| PasswordError::Hashing)?;
        Ok(Self(hash.to_string()))
    }

    /// True if `password` is the hashed one. As slow as hashing.
    pub fn verifies(&self, password: &PlainSecret) -> bool {
        let candidate = password.reveal();
        let parsed = PhcHash::new(&self.0);
        candidate.len() <= MAX_BYTES
            && parsed.is_ok_and(|hash| {
                Argon2::default()
                    .verify_password(candidate.as_bytes(), &hash)
                    .is_ok()
            })
    }

    /// Returns a hash that no password matches, with the current parameters: checking the password of an unknown user
    /// against it takes as long as checking that of a real one.
    pub fn dummy() -> Self {
        Self(format!(
            "$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p=1${}${}",
            "A".repeat(22),
            "A".repeat(43)
        ))
    }

    /// True if the hash has the current parameters; if not, rehash the password at the next sign-in.
    pub fn is_current(&self) -> bool {
        let parameters = format!("$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p=1$");
        self.0.starts_with(&parameters)
    }

    /// Wraps a stored hash.
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// Text to store.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash")
    }
}

fn hasher() -> Result<Argon2<'static>, PasswordError> {
    let params = Params::new(MEMORY_KIB, PASSES, 1, None).map_err(|_| PasswordError::Hashing)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct FixedSource(u8);

    impl SecretSource for FixedSource {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    fn hash(text: &str) -> Result<PasswordHash, PasswordError> {
        PasswordHash::of(&PlainSecret::new(text), &FixedSource(1))
    }

    #[test]
    fn only_the_same_password_verifies() {
        let stored = PasswordHash::from_stored(hash("correct horse").unwrap().as_str().to_owned());
        assert!(stored.verifies(&PlainSecret::new("correct horse")));
        assert!(!stored.verifies(&PlainSecret::new("correct horsf")));
        assert!(
            !PasswordHash::from_stored("not a hash".to_owned()).verifies(&PlainSecret::new("x"))
        );
    }

    #[test]
    fn the_parameters_are_those_of_the_documentation() {
        let text = hash("correct horse").unwrap();
        assert!(
            text.as_str().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{}",
            text.as_str()
        );
    }

    #[test]
    fn the_hash_of_nobody_is_checked_like_any_other() {
        let nobody = PasswordHash::dummy();
        assert!(nobody.is_current());
        assert!(
            PhcHash::new(nobody.as_str()).is_ok(),
            "the placeholder is a hash too"
        );
        assert!(!nobody.verifies(&PlainSecret::new("correct horse")));
    }

    #[test]
    fn a_hash_of_other_parameters_is_not_current() {
        assert!(hash("correct horse").unwrap().is_current());
        let older = "$argon2id$v=19$m=4096,t=3,p=1$c2FsdHNhbHQ$AAAA".to_owned();
        assert!(!PasswordHash::from_stored(older).is_current());
    }

    #[test]
    fn length_is_bounded_at_both_ends() {
        assert_eq!(hash("seven77"), Err(PasswordError::TooShort));
        assert_eq!(
            hash(&"x".repeat(MAX_BYTES + 1)),
            Err(PasswordError::TooLong)
        );
        assert!(hash(&"x".repeat(MAX_BYTES)).is_ok());
    }
}
