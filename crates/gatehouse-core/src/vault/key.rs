//! The file of the secret key, used if the configuration does not contain the key.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use api_conventions::secret::SecretSource as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use crate::private_files::{create_directory, permission_bits};
use crate::randomness::OsRandomness;
use crate::settings::SecretKey;

/// Maximum length of a key file, in bytes.
const LONGEST: u64 = 4_096;

/// Reason why the key is unavailable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file cannot be created.
    #[error("cannot create the key file {}; set security.secret_key to use a key without a file", file.display())]
    Create {
        /// Path of the file.
        file: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// The file cannot be read.
    #[error("cannot read the key file {}", file.display())]
    Read {
        /// Path of the file.
        file: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// Users other than the owner can access the file.
    #[error("other users can access the key file {} (mode {mode:04o}); run `chmod 600` on it", file.display())]
    Exposed {
        /// Path of the file.
        file: PathBuf,
        /// Permission bits of the file.
        mode: u32,
    },
    /// The file contains no valid key.
    #[error("the key file {} does not contain a key; write at least 32 bytes in hexadecimal or base64", file.display())]
    NoKey {
        /// Path of the file.
        file: PathBuf,
    },
}

/// Returns the key in the file, which is created if it does not exist.
/// Processes that start at the same time end up with the same key: the first to put its file in place wins, and all
/// read that file.
pub(super) fn read_or_create(file: &Path) -> Result<SecretKey, KeyError> {
    let found = match File::open(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            create(file).map_err(|source| KeyError::Create {
                file: file.to_owned(),
                source,
            })?;
            File::open(file)
        }
        other => other,
    };
    let failed = |source| KeyError::Read {
        file: file.to_owned(),
        source,
    };
    read(found.map_err(failed)?, file)
}

/// Returns the key in the file, if it exists. Creates nothing.
pub(super) fn read_existing(file: &Path) -> Result<Option<SecretKey>, KeyError> {
    match File::open(file) {
        Ok(opened) => read(opened, file).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(KeyError::Read {
            file: file.to_owned(),
            source,
        }),
    }
}

fn read(opened: File, file: &Path) -> Result<SecretKey, KeyError> {
    let failed = |source| KeyError::Read {
        file: file.to_owned(),
        source,
    };
    let mode = permission_bits(&opened.metadata().map_err(failed)?);
    if mode & 0o077 != 0 {
        return Err(KeyError::Exposed {
            file: file.to_owned(),
            mode,
        });
    }
    let mut text = Zeroizing::new(String::new());
    let read = opened.take(LONGEST).read_to_string(&mut text);
    read.map_err(failed)?;
    SecretKey::parse(&text).ok_or_else(|| KeyError::NoKey {
        file: file.to_owned(),
    })
}

/// Writes a key to a temporary file and moves it into place atomically, unless the file exists by then.
fn create(file: &Path) -> io::Result<()> {
    let directory = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    create_directory(directory)?;
    let mut bytes = Zeroizing::new([0_u8; SecretKey::LEAST_BYTES]);
    OsRandomness.fill(bytes.as_mut_slice());
    let text = Zeroizing::new(STANDARD.encode(bytes.as_slice()));
    // A temporary file is accessible only to its owner from the start.
    let mut draft = tempfile::Builder::new()
        .prefix(".secret.key.")
        .tempfile_in(directory)?;
    writeln!(draft, "{}", text.as_str())?;
    draft.as_file().sync_all()?;
    match draft.persist_noclobber(file) {
        Ok(_) => File::open(directory)?.sync_all(),
        Err(lost) if lost.error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(lost) => Err(lost.error),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    #[test]
    fn a_missing_key_is_created_readable_only_by_its_owner_and_kept() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("data/secret.key");
        let first = read_or_create(&file).unwrap();
        assert_eq!(permission_bits(&fs::metadata(&file).unwrap()), 0o600);
        assert_eq!(read_or_create(&file).unwrap().as_bytes(), first.as_bytes());
        let entries = fs::read_dir(file.parent().unwrap()).unwrap().count();
        assert_eq!(entries, 1, "no other file is left behind");
    }

    #[test]
    fn starts_at_the_same_time_end_with_the_same_key() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("secret.key");
        let start = Barrier::new(8);
        let keys: Vec<SecretKey> = thread::scope(|scope| {
            let begin = || {
                start.wait();
                read_or_create(&file).unwrap()
            };
            let running: Vec<_> = (0..8).map(|_| scope.spawn(begin)).collect();
            running.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|key| key.as_bytes() == keys[0].as_bytes()));
    }

    #[test]
    fn a_key_that_others_may_read_is_refused_with_the_remedy() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("secret.key");
        read_or_create(&file).unwrap();
        for mode in [0o640, 0o604, 0o666] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            let refusal = read_or_create(&file).unwrap_err().to_string();
            assert!(
                refusal.contains(&format!("(mode {mode:04o}); run `chmod 600` on it")),
                "{refusal}"
            );
        }
    }

    #[test]
    fn a_file_without_a_key_is_reported_and_kept() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("secret.key");
        fs::write(&file, "swordfish").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(matches!(read_or_create(&file), Err(KeyError::NoKey { .. })));
        assert_eq!(fs::read_to_string(&file).unwrap(), "swordfish");
    }
}
