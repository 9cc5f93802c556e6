//! A backup: one file that holds all rows of a database at one instant, the secret key that it was written under, and a
//! manifest of both.
//!
//! The file is a tar archive that common tools can read: `tables/NAME/NUMBER.jsonl.zst` has rows of a table, one JSON object a
//! line; `secret.key` is the key; `manifest.json` names every part with its digest, and `manifest.json.sha256` is the digest
//! of that. ADR 43 has the reasons.

mod archive;
mod manifest;
mod restore;
mod writer;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use api_conventions::time::Timestamp;
use storage_diesel::TransferError;

pub use manifest::{KeyEntry, Manifest, PartEntry, TableEntry};
pub use restore::{Restored, restore};

use crate::database::Database;
use crate::settings::{DatabaseUrl, SecuritySettings};
use crate::signing_keys::{SecretKeyError, check_secret_key};
use crate::vault::existing_key;
use writer::Writer;

/// Name of the secret key in the archive.
const SECRET_KEY: &str = "secret.key";
/// Name of the manifest in the archive.
const MANIFEST: &str = "manifest.json";
/// Name of the manifest's digest in the archive, in the form that `sha256sum --check` reads.
const MANIFEST_DIGEST: &str = "manifest.json.sha256";

/// Why a backup cannot be made or restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// A file fails.
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
    /// The file is no backup, or not whole.
    #[error("{} is no usable backup: {reason}", file.display())]
    Unusable {
        /// Path of the file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The backup is of the other kind of database.
    #[error(
        "the backup is of a {of} database and the configuration names {configured}; set --database to one of that kind"
    )]
    OtherDatabase {
        /// Kind of the database in the backup.
        of: String,
        /// Configured database.
        configured: String,
    },
    /// There is a secret key already, and the rows were not written under it.
    #[error("{place} holds another secret key than the backup (its id is {id}); {remedy}")]
    OtherKey {
        /// Place of the key that is there.
        place: String,
        /// Id of the key in the backup.
        id: String,
        /// How to go on.
        remedy: &'static str,
    },
    /// The rows cannot be exported or imported.
    #[error(transparent)]
    Transfer(#[from] TransferError),
    /// The database was not written under the secret key that is configured.
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

/// Kind of a database, as the manifest names it.
fn kind_of(url: &DatabaseUrl) -> &'static str {
    match url {
        DatabaseUrl::Sqlite(_) => "SQLite",
        DatabaseUrl::Postgres(_) => "PostgreSQL",
    }
}

/// Writes everything in the database at this instant to `file`, which only its owner can read. Servers go on meanwhile. A
/// file of that name is replaced once the new one is whole and on the disk, never before.
///
/// # Errors
/// See [`BackupError`]. A backup without the key that its rows were sealed under could not be used, so it is refused.
pub fn backup(
    file: &Path,
    database: &Database,
    url: &DatabaseUrl,
    security: &SecuritySettings,
    now: Timestamp,
) -> Result<Manifest, BackupError> {
    check_secret_key(database, security)?;
    let key = existing_key(security).map_err(SecretKeyError::from)?;
    let part = beside(file, ".part");
    let opened = claim(&part)?;
    let written = write(&opened, &part, database, url, key.as_ref(), now)
        .and_then(|manifest| put_in_place(&opened, &part, file).map(|()| manifest));
    if written.is_err() {
        // The error that is reported is the first one; the next backup writes over what remains.
        let _ = fs::remove_file(&part);
    }
    written
}

fn write(
    opened: &File,
    part: &Path,
    database: &Database,
    url: &DatabaseUrl,
    key: Option<&crate::settings::SecretKey>,
    now: Timestamp,
) -> Result<Manifest, BackupError> {
    let mut writer = Writer::new(opened, part, kind_of(url), key, now);
    database.export(&mut writer)?;
    let manifest = writer.close()?;
    opened.sync_all().map_err(BackupError::of_file(part))?;
    Ok(manifest)
}

/// The path of a file whose name is longer by `suffix`.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The directory that a file is in.
fn directory_of(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Opens the file that becomes the backup, empty and locked. An earlier run that was killed may have left it.
fn claim(part: &Path) -> Result<File, BackupError> {
    let failed = BackupError::of_file(part);
    loop {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let opened = options.open(part).map_err(&failed)?;
        match opened.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(BackupError::Running(part.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // A run that ended between the two steps has given this very file its final name.
        if is_at(&opened, part) {
            opened.set_len(0).map_err(&failed)?;
            #[cfg(unix)]
            opened
                .set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
                .map_err(&failed)?;
            return Ok(opened);
        }
    }
}

/// True if the path still leads to the open file.
#[cfg(unix)]
fn is_at(opened: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    let there = fs::metadata(path).ok().map(identity);
    there.is_some() && there == opened.metadata().ok().map(identity)
}

/// Elsewhere a file that is open cannot be renamed.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

fn put_in_place(opened: &File, part: &Path, file: &Path) -> Result<(), BackupError> {
    let renamed = fs::rename(part, file).and_then(|()| sync_directory(directory_of(file)));
    let _ = opened.unlock();
    renamed.map_err(BackupError::of_file(file))
}

/// Puts the names in a directory on the disk.
fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Writes a file that was not there, for its owner alone, whole or not at all.
fn write_private(file: &Path, text: &str) -> io::Result<()> {
    let directory = directory_of(file);
    let mut draft = tempfile::Builder::new()
        .prefix(".restored.")
        .tempfile_in(directory)?;
    draft.write_all(text.as_bytes())?;
    draft.as_file().sync_all()?;
    draft.persist_noclobber(file).map_err(|lost| lost.error)?;
    sync_directory(directory)
}
