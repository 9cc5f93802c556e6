//! What only its owner may use: the directory of the data, and the files in it.
//!
//! Everything is made so. What is there already keeps the rights that an administrator gave it, perhaps to a group that
//! makes backups; it is told instead, at the start and by `gatehouse check`. Only the file of the secret key is refused
//! outright: anyone who reads it can forge what the server signs.

use std::fmt;
use std::fs::{self, DirBuilder};
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// Makes a directory that nobody but its owner may enter, with those above it that are missing.
///
/// # Errors
/// When it cannot be made, for instance because a file has its name.
pub fn make_directory(path: &Path) -> Result<()> {
    if path.exists() && !path.is_dir() {
        return Err(Error::new(ErrorKind::NotADirectory, "it is no directory"));
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Something that others than its owner may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exposed {
    path: PathBuf,
    mode: u32,
    is_directory: bool,
}

/// In words, with the command that ends it.
impl fmt::Display for Exposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, mode) = (self.path.display(), self.mode);
        if self.is_directory {
            write!(
                f,
                "others may use the directory {path} (mode {mode:04o}); `chmod 700 {path}` keeps it to its owner"
            )
        } else {
            write!(
                f,
                "others may use the file {path} (mode {mode:04o}); `chmod 600 {path}` keeps it to its owner"
            )
        }
    }
}

/// Which of these others than their owner may use. What is not there is exposed to nobody.
pub fn exposed(paths: impl IntoIterator<Item = PathBuf>) -> Vec<Exposed> {
    paths.into_iter().filter_map(exposure_of).collect()
}

/// Finds out who may use a path.
fn exposure_of(path: PathBuf) -> Option<Exposed> {
    let metadata = fs::metadata(&path).ok()?;
    let mode = permission_bits(&metadata);
    let is_directory = metadata.is_dir();
    (mode & 0o077 != 0).then_some(Exposed {
        path,
        mode,
        is_directory,
    })
}

/// The bits that say who may do what with a file.
#[cfg(unix)]
pub fn permission_bits(metadata: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777
}

/// Elsewhere the rights of the directory rule.
#[cfg(not(unix))]
pub fn permission_bits(_metadata: &fs::Metadata) -> u32 {
    0
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn all_directories_that_are_made_are_for_their_owner_alone() {
        let place = tempfile::tempdir().unwrap();
        let deep = place.path().join("one/two");
        make_directory(&deep).unwrap();
        for path in [deep.parent().unwrap(), &deep] {
            assert_eq!(permission_bits(&fs::metadata(path).unwrap()), 0o700);
        }
        fs::set_permissions(&deep, fs::Permissions::from_mode(0o750)).unwrap();
        make_directory(&deep).unwrap();
        assert_eq!(permission_bits(&fs::metadata(&deep).unwrap()), 0o750);
        let file = place.path().join("file");
        fs::write(&file, "").unwrap();
        let error = make_directory(&file).unwrap_err();
        assert_eq!(error.to_string(), "it is no directory");
    }
}
