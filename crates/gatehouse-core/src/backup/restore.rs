//! Restoring a backup into an empty database.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use storage_diesel::{Import, PostgresStore, RowSink, Snapshot, SqliteStore, TransferError};

use super::archive::VerifiedBackup;
use super::manifest::{Manifest, RowTotal, key_id};
use super::{BackupError, directory_of, kind_of, write_private};
use crate::private_files::create_directory;
use crate::settings::{DatabaseSettings, DatabaseUrl, SecuritySettings};
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
}

/// Restores a backup: creates the database and the file of the secret key that the settings name.
/// Everything is verified: each part before anything is written, and each row as it is read back. The database appears
/// as a whole, after the key; if the process ends before that, the restore can be run again.
///
/// # Errors
/// See [`BackupError`]. A location that holds a database or another key is refused and left unchanged.
pub fn restore(
    file: &Path,
    settings: &DatabaseSettings,
    security: &SecuritySettings,
) -> Result<RestoredBackup, BackupError> {
    let verified = VerifiedBackup::open(file)?;
    if verified.manifest.database != kind_of(&settings.url) {
        return Err(BackupError::OtherDatabase {
            of: verified.manifest.database,
            configured: settings.url.to_string(),
        });
    }
    let missing = missing_key(&verified, security)?;
    let mut check = Check {
        manifest: &verified.manifest,
        totals: BTreeMap::new(),
        key: missing,
        written: None,
    };
    let snapshot = verified.manifest.snapshot();
    let imported = verified.each_batch(|source| {
        let mut import = Import {
            snapshot: &snapshot,
            source,
            check: &mut check,
        };
        match &settings.url {
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
    });
    let key_file = check.written;
    imported?;
    Ok(RestoredBackup {
        manifest: verified.manifest,
        key_file,
    })
}

/// Returns the file to write the key to, with its text, unless the key already exists.
fn missing_key<'v>(
    verified: &'v VerifiedBackup,
    security: &SecuritySettings,
) -> Result<Option<(PathBuf, &'v str)>, BackupError> {
    let present = existing_key(security).map_err(SecretKeyError::from)?;
    let file = &security.secret_key_file;
    match (&verified.key, present) {
        (None, _) => Ok(None),
        (Some((_, text)), None) => Ok(Some((file.clone(), text.as_str()))),
        (Some((key, _)), Some(present)) if key.as_bytes() == present.as_bytes() => Ok(None),
        (Some((key, _)), Some(_)) => {
            let (place, remedy) = match security.secret_key {
                Some(_) => (
                    "security.secret_key".to_owned(),
                    "unset it to restore the key of the backup",
                ),
                None => (
                    file.display().to_string(),
                    "restore into an empty directory (--data)",
                ),
            };
            Err(BackupError::OtherKey {
                place,
                id: key_id(key),
                remedy,
            })
        }
    }
}

/// Compares rows with the manifest. Once all are there, it writes the key file, before the rows become visible.
struct Check<'v> {
    manifest: &'v Manifest,
    totals: BTreeMap<String, RowTotal>,
    key: Option<(PathBuf, &'v str)>,
    written: Option<PathBuf>,
}

impl RowSink for Check<'_> {
    fn rows(&mut self, table: &str, rows: &[String]) -> Result<(), TransferError> {
        let total = self.totals.entry(table.to_owned()).or_default();
        for row in rows {
            total.add(row);
        }
        Ok(())
    }

    fn finish(&mut self, _: &Snapshot) -> Result<(), TransferError> {
        for table in &self.manifest.tables {
            let total = self.totals.remove(&table.name).unwrap_or_default();
            if (total.rows, total.digest()) != (table.rows, table.digest.clone()) {
                return Err(TransferError::Unsound(format!(
                    "the rows of {} do not match the manifest ({} restored, {} expected)",
                    table.name, total.rows, table.rows
                )));
            }
        }
        let Some((file, text)) = self.key.take() else {
            return Ok(());
        };
        let failed = |source| TransferError::File {
            file: file.clone(),
            source,
        };
        create_directory(directory_of(&file)).map_err(failed)?;
        write_private(&file, text).map_err(failed)?;
        self.written = Some(file);
        Ok(())
    }
}
