//! Restoring a backup into an empty database.

use std::path::{Path, PathBuf};

use storage_diesel::{
    Import, PostgresStore, RowSink, RowSource, Snapshot, SqliteStore, TransferError,
};
use zeroize::Zeroizing;

use super::archive::VerifiedBackup;
use super::files::{directory_of, write_private};
use super::manifest::{KeyEntry, Manifest, TableEntry, key_id};
use super::totals::Totals;
use super::{BackupError, Passphrase};
use crate::private_files::create_directory;
use crate::settings::{DatabaseUrl, SecuritySettings};
use crate::signing_keys::SecretKeyError;
use crate::vault::existing_key;

/// A restored backup.
#[derive(Debug)]
#[non_exhaustive]
pub struct RestoredBackup {
    /// Manifest of the backup.
    pub manifest: Manifest,
    /// File that the secret key was written to; `None` if the key already existed or is in the configuration.
    pub key_file: Option<PathBuf>,
    /// Id of the key that the server needs and that was neither there nor in the backup.
    pub missing_key: Option<String>,
}

/// Verifies a backup without a database: every part, the number and the digest of the rows of each table, and that this
/// version can restore it. An encrypted secret key is verified if there is a passphrase.
///
/// # Errors
/// See [`BackupError`].
pub fn check_backup(file: &Path, passphrase: Option<&Passphrase>) -> Result<Manifest, BackupError> {
    let (verified, _) = VerifiedBackup::open(file)?;
    match verified.key(passphrase) {
        Err(BackupError::PassphraseNeeded) | Ok(_) => Ok(verified.manifest),
        Err(error) => Err(error),
    }
}

/// Restores a backup, also one of the other kind of database: creates the database at `url` and the file of the secret
/// key that the settings name. Everything is verified: each part before anything is written, and each row as it is read
/// back. The database appears as a whole, after the key; if the process ends before that, the restore can be run again.
///
/// # Errors
/// See [`BackupError`]. A location that holds a database or another key is refused and left unchanged.
pub fn restore(
    file: &Path,
    url: &DatabaseUrl,
    security: &SecuritySettings,
    passphrase: Option<&Passphrase>,
) -> Result<RestoredBackup, BackupError> {
    let (verified, totals) = VerifiedBackup::open(file)?;
    let snapshot = verified.manifest.snapshot();
    totals.check_text(url, &snapshot)?;
    let plan = KeyPlan::of(&verified, security, passphrase)?;
    let mut check = Check::new(&verified.manifest.tables);
    check.key = plan.write;
    let imported = verified.each_batch(|source| import_into(url, &snapshot, source, &mut check));
    let key_file = check.written;
    imported?;
    Ok(RestoredBackup {
        manifest: verified.manifest,
        key_file,
        missing_key: plan.missing,
    })
}

/// Creates the database at `url` from rows, whose totals `check` verifies.
pub(super) fn import_into(
    url: &DatabaseUrl,
    snapshot: &Snapshot,
    source: &mut dyn RowSource,
    check: &mut Check<'_>,
) -> Result<(), TransferError> {
    let mut import = Import {
        snapshot,
        source,
        check,
    };
    match url {
        DatabaseUrl::Sqlite(path) => {
            let directory = directory_of(path);
            create_directory(directory).map_err(|source| TransferError::File {
                file: directory.to_owned(),
                source,
            })?;
            SqliteStore::import(path, &mut import)
        }
        DatabaseUrl::Postgres(url) => PostgresStore::import(url, &mut import),
    }
}

/// Treatment of the secret key by a restore.
struct KeyPlan {
    /// File to write, with its text.
    write: Option<(PathBuf, Zeroizing<String>)>,
    /// Id of the key that is neither there nor in the backup.
    missing: Option<String>,
}

impl KeyPlan {
    fn of(
        verified: &VerifiedBackup,
        security: &SecuritySettings,
        passphrase: Option<&Passphrase>,
    ) -> Result<Self, BackupError> {
        let stored = verified.key(passphrase)?;
        let present = existing_key(security).map_err(SecretKeyError::from)?;
        let nothing = Self {
            write: None,
            missing: None,
        };
        let Some(KeyEntry { id, .. }) = &verified.manifest.secret_key else {
            return Ok(nothing);
        };
        match (present, stored) {
            (Some(present), _) if key_id(&present) == *id => Ok(nothing),
            (Some(_), _) => Err(other_key(security, id)),
            (None, Some((_, text))) => Ok(Self {
                write: Some((security.secret_key_file.clone(), text)),
                ..nothing
            }),
            (None, None) => Ok(Self {
                missing: Some(id.clone()),
                ..nothing
            }),
        }
    }
}

fn other_key(security: &SecuritySettings, id: &str) -> BackupError {
    let (place, remedy) = match security.secret_key {
        Some(_) => (
            "security.secret_key".to_owned(),
            "set it to the key of the backup, or unset it to use the key in the backup",
        ),
        None => (
            security.secret_key_file.display().to_string(),
            "restore into an empty directory (--data)",
        ),
    };
    BackupError::OtherKey {
        place,
        id: id.to_owned(),
        remedy,
    }
}

/// Compares rows with the expected totals. Once all are there, it writes the key file, before the rows become visible.
pub(super) struct Check<'v> {
    expected: &'v [TableEntry],
    totals: Totals,
    key: Option<(PathBuf, Zeroizing<String>)>,
    written: Option<PathBuf>,
}

impl<'v> Check<'v> {
    pub(super) fn new(expected: &'v [TableEntry]) -> Self {
        Self {
            expected,
            totals: Totals::default(),
            key: None,
            written: None,
        }
    }
}

impl RowSink for Check<'_> {
    fn rows(&mut self, table: &str, rows: &[String]) -> Result<(), TransferError> {
        self.totals.add(table, rows.iter().map(String::as_str));
        Ok(())
    }

    fn finish(&mut self, _: &Snapshot) -> Result<(), TransferError> {
        if let Some(difference) = self.totals.difference(self.expected) {
            return Err(TransferError::Unsound(difference));
        }
        let Some((file, text)) = self.key.take() else {
            return Ok(());
        };
        let failed = |source| TransferError::File {
            file: file.clone(),
            source,
        };
        create_directory(directory_of(&file)).map_err(failed)?;
        write_private(&file, &text).map_err(failed)?;
        self.written = Some(file);
        Ok(())
    }
}
