//! Temporary files of the tests in memory, where that is possible: databases of tests then never wait for a disk.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use tempfile::TempDir;

use crate::{environment, invoke};

/// File system in memory of Linux.
const MEMORY: &str = "/dev/shm";

/// Least free space with which the tests use memory, in bytes.
const NEEDED_BYTES: u64 = 4 << 30;

/// Creates a directory in memory, which is removed when it is dropped. `None` if the environment names a directory for
/// temporary files, or if there is too little memory.
///
/// # Errors
/// When the directory cannot be created.
pub(super) fn directory() -> Result<Option<TempDir>> {
    if environment::value("TMPDIR").is_some() || !has_space(Path::new(MEMORY)) {
        return Ok(None);
    }
    // A database server runs as another user if the tests run as root.
    let mut builder = tempfile::Builder::new();
    builder.prefix("gatehouse-tests-");
    let directory = builder.tempdir_in(MEMORY)?;
    std::fs::set_permissions(directory.path(), Permissions::from_mode(0o1777))?;
    Ok(Some(directory))
}

/// True if there is a file system in memory at this path, with enough free space.
fn has_space(path: &Path) -> bool {
    let mut df = Command::new("df");
    df.args(["--output=fstype,avail", "--block-size=1"])
        .arg(path);
    let output = invoke::capture(&mut df).unwrap_or_default();
    is_enough(&String::from_utf8_lossy(&output))
}

/// True if the last line of the output of `df` is a file system in memory with enough free bytes.
fn is_enough(output: &str) -> bool {
    let line = output.lines().last().unwrap_or_default();
    let mut words = line.split_whitespace();
    let is_memory = words.next() == Some("tmpfs");
    let free = words.next().and_then(|word| word.parse::<u64>().ok());
    is_memory && free.is_some_and(|bytes| bytes >= NEEDED_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_memory_with_enough_space_is_used() {
        let output = |line: &str| format!("Type  Avail\n{line}\n");
        assert!(is_enough(&output("tmpfs 4294967296")));
        assert!(!is_enough(&output("tmpfs 67108864")));
        assert!(!is_enough(&output("ext4 4294967296")));
        assert!(!is_enough(""));
    }
}
