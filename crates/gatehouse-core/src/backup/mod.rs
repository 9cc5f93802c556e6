//! Backups: one file with all rows of a database at one instant, its secret key, and a manifest of both.
//!
//! The file is a tar archive that common tools can read: `tables/NAME/NUMBER.jsonl.zst` holds rows of a table, one JSON
//! object a line; `secret.key` is the key; `manifest.json` lists every part with its digest, and `manifest.json.sha256`
//! is the digest of the manifest. See ADR 43 for the reasons.

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
pub use restore::{RestoredBackup, restore};

use crate::database::Database;
use crate::settings::{DatabaseUrl, SecuritySettings};
use crate::signing_keys::{SecretKeyError, check_secret_key};
use crate::vault::existing_key;
use writer::Writer;

/// Name of the secret key in the archive.
const SECRET_KEY: &str = "secret.key";
/// Name of the manifest in the archive.
const MANIFEST: &str = "manifest.json";
/// Name of the manifest's digest in the archive, in the format that `sha256sum --check` reads.
const MANIFEST_DIGEST: &str = "manifest.json.sha256";

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
    /// The backup is of another kind of database.
    #[error(
        "the backup is from a {of} database, but {configured} is configured; set --database to a {of} database"
    )]
    OtherDatabase {
        /// Kind of the database in the backup.
        of: String,
        /// Configured database.
        configured: String,
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

/// Writes everything in the database at this instant to `file`, readable only by its owner. Servers may keep running.
/// An existing file of that name is replaced only once the new one is complete and on disk.
///
/// # Errors
/// See [`BackupError`]. A backup without the key that sealed its rows would be useless, so it is refused.
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
        // The first error is the one reported; the next backup overwrites what remains.
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

/// Returns the path of a file with `suffix` appended to its name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Returns the directory of a file.
fn directory_of(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Opens the file that becomes the backup, empty and locked. A killed earlier run may have left it behind.
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
        // A run that ended between the two steps has already renamed this file to its final name.
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

/// True if the path still points to the open file.
#[cfg(unix)]
fn is_at(opened: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    let there = fs::metadata(path).ok().map(identity);
    there.is_some() && there == opened.metadata().ok().map(identity)
}

/// On other systems, an open file cannot be renamed.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

fn put_in_place(opened: &File, part: &Path, file: &Path) -> Result<(), BackupError> {
    let renamed = fs::rename(part, file).and_then(|()| sync_directory(directory_of(file)));
    let _ = opened.unlock();
    renamed.map_err(BackupError::of_file(file))
}

/// Syncs the entries of a directory to disk.
fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Creates a file that only its owner can read, atomically. Fails if the file exists.
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
