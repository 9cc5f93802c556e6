//! Backups: one file with all rows of a database at one instant, its secret key, and a manifest of both.
//!
//! The file is a tar archive that common tools can read: `tables/NAME/NUMBER.jsonl.zst` holds rows of a table, one JSON
//! object a line; `secret.key` is the key, unless it is encrypted or left out; `manifest.json` lists every part with its
//! digest, and `manifest.json.sha256` is the digest of the manifest. See ADR 43 for the reasons.
//!
//! [`copy()`] moves the rows of a database to another one in the same form, without a file.

mod archive;
mod copy;
mod dated;
mod files;
mod manifest;
mod restore;
mod schedule;
mod sealed_key;
mod totals;
mod writer;

use std::fs::{self, File};
use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use api_conventions::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use storage_diesel::TransferError;
use zeroize::Zeroizing;

pub use copy::{CopiedDatabase, copy};
pub use dated::DatedBackup;
pub use manifest::{KeyEntry, KeyForm, Manifest, PartEntry, TableEntry};
pub use restore::{RestoredBackup, check_backup, restore};
pub use schedule::{
    BackupSchedule, BackupSource, LastBackup, Pace, ScheduledBackups, back_up_regularly,
};
pub use sealed_key::Passphrase;

use crate::database::Database;
use crate::priority;
use crate::settings::{DatabaseUrl, SecretKey, SecuritySettings};
use crate::signing_keys::{SecretKeyError, check_secret_key};
use crate::vault::existing_key;
use files::{beside, claim, put_in_place};
use manifest::{key_id, sha256};
use writer::Writer;

/// Name of the secret key in the archive.
const SECRET_KEY: &str = "secret.key";
/// Name of the encrypted secret key in the archive.
const SEALED_KEY: &str = "secret.key.encrypted";
/// Name of the manifest in the archive.
const MANIFEST: &str = "manifest.json";
/// Name of the manifest's digest in the archive, in the format that `sha256sum --check` reads.
const MANIFEST_DIGEST: &str = "manifest.json.sha256";

/// Niceness of the thread that writes a backup, from 0 to 19: requests come first.
const NICENESS: i32 = 10;

/// Reason why a backup cannot be created or restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// A file operation failed.
    #[error("cannot use {}", file.display())]
    File {
        /// Path of the file.
        file: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// Another backup to the same file is running.
    #[error("another backup to {} is running", .0.display())]
    Running(PathBuf),
    /// The file is not a backup, or is incomplete.
    #[error("{} is not a usable backup: {reason}", file.display())]
    Unusable {
        /// Path of the file.
        file: PathBuf,
        /// Reason why it cannot be used.
        reason: String,
    },
    /// A different secret key already exists, and the rows were not written under it.
    #[error(
        "{place} contains a different secret key from the one in the backup (id {id}); {remedy}"
    )]
    OtherKey {
        /// Location of the existing key.
        place: String,
        /// Id of the key in the backup.
        id: String,
        /// Advice on how to proceed.
        remedy: &'static str,
    },
    /// The passphrase is too short.
    #[error("the passphrase in {} has fewer than 12 characters; use a longer one", .0.display())]
    ShortPassphrase(PathBuf),
    /// The secret key in the backup is encrypted, and no passphrase was given.
    #[error(
        "the secret key in the backup is encrypted; pass its passphrase with --passphrase-file FILE"
    )]
    PassphraseNeeded,
    /// The secret key in the backup is encrypted with another passphrase.
    #[error(
        "the passphrase does not decrypt the secret key in the backup; pass the file that the backup was written with"
    )]
    WrongPassphrase,
    /// No encryption key can be derived from the passphrase.
    #[error("cannot derive a key from the passphrase: not enough memory")]
    Derivation,
    /// The thread that reads the source ended early.
    #[error("the thread that reads the source database ended early")]
    BrokeOff,
    /// The rows cannot be exported or imported.
    #[error(transparent)]
    Transfer(#[from] TransferError),
    /// The database was not written under the configured secret key.
    #[error(transparent)]
    SecretKey(#[from] SecretKeyError),
}

impl BackupError {
    fn of_file(file: &Path) -> impl Fn(io::Error) -> Self {
        let file = file.to_owned();
        move |source| Self::File {
            file: file.clone(),
            source,
        }
    }
}

/// Kind of a database, as named in the manifest.
fn kind_of(url: &DatabaseUrl) -> &'static str {
    match url {
        DatabaseUrl::Sqlite(_) => "SQLite",
        DatabaseUrl::Postgres(_) => "PostgreSQL",
    }
}

/// Treatment of the secret key in a backup.
#[derive(Debug, Clone, Copy)]
pub enum KeyHandling<'a> {
    /// Includes it as it is.
    Plain,
    /// Includes it encrypted.
    Encrypt(&'a Passphrase),
    /// Leaves it out.
    LeaveOut,
}

/// Source and options of a backup.
#[derive(Debug, Clone, Copy)]
pub struct Backup<'a> {
    /// Database to back up.
    pub database: &'a Database,
    /// URL of the database.
    pub url: &'a DatabaseUrl,
    /// Settings that name the secret key.
    pub security: &'a SecuritySettings,
    /// Treatment of the secret key.
    pub key: KeyHandling<'a>,
    /// Current time.
    pub now: Timestamp,
    /// Pauses between the parts; `None` for none.
    pub pace: Option<&'a Pace>,
}

impl Backup<'_> {
    /// Writes everything in the database at this instant to `file`, readable only by its owner. Servers may keep
    /// running. An existing file of that name is replaced only once the new one is complete and on disk.
    ///
    /// # Errors
    /// See [`BackupError`]. Under a key that did not seal the rows, a backup would be useless, so it is refused.
    pub fn write_to(&self, file: &Path) -> Result<Manifest, BackupError> {
        self.write(&beside(file, ".part"), file)
    }

    /// Writes `part`, and renames it to `file` once it is complete.
    fn write(&self, part: &Path, file: &Path) -> Result<Manifest, BackupError> {
        check_secret_key(self.database, self.security)?;
        let key = existing_key(self.security).map_err(SecretKeyError::from)?;
        let key = key.map(|key| KeyPart::of(&key, self.key)).transpose()?;
        let opened = claim(part)?;
        // A thread cannot raise its priority again, so the backup has its own.
        let filled = thread::scope(|scope| {
            let filling = scope.spawn(|| {
                priority::lower(NICENESS, "backup");
                self.fill(&opened, part, key)
            });
            filling.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        let written =
            filled.and_then(|manifest| put_in_place(&opened, part, file).map(|()| manifest));
        if written.is_err() {
            // The first error is the one reported; the next backup overwrites what remains.
            let _ = fs::remove_file(part);
        }
        written
    }

    fn fill(
        &self,
        opened: &File,
        part: &Path,
        key: Option<KeyPart>,
    ) -> Result<Manifest, BackupError> {
        let mut writer = Writer::new(opened, part, kind_of(self.url), self.now);
        writer.key = key;
        writer.pace = self.pace;
        self.database.export(&mut writer)?;
        let manifest = writer.close()?;
        opened.sync_all().map_err(BackupError::of_file(part))?;
        Ok(manifest)
    }
}

/// Secret key as a backup contains it.
struct KeyPart {
    entry: KeyEntry,
    /// Name and text of the file in the archive.
    file: Option<(&'static str, Zeroizing<String>)>,
}

impl KeyPart {
    fn of(key: &SecretKey, handling: KeyHandling<'_>) -> Result<Self, BackupError> {
        let text = Zeroizing::new(format!("{}\n", STANDARD.encode(key.as_bytes())));
        let (form, file) = match handling {
            KeyHandling::Plain => (KeyForm::Plain, Some((SECRET_KEY, text))),
            KeyHandling::Encrypt(passphrase) => {
                let sealed = Zeroizing::new(passphrase.seal(&text)?);
                (KeyForm::Encrypted, Some((SEALED_KEY, sealed)))
            }
            KeyHandling::LeaveOut => (KeyForm::LeftOut, None),
        };
        let entry = KeyEntry {
            id: key_id(key),
            form,
            sha256: file.as_ref().map(|(_, text)| sha256(text.as_bytes())),
        };
        Ok(Self { entry, file })
    }
}
