//! Sealing small secrets, so that anyone who reads the database alone cannot use them.
//!
//! Second factors and private keys are needed in plain text, so they cannot be stored as digests. They are sealed with
//! AES-256 in Galois/Counter Mode (NIST SP 800-38D) under a key that is not in the database.

mod key;

use std::fmt;

use api_conventions::secret::SecretSource as _;
use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::hkdf::{HKDF_SHA256, Prk, Salt};
use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

pub use key::KeyError;

use crate::database::Database;
use crate::randomness::OsRandomness;
use crate::settings::{SecretKey, SecuritySettings};
use crate::signing_keys::{SecretKeyError, check_secret_key};

/// The only layout so far: this byte, the nonce, then the encrypted secret with its tag.
const VERSION: u8 = 1;
/// HKDF info of the vault's key. Any other use of the same secret key needs another one.
const PURPOSE: &[u8] = b"gatehouse vault";

/// HKDF info of the key for pseudonyms.
const PSEUDONYMS: &[u8] = b"gatehouse pseudonyms";
/// Length of a derived key in bytes.
const DERIVED_BYTES: usize = 32;
/// Length of a pseudonym in bytes.
const PSEUDONYM_BYTES: usize = 16;

/// Seals and opens small secrets.
pub struct Vault {
    key: LessSafeKey,
    pseudonyms: hmac::Key,
    extracted: Prk,
}

/// Reason why a sealed secret cannot be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VaultError {
    /// The layout is unknown, or the data is truncated.
    #[error("the sealed secret has an unknown layout")]
    Layout,
    /// The secret was sealed under another key or for another context, or was modified.
    #[error(
        "the sealed secret cannot be opened: it was sealed with another secret key or for another context"
    )]
    Foreign,
}

impl Vault {
    /// Opens the vault of a database, with the key in the settings or else the one in the file.
    /// The file is created if it does not exist and nothing in the database was sealed under a key.
    ///
    /// # Errors
    /// See [`SecretKeyError`]: with another key, the server could neither sign tokens nor verify second factors.
    pub fn of(database: &Database, settings: &SecuritySettings) -> Result<Self, SecretKeyError> {
        check_secret_key(database, settings)?;
        let key = match &settings.secret_key {
            Some(key) => return Ok(Self::new(key)),
            None => key::read_or_create(&settings.secret_key_file)?,
        };
        Ok(Self::new(&key))
    }

    /// Creates the vault of a key.
    ///
    /// # Panics
    /// Never: the one length that is derived is within the bounds of HKDF.
    #[expect(
        clippy::expect_used,
        reason = "HKDF-SHA-256 can derive 32 bytes from any key"
    )]
    pub fn new(key: &SecretKey) -> Self {
        let extracted = Salt::new(HKDF_SHA256, &[]).extract(key.as_bytes());
        let derived = extracted
            .expand(&[PURPOSE], &AES_256_GCM)
            .expect("HKDF-SHA-256 can derive 32 bytes");
        let pseudonyms = extracted
            .expand(&[PSEUDONYMS], hmac::HMAC_SHA256)
            .expect("HKDF-SHA-256 can derive 32 bytes");
        Self {
            key: LessSafeKey::new(UnboundKey::from(derived)),
            pseudonyms: hmac::Key::from(pseudonyms),
            extracted,
        }
    }

    /// Derives 32 bytes from the secret key, which are the same on every node. Each purpose has its own info.
    ///
    /// # Panics
    /// Never: the one length that is derived is within the bounds of HKDF.
    #[expect(
        clippy::expect_used,
        reason = "HKDF-SHA-256 can derive 32 bytes from any key"
    )]
    pub(crate) fn derive(&self, info: &[u8]) -> Zeroizing<[u8; DERIVED_BYTES]> {
        let mut bytes = Zeroizing::new([0; DERIVED_BYTES]);
        let info = [info];
        let derived = self.extracted.expand(&info, HKDF_SHA256);
        derived
            .and_then(|derived| derived.fill(bytes.as_mut_slice()))
            .expect("HKDF-SHA-256 can derive 32 bytes");
        bytes
    }

    /// Returns a pseudonym of something, such as `session 42`, that can be recognized but reveals nothing.
    /// It is always the same under one secret key.
    pub fn pseudonym(&self, of: &str) -> String {
        let tag = hmac::sign(&self.pseudonyms, of.as_bytes());
        let (kept, _) = tag.as_ref().split_at(PSEUDONYM_BYTES);
        URL_SAFE_NO_PAD.encode(kept)
    }

    /// Seals a secret for a context, which names what it is and whose, such as `totp user 42`.
    /// It opens only in that context, so that the secret of one row cannot be used in another. Each seal has its own
    /// nonce; up to 2^32 of them under one key are safe.
    ///
    /// # Panics
    /// When the secret is longer than 64 gigabytes.
    #[expect(
        clippy::expect_used,
        reason = "encryption fails only for more than 64 gigabytes, which do not fit in memory"
    )]
    pub fn seal(&self, context: &str, plain: &[u8]) -> Vec<u8> {
        let mut nonce = [0_u8; NONCE_LEN];
        OsRandomness.fill(&mut nonce);
        let mut sealed = Vec::with_capacity(1 + NONCE_LEN + plain.len() + AES_256_GCM.tag_len());
        sealed.push(VERSION);
        sealed.extend(nonce);
        let mut body = plain.to_vec();
        let tag = self
            .key
            .seal_in_place_separate_tag(
                Nonce::assume_unique_for_key(nonce),
                associated(context),
                &mut body,
            )
            .expect("the secret is smaller than 64 gigabytes");
        sealed.append(&mut body);
        sealed.extend(tag.as_ref());
        sealed
    }

    /// Opens a secret that was sealed for this context.
    ///
    /// # Errors
    /// See [`VaultError`].
    pub fn open(&self, context: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let Some((&VERSION, rest)) = sealed.split_first() else {
            return Err(VaultError::Layout);
        };
        let (nonce, body) = rest
            .split_first_chunk::<NONCE_LEN>()
            .ok_or(VaultError::Layout)?;
        let mut body = Zeroizing::new(body.to_vec());
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let opened = self
            .key
            .open_in_place(nonce, associated(context), &mut body);
        let length = opened.map_err(|Unspecified| VaultError::Foreign)?.len();
        body.truncate(length);
        Ok(body)
    }
}

/// Returns the additional authenticated data: not secret, but required to be the same when opening.
fn associated(context: &str) -> Aad<Vec<u8>> {
    Aad::from([&[VERSION], context.as_bytes()].concat())
}

/// Returns the key in the settings, or else the one in the file; `None` if there is neither. Creates no key.
///
/// # Errors
/// See [`KeyError`].
pub fn existing_key(settings: &SecuritySettings) -> Result<Option<SecretKey>, KeyError> {
    match &settings.secret_key {
        Some(key) => Ok(Some(key.clone())),
        None => key::read_existing(&settings.secret_key_file),
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vault")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vault(byte: &str) -> Vault {
        Vault::new(&SecretKey::parse(&byte.repeat(32)).unwrap())
    }

    #[test]
    fn a_sealed_secret_opens_under_its_key_and_in_its_context() {
        let sealed = vault("01").seal("totp user 1", b"swordfish");
        assert_eq!(
            vault("01").open("totp user 1", &sealed).unwrap().as_slice(),
            b"swordfish"
        );
        for (key, context) in [("01", "totp user 2"), ("01", ""), ("02", "totp user 1")] {
            assert_eq!(
                vault(key).open(context, &sealed),
                Err(VaultError::Foreign),
                "{key} {context}"
            );
        }
    }

    #[test]
    fn sealing_twice_gives_different_bytes_that_show_nothing() {
        let vault = vault("01");
        let (first, second) = (vault.seal("c", b"swordfish"), vault.seal("c", b"swordfish"));
        assert_ne!(first[1..13], second[1..13], "a nonce is never used twice");
        assert_ne!(first[13..], second[13..]);
        assert!(!first.windows(9).any(|part| part == b"swordfish"));
    }

    #[test]
    fn no_changed_byte_and_no_shorter_text_opens() {
        let vault = vault("01");
        let sealed = vault.seal("c", b"swordfish");
        for place in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            assert!(vault.open("c", &changed).is_err(), "byte {place}");
            assert!(vault.open("c", &sealed[..place]).is_err(), "length {place}");
        }
    }

    #[test]
    fn an_empty_secret_can_be_sealed() {
        let vault = vault("01");
        assert_eq!(
            vault.open("c", &vault.seal("c", b"")).unwrap().as_slice(),
            b""
        );
    }
    #[test]
    fn pseudonyms_differ_by_input_and_by_key() {
        let of = |key, what| vault(key).pseudonym(what);
        assert_eq!(of("01", "session 1"), of("01", "session 1"));
        assert_ne!(of("01", "session 1"), of("01", "session 2"));
        assert_ne!(of("01", "session 1"), of("02", "session 1"));
        assert_eq!(of("01", "session 1").len(), 22);
    }
}
