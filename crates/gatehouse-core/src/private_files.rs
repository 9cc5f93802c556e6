//! Files and directories that only their owner may use: the data directory and its contents.
//!
//! They are created with these permissions. Existing ones keep the permissions that an administrator gave them, perhaps
//! for a group that makes backups; they are reported instead, at startup and by `gatehouse check`. Only the file of the
//! secret key is refused outright: anyone who reads it can forge the server's signatures.

use std::fmt;
use std::fs::{self, DirBuilder};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// Creates a directory that only its owner may access, and its missing parents.
///
/// # Errors
/// When it cannot be created, for instance because a file has its name.
pub fn create_directory(path: &Path) -> Result<()> {
    if path.exists() && !path.is_dir() {
        return Err(Error::new(
            ErrorKind::NotADirectory,
            "it is not a directory",
        ));
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// A file or directory that users other than its owner may access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExposedFile {
    path: PathBuf,
    mode: u32,
    is_directory: bool,
}

/// States the problem, with the command that fixes it.
impl fmt::Display for ExposedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, mode) = (self.path.display(), self.mode);
        if self.is_directory {
            write!(
                f,
                "other users can access the directory {path} (mode {mode:04o}); run `chmod 700 {path}`"
            )
        } else {
            write!(
                f,
                "other users can access the file {path} (mode {mode:04o}); run `chmod 600 {path}`"
            )
        }
    }
}

/// Lists the paths that users other than their owner may access. Missing paths are skipped.
pub fn exposed(paths: impl IntoIterator<Item = PathBuf>) -> Vec<ExposedFile> {
    paths.into_iter().filter_map(exposure_of).collect()
}

/// Checks the permissions of a path.
fn exposure_of(path: PathBuf) -> Option<ExposedFile> {
    let metadata = fs::metadata(&path).ok()?;
    let mode = permission_bits(&metadata);
    let is_directory = metadata.is_dir();
    (mode & 0o077 != 0).then_some(ExposedFile {
        path,
        mode,
        is_directory,
    })
}

/// Returns the permission bits of a file.
#[cfg(unix)]
pub fn permission_bits(metadata: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777
}

/// On other systems, the permissions of the directory apply.
#[cfg(not(unix))]
pub fn permission_bits(_metadata: &fs::Metadata) -> u32 {
    0
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn created_directories_are_accessible_only_to_their_owner() {
        let place = tempfile::tempdir().unwrap();
        let deep = place.path().join("one/two");
        create_directory(&deep).unwrap();
        for path in [deep.parent().unwrap(), &deep] {
            assert_eq!(permission_bits(&fs::metadata(path).unwrap()), 0o700);
        }
        fs::set_permissions(&deep, fs::Permissions::from_mode(0o750)).unwrap();
        create_directory(&deep).unwrap();
        assert_eq!(permission_bits(&fs::metadata(&deep).unwrap()), 0o750);
        let file = place.path().join("file");
        fs::write(&file, "").unwrap();
        let error = create_directory(&file).unwrap_err();
        assert_eq!(error.to_string(), "it is not a directory");
    }
}
