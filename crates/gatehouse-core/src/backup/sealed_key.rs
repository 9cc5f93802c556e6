//! Secret key of a backup, encrypted with a passphrase.
//!
//! The encryption key is derived with Argon2id, with the second choice of RFC 9106 (64 MiB, three passes) on one lane:
//! who steals a backup can try passphrases at leisure, so a try must be expensive.

use std::path::Path;

use api_conventions::secret::{PlainSecret, SecretSource as _};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::BackupError;
use crate::randomness::OsRandomness;
use crate::settings::SecretKey;
use crate::vault::Vault;

/// Memory of the derivation, in KiB.
const MEMORY_KIB: u32 = 64 << 10;
/// Passes over that memory.
const PASSES: u32 = 3;
/// Length of the salt in bytes.
const SALT_BYTES: usize = 16;
/// Context in which the key is sealed.
const CONTEXT: &str = "secret key of a backup";
/// Shortest passphrase, in characters.
const MIN_CHARACTERS: usize = 12;

/// Passphrase that encrypts the secret key of a backup.
#[derive(Debug)]
pub struct Passphrase(PlainSecret);

/// Content of the file in the archive.
#[derive(Serialize, Deserialize)]
struct SealedKey {
    /// Name of the derivation, for readers.
    derivation: String,
    /// Salt of the derivation, in base64.
    salt: String,
    /// Nonce, encrypted key and tag, in base64.
    sealed: String,
}

impl Passphrase {
    /// Reads the passphrase from the first line of a file.
    ///
    /// # Errors
    /// If the file cannot be read, or the passphrase has fewer than 12 characters.
    pub fn read(file: &Path) -> Result<Self, BackupError> {
        let text = std::fs::read_to_string(file).map(Zeroizing::new);
        let text = text.map_err(BackupError::of_file(file))?;
        let line = text.lines().next().unwrap_or_default();
        if line.chars().count() < MIN_CHARACTERS {
            return Err(BackupError::ShortPassphrase(file.to_owned()));
        }
        Ok(Self(PlainSecret::new(line)))
    }

    /// Encrypts the text of a key file.
    pub(super) fn seal(&self, text: &str) -> Result<String, BackupError> {
        let mut salt = [0_u8; SALT_BYTES];
        OsRandomness.fill(&mut salt);
        let sealed = SealedKey {
            derivation: format!("argon2id m={MEMORY_KIB} t={PASSES} p=1, then HKDF-SHA-256"),
            salt: STANDARD.encode(salt),
            sealed: STANDARD.encode(self.vault(&salt)?.seal(CONTEXT, text.as_bytes())),
        };
        serde_json::to_string(&sealed).map_err(|_| BackupError::Derivation)
    }

    /// Decrypts the text of a key file.
    pub(super) fn open(&self, sealed: &str) -> Result<Zeroizing<String>, BackupError> {
        let sealed: SealedKey =
            serde_json::from_str(sealed).map_err(|_| BackupError::WrongPassphrase)?;
        let decode = |text: &str| {
            STANDARD
                .decode(text)
                .map_err(|_| BackupError::WrongPassphrase)
        };
        let (salt, sealed) = (decode(&sealed.salt)?, decode(&sealed.sealed)?);
        let opened = self.vault(&salt)?.open(CONTEXT, &sealed);
        let opened = opened.map_err(|_| BackupError::WrongPassphrase)?;
        let text = std::str::from_utf8(&opened).map_err(|_| BackupError::WrongPassphrase)?;
        Ok(Zeroizing::new(text.to_owned()))
    }

    fn vault(&self, salt: &[u8]) -> Result<Vault, BackupError> {
        let params = Params::new(MEMORY_KIB, PASSES, 1, None);
        let params = params.map_err(|_| BackupError::Derivation)?;
        let mut key = Zeroizing::new(vec![0; SecretKey::LEAST_BYTES]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(self.0.reveal().as_bytes(), salt, &mut key)
            .map_err(|_| BackupError::Derivation)?;
        let key = SecretKey::new(key).ok_or(BackupError::Derivation)?;
        Ok(Vault::new(&key))
    }
}
