//! Backups that a running server writes by itself.
//!
//! The dated files in the directory are the schedule's state: a backup is due when the newest one is older than the
//! interval. So servers that share the directory take turns, and a restart changes nothing.

use std::convert::Infallible;
use std::error::Error;
use std::iter::successors;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use api_conventions::time::Timestamp;
use storage_diesel::TransferError;
use tokio::task::spawn_blocking;

use super::{Backup, BackupError, KeyHandling, Passphrase, dated};
use crate::database::Database;
use crate::jobs::{BackgroundJob, BackgroundJobs};
use crate::settings::{DatabaseUrl, SecuritySettings};

/// Longest rest between two parts of a backup.
const LONGEST_REST: Duration = Duration::from_secs(2);

/// Configured schedule of backups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupSchedule {
    /// Directory of the backups.
    pub directory: PathBuf,
    /// Time between two backups, in hours.
    pub every_hours: u32,
    /// Number of backups to keep.
    pub keep: NonZeroUsize,
    /// File with the passphrase that encrypts the secret key in the backups; `None` if they contain it as it is.
    pub passphrase_file: Option<PathBuf>,
}

/// Newest backup in the directory of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastBackup {
    /// File of the backup.
    pub file: PathBuf,
    /// Time at which it was complete.
    pub finished_at: Timestamp,
    /// Size in bytes.
    pub bytes: u64,
}

/// Scheduled backups of a server.
#[derive(Debug)]
pub struct ScheduledBackups {
    schedule: Option<BackupSchedule>,
    last: Mutex<Option<LastBackup>>,
}

impl ScheduledBackups {
    /// Creates the state of a schedule, if there is one.
    pub fn new(schedule: Option<BackupSchedule>) -> Self {
        Self {
            schedule,
            last: Mutex::default(),
        }
    }

    /// Schedule; `None` if the server writes no backups.
    pub fn schedule(&self) -> Option<&BackupSchedule> {
        self.schedule.as_ref()
    }

    /// Newest backup, as of the last run of the job; `None` if there is none.
    pub fn last(&self) -> Option<LastBackup> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.clone()
    }

    /// Writes a backup if one is due, and returns it.
    fn run(
        &self,
        source: &BackupSource,
        now: Timestamp,
        pace: &Pace,
    ) -> Result<Option<LastBackup>, BackupError> {
        let Some(schedule) = &self.schedule else {
            return Ok(None);
        };
        let newest = dated::list(&schedule.directory)?.pop();
        let interval = 3600 * i64::from(schedule.every_hours);
        let limit = dated::name_at(now.plus_seconds(-interval));
        let limit = schedule.directory.join(limit);
        let is_due = newest.as_ref().is_none_or(|file| *file <= limit);
        let written = if is_due {
            source.write(schedule, now, pace)?
        } else {
            None
        };
        let file = written.as_ref().or(newest.as_ref());
        let last = file.map(|file| describe(file, now)).transpose()?;
        let mut known = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        known.clone_from(&last);
        Ok(last.filter(|_| written.is_some()))
    }
}

/// Reads the size and the time of a backup.
fn describe(file: &Path, now: Timestamp) -> Result<LastBackup, BackupError> {
    let failed = BackupError::of_file(file);
    let metadata = file.metadata().map_err(&failed)?;
    let modified = metadata.modified().map_err(&failed)?;
    let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    let micros = i64::try_from(since.as_micros()).ok();
    Ok(LastBackup {
        file: file.to_owned(),
        finished_at: micros.and_then(Timestamp::from_micros).unwrap_or(now),
        bytes: metadata.len(),
    })
}

/// Database that the server backs up.
#[derive(Debug, Clone)]
pub struct BackupSource {
    /// Database.
    pub database: Arc<Database>,
    /// URL of the database.
    pub url: DatabaseUrl,
    /// Settings that name the secret key.
    pub security: SecuritySettings,
}

impl BackupSource {
    /// Writes a backup, and returns its file; `None` if another server is writing one to the directory.
    fn write(
        &self,
        schedule: &BackupSchedule,
        now: Timestamp,
        pace: &Pace,
    ) -> Result<Option<PathBuf>, BackupError> {
        let file = schedule.passphrase_file.as_deref();
        let passphrase = file.map(Passphrase::read).transpose()?;
        let key = passphrase.as_ref();
        let backup = Backup {
            database: &self.database,
            url: &self.url,
            security: &self.security,
            key: key.map_or(KeyHandling::Plain, KeyHandling::Encrypt),
            now,
            pace: Some(pace),
        };
        match backup.write_into(&schedule.directory, Some(schedule.keep)) {
            Ok(dated) => Ok(Some(dated.file)),
            Err(BackupError::Running(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The server stopped during a backup.
#[derive(Debug, thiserror::Error)]
#[error("the server stopped")]
struct Stopped;

/// Pauses between the parts of a backup, so that requests come first, and its end when the server stops.
#[derive(Debug)]
pub struct Pace(Mutex<Receiver<Infallible>>);

impl Pace {
    /// Creates a pace. It ends the backup when the sender is dropped.
    fn new() -> (Sender<Infallible>, Self) {
        let (running, receiver) = channel();
        (running, Self(Mutex::new(receiver)))
    }

    /// Rests for as long as the last part took.
    pub(super) fn rest(&self, took: Duration) -> Result<(), TransferError> {
        let running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match running.recv_timeout(took.min(LONGEST_REST)) {
            Err(RecvTimeoutError::Disconnected) => Err(TransferError::OtherEnd(Box::new(Stopped))),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Ok(never) => match never {},
        }
    }
}

/// Writes backups as scheduled, until the task is dropped.
pub async fn back_up_regularly(
    jobs: BackgroundJobs,
    source: BackupSource,
    backups: Arc<ScheduledBackups>,
) {
    let run = async |now| {
        let (source, backups) = (source.clone(), Arc::clone(&backups));
        let (_running, pace) = Pace::new();
        let written = spawn_blocking(move || backups.run(&source, now, &pace)).await;
        let written = written.unwrap_or(Err(BackupError::BrokeOff));
        if let Some(last) = written.map_err(|error| with_causes(&error))? {
            let (file, bytes) = (last.file.display(), last.bytes);
            tracing::info!(backup.file = %file, backup.bytes = bytes, "backup written");
        }
        Ok::<(), String>(())
    };
    jobs.repeat(BackgroundJob::BackUp, run).await;
}

/// Formats an error with its causes.
fn with_causes(error: &(dyn Error + 'static)) -> String {
    let causes = successors(Some(error), |&error| error.source());
    let texts: Vec<String> = causes.map(ToString::to_string).collect();
    texts.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{DatabaseSettings, SecretKey, TokenPrefix};

    const HOUR: i64 = 3600;

    fn source(directory: &Path) -> BackupSource {
        let url = DatabaseUrl::Sqlite(directory.join("db.sqlite3"));
        let database = crate::database::open(&DatabaseSettings::at(url.clone())).unwrap();
        database.migrate().unwrap();
        BackupSource {
            database: Arc::new(database),
            url,
            security: SecuritySettings {
                secret_key: SecretKey::parse(&"5a".repeat(32)),
                secret_key_file: directory.join("secret.key"),
                token_prefix: TokenPrefix::default(),
            },
        }
    }

    #[test]
    fn a_backup_is_written_when_it_is_due_and_the_oldest_is_deleted() {
        let directory = tempfile::tempdir().unwrap();
        let source = source(directory.path());
        let kept = directory.path().join("backups");
        let backups = ScheduledBackups::new(Some(BackupSchedule {
            directory: kept.clone(),
            every_hours: 24,
            keep: NonZeroUsize::new(2).unwrap(),
            passphrase_file: None,
        }));
        let (running, pace) = Pace::new();
        let start = Timestamp::from_micros(1_795_916_700_000_000).unwrap();
        let run = |hours: i64| backups.run(&source, start.plus_seconds(hours * HOUR), &pace);
        let error = with_causes(&run(0).unwrap_err());
        assert!(error.contains("backups: No such file"), "{error}");
        std::fs::create_dir(&kept).unwrap();
        let first = run(0).unwrap().unwrap();
        assert_eq!(first.file, kept.join("gatehouse-20261129T014500Z.tar"));
        assert!(first.bytes > 0);
        assert_eq!(run(23).unwrap(), None);
        assert_eq!(backups.last(), Some(first.clone()));
        let second = run(24).unwrap().unwrap();
        let third = run(48).unwrap().unwrap();
        assert_eq!(backups.last().as_ref(), Some(&third));
        let files = dated::list(&kept).unwrap();
        assert_eq!(files, [second.file, third.file]);
        // A server that stops ends the backup, and leaves the older ones.
        drop(running);
        assert!(run(72).is_err());
        assert_eq!(dated::list(&kept).unwrap(), files);
        // Another server is writing one.
        let part = std::fs::File::create(kept.join("gatehouse.tar.part")).unwrap();
        part.lock().unwrap();
        assert_eq!(run(72).unwrap(), None);
    }

    #[test]
    fn the_secret_key_is_encrypted_with_the_passphrase_that_a_file_has_then() {
        let directory = tempfile::tempdir().unwrap();
        let source = source(directory.path());
        let kept = directory.path().join("backups");
        std::fs::create_dir(&kept).unwrap();
        let file = directory.path().join("passphrase");
        let backups = ScheduledBackups::new(Some(BackupSchedule {
            directory: kept,
            every_hours: 24,
            keep: NonZeroUsize::new(2).unwrap(),
            passphrase_file: Some(file.clone()),
        }));
        let (_running, pace) = Pace::new();
        let run = || backups.run(&source, Timestamp::MIN, &pace);
        for short in [None, Some("eleven char\n")] {
            if let Some(text) = short {
                std::fs::write(&file, text).unwrap();
            }
            assert!(run().is_err(), "{short:?}");
        }
        std::fs::write(&file, "twelve or more\n").unwrap();
        let written = run().unwrap().unwrap();
        let right = Passphrase::read(&file).unwrap();
        crate::backup::check_backup(&written.file, Some(&right)).unwrap();
        std::fs::write(&file, "something else\n").unwrap();
        let wrong = Passphrase::read(&file).unwrap();
        let refused = crate::backup::check_backup(&written.file, Some(&wrong)).unwrap_err();
        assert!(matches!(refused, BackupError::WrongPassphrase), "{refused}");
    }
}
