//! Files of a backup: written beside their final name, locked, and renamed last.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::BackupError;

/// Returns the path of a file with `suffix` appended to its name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Returns the directory of a file.
pub(super) fn directory_of(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Opens the file that becomes the backup, empty and locked. A killed earlier run may have left it behind.
pub(super) fn claim(part: &Path) -> Result<File, BackupError> {
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

/// Renames a finished backup to its final name, and releases its lock.
pub(super) fn put_in_place(opened: &File, part: &Path, file: &Path) -> Result<(), BackupError> {
    let renamed = fs::rename(part, file).and_then(|()| sync_directory(directory_of(file)));
    let _ = opened.unlock();
    renamed.map_err(BackupError::of_file(file))
}

/// Syncs the entries of a directory to disk.
fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Creates a file that only its owner can read, atomically. Fails if the file exists.
pub(super) fn write_private(file: &Path, text: &str) -> io::Result<()> {
    let directory = directory_of(file);
    let mut draft = tempfile::Builder::new()
        .prefix(".restored.")
        .tempfile_in(directory)?;
    draft.write_all(text.as_bytes())?;
    draft.as_file().sync_all()?;
    draft.persist_noclobber(file).map_err(|lost| lost.error)?;
    sync_directory(directory)
}
