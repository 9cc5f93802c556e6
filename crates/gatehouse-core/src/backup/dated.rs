//! Backups with dated names in a directory, of which the oldest are deleted.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use api_conventions::time::Timestamp;

use super::{Backup, BackupError, Manifest};

/// Beginning of the name of a dated backup.
const PREFIX: &str = "gatehouse-";
/// End of the name of a dated backup.
const SUFFIX: &str = "Z.tar";
/// Name of the unfinished backup in the directory; the next one overwrites what a killed one left.
const PART: &str = "gatehouse.tar.part";

/// A new backup with a dated name.
#[derive(Debug)]
#[non_exhaustive]
pub struct DatedBackup {
    /// File of the backup.
    pub file: PathBuf,
    /// Manifest of the backup.
    pub manifest: Manifest,
    /// Older backups that were deleted.
    pub deleted: Vec<PathBuf>,
}

impl Backup<'_> {
    /// Writes a backup into a directory, with a name such as `gatehouse-20261129T014500Z.tar`. Afterwards deletes the
    /// oldest files with such names, so that `keep` remain. Other files are left alone.
    ///
    /// # Errors
    /// See [`BackupError`]. After a failed backup nothing is deleted.
    pub fn write_into(
        &self,
        directory: &Path,
        keep: Option<NonZeroUsize>,
    ) -> Result<DatedBackup, BackupError> {
        let file = directory.join(name_at(self.now));
        let manifest = self.write(&directory.join(PART), &file)?;
        let deleted = match keep {
            Some(keep) => delete_oldest(directory, keep)?,
            None => Vec::new(),
        };
        Ok(DatedBackup {
            file,
            manifest,
            deleted,
        })
    }
}

/// Returns the name of a backup, whose order is that of the times.
pub(super) fn name_at(now: Timestamp) -> String {
    let text = now.to_string();
    let digits = text.chars().filter(|c| c.is_ascii_digit() || *c == 'T');
    let seconds: String = digits.take("20261129T014500".len()).collect();
    format!("{PREFIX}{seconds}{SUFFIX}")
}

/// True if a name is that of a dated backup.
fn is_dated(name: &str) -> bool {
    let time = name
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX));
    let halves = time.and_then(|time| time.split_once('T'));
    halves.is_some_and(|(day, time)| {
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        (day.len(), time.len()) == (8, 6) && is_digits(day) && is_digits(time)
    })
}

/// Returns the dated backups in a directory, the oldest first.
pub(super) fn list(directory: &Path) -> Result<Vec<PathBuf>, BackupError> {
    let failed = BackupError::of_file(directory);
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).map_err(&failed)? {
        let entry = entry.map_err(&failed)?;
        let is_file = entry.file_type().map_err(&failed)?.is_file();
        let name = entry.file_name().into_string().unwrap_or_default();
        if is_file && is_dated(&name) {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names.into_iter().map(|name| directory.join(name)).collect())
}

fn delete_oldest(directory: &Path, keep: NonZeroUsize) -> Result<Vec<PathBuf>, BackupError> {
    let mut files = list(directory)?;
    files.truncate(files.len().saturating_sub(keep.get()));
    for file in &files {
        fs::remove_file(file).map_err(BackupError::of_file(file))?;
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_backup_is_its_time_in_seconds() {
        let at = |micros| name_at(Timestamp::from_micros(micros).unwrap());
        assert_eq!(at(0), "gatehouse-19700101T000000Z.tar");
        assert_eq!(at(1_795_916_700_123_456), "gatehouse-20261129T014500Z.tar");
        assert!(is_dated(&at(0)));
    }

    #[test]
    fn other_names_are_not_those_of_dated_backups() {
        for name in [
            "gatehouse.tar",
            "gatehouse-20261129T014500Z.tar.part",
            "gatehouse-20261129T01450Z.tar",
            "gatehouse-20261129T0145000Z.tar",
            "gatehouse-2026112ÄT014500Z.tar",
            "gatehouse-before-the-upgrade.tar",
            "my-gatehouse-20261129T014500Z.tar",
        ] {
            assert!(!is_dated(name), "{name}");
        }
    }
}
