//! Files of the database, and the check that they are still the ones that were opened.

use std::path::{Path, PathBuf};

use storage::{StoreError, StoreErrorKind};

/// Identity of the file behind a name: its device, and its inode on that device.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(path: &Path) -> std::io::Result<Identity> {
    use std::os::unix::fs::MetadataExt as _;

    let found = std::fs::metadata(path)?;
    Ok((found.dev(), found.ino()))
}

/// Always returns the same identity, because on other systems an open file cannot be deleted or replaced.
#[cfg(not(unix))]
fn identity(path: &Path) -> std::io::Result<Identity> {
    std::fs::metadata(path).map(|_| (0, 0))
}

/// Returns the path of a file beside the database, whose name has the additional `suffix`.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Database file and journal as they were when the store was opened.
///
/// A process can continue to write to a file that was deleted or renamed, and loses all those writes when it ends. So
/// nothing is acknowledged unless the names still refer to the open files.
#[derive(Debug, Clone)]
pub(super) struct Files {
    database: (PathBuf, Identity),
    journal: (PathBuf, Option<Identity>),
}

impl Files {
    /// Returns the files at `path` as they are now.
    pub(super) fn at(path: &Path) -> std::io::Result<Self> {
        Ok(Self {
            database: (path.to_owned(), identity(path)?),
            journal: (beside(path, "-wal"), None),
        })
    }

    /// Checks that the files still exist.
    ///
    /// # Errors
    /// [`StoreErrorKind::Unavailable`] if one was deleted or replaced. After it is put back, the check succeeds again.
    pub(super) fn verify_present(&mut self) -> Result<(), StoreError> {
        let (path, opened) = &self.database;
        if identity(path).ok() != Some(*opened) {
            return Err(missing_file("the database file"));
        }
        // The first commit creates the journal, which exists as long as a connection is open.
        let (path, opened) = &mut self.journal;
        match (identity(path).ok(), &opened) {
            (Some(found), None) => *opened = Some(found),
            (found, Some(opened)) if found != Some(*opened) => {
                return Err(missing_file("the journal"));
            }
            _ => {}
        }
        Ok(())
    }
}

fn missing_file(which: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, "check database files").with_detail(format!(
        "{which} was deleted or replaced while the server was running; restore it or restart the server"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_replaced_or_deleted_is_noticed_until_it_is_back() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("db.sqlite3");
        let aside = directory.path().join("aside");
        std::fs::write(&path, "database").unwrap();
        let mut files = Files::at(&path).unwrap();
        files.verify_present().unwrap();
        std::fs::rename(&path, &aside).unwrap();
        files.verify_present().unwrap_err();
        std::fs::write(&path, "another").unwrap();
        files.verify_present().unwrap_err();
        std::fs::rename(&aside, &path).unwrap();
        files.verify_present().unwrap();
        let journal = beside(&path, "-wal");
        std::fs::write(&journal, "journal").unwrap();
        files.verify_present().unwrap();
        std::fs::remove_file(&journal).unwrap();
        files.verify_present().unwrap_err();
    }
}
