//! Verification of the journal file on the disk.
//!
//! A commit is written at the position where the library believes the journal to end. If another program truncates the
//! file while it is open, as log cleaners do, the next commit is written after a gap: it succeeds, but a process that
//! opens the database later finds nothing after the gap. So the file is compared with its content after the last
//! commit.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use diesel::prelude::*;
use diesel::sql_types::Integer;
use storage::{StoreError, StoreErrorKind};

use super::files::beside;
use super::pressure::Pressure;
use crate::engine::RepeatedFailures;
use crate::error::from_diesel;

const OPERATION: &str = "check journal";

/// Size in bytes of the journal's header, before the first frame.
const HEADER: usize = 32;
/// Size in bytes of a frame's header, before its page.
const FRAME_HEADER: usize = 24;
/// Value of the first four bytes, except for the lowest bit.
const MAGIC: u32 = 0x377f_0682;

/// Number of checks that must find the journal truncated before it counts as truncated.
const TRUNCATION_PROOFS: usize = 2;
/// Number of checks before the state of the journal is left undecided, and the pause between two of them.
/// A check is inconclusive while another process commits, which may take as long as the machine lets another program
/// run.
const MAX_CHECKS: usize = 200;
const PAUSE: Duration = Duration::from_millis(5);

/// Extent of the journal that is written, and of the part that is in the database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, QueryableByName)]
pub(super) struct Progress {
    /// Frames in the journal.
    #[diesel(sql_type = Integer)]
    pub(super) log: i32,
    /// Number of these frames that are checkpointed.
    #[diesel(sql_type = Integer)]
    pub(super) checkpointed: i32,
}

impl Progress {
    /// True if the database has everything. Another process that changes the journal leaves this unknown, as -1 frames.
    pub(super) const fn is_complete(self) -> bool {
        self.log >= 0 && self.log == self.checkpointed
    }
}

/// End of the last commit: the bytes of its last frame, which nothing overwrites before the journal restarts with
/// another salt.
#[derive(Debug)]
struct LastFrame {
    salt: [u8; 8],
    at: u64,
    bytes: Vec<u8>,
}

#[derive(Debug, Default)]
struct KnownState {
    file: Option<File>,
    tail: Option<LastFrame>,
    /// Bytes in use.
    bytes: u64,
}

/// Journal of one database, shared by the writer and the checkpoint thread.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    known: Mutex<KnownState>,
    is_truncated: AtomicBool,
    /// State of the journal relative to its limit.
    pub(super) pressure: Pressure,
    /// Checkpoints that failed.
    pub(super) failures: RepeatedFailures,
}

impl Journal {
    /// Creates the journal beside the database at `path`, which should use no more than `limit` bytes.
    pub(super) fn beside(path: &Path, limit: u64) -> Self {
        Self {
            path: beside(path, "-wal"),
            known: Mutex::default(),
            is_truncated: AtomicBool::new(false),
            pressure: Pressure::new(path, limit),
            failures: RepeatedFailures::default(),
        }
    }

    /// Returns the length of the file, which may be longer than the part in use.
    pub(super) fn length(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |journal| journal.len())
    }

    /// True once the file was found truncated.
    /// Its content is lost, so this stays true until the process ends: nothing of it may be checkpointed into the
    /// database, because that would overwrite the database with gaps.
    pub(super) fn is_truncated(&self) -> bool {
        self.is_truncated.load(Ordering::Acquire)
    }

    /// Compares the file with the committed data, through a connection without a transaction, and records how much of
    /// it is in use.
    /// Returns the progress of the journal, and the number of bytes by which it grew.
    ///
    /// # Errors
    /// [`StoreErrorKind::Unavailable`] if it was truncated, or cannot be read.
    pub(super) fn verify(
        &self,
        connection: &mut SqliteConnection,
    ) -> Result<(Progress, u64), StoreError> {
        if self.is_truncated() {
            return Err(truncated());
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut proofs = 0;
        for _ in 0..MAX_CHECKS {
            match self.check(&mut known, connection)? {
                CheckResult::Whole(progress) => {
                    return Ok((progress, self.pressure.note(known.bytes)));
                }
                CheckResult::Open => std::thread::park_timeout(PAUSE),
                CheckResult::Truncated if proofs + 1 < TRUNCATION_PROOFS => proofs += 1,
                CheckResult::Truncated => {
                    self.is_truncated.store(true, Ordering::Release);
                    tracing::error!("{TRUNCATED}");
                    return Err(truncated());
                }
            }
        }
        Err(unavailable().with_detail("other processes commit continuously"))
    }

    /// Compares the file once with the library's own state.
    fn check(
        &self,
        known: &mut KnownState,
        connection: &mut SqliteConnection,
    ) -> Result<CheckResult, StoreError> {
        let now = |connection: &mut SqliteConnection| {
            progress(connection).map_err(|error| from_diesel(OPERATION, error))
        };
        let progress = now(connection)?;
        let agrees = known.agrees(&self.path, progress.log);
        let agrees = agrees.map_err(|error| unavailable().with_source(error))?;
        Ok(match agrees {
            Some(true) => CheckResult::Whole(progress),
            // Between the two reads, nothing may have been committed and the journal may not have restarted.
            Some(false) if progress.log == now(connection)?.log => CheckResult::Truncated,
            Some(false) | None => CheckResult::Open,
        })
    }
}

/// Result of a check of the journal.
enum CheckResult {
    /// All committed data is present.
    Whole(Progress),
    /// Committed data is missing.
    Truncated,
    /// Undecided, because another process was committing.
    Open,
}

/// Returns the extent of the journal according to the library: -1 frames while another process changes it.
pub(super) fn progress(connection: &mut SqliteConnection) -> QueryResult<Progress> {
    diesel::sql_query("PRAGMA wal_checkpoint(NOOP)").get_result(connection)
}

fn unavailable() -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, OPERATION)
}

const TRUNCATED: &str = "the journal of the database (-wal) was truncated while the server was running; writes that were \
    not yet in the database are lost; stop the process that truncates it, and restart the server";

fn truncated() -> StoreError {
    unavailable().with_detail(TRUNCATED)
}

impl KnownState {
    /// True if the file has this many frames, the last of which ends a commit, and still has the end of the previous
    /// commit.
    /// `None` if the number is unknown.
    fn agrees(&mut self, path: &Path, frames: i32) -> std::io::Result<Option<bool>> {
        let frames = match u64::try_from(frames) {
            Err(_) => return Ok(None),
            // Everything is in the database, and nothing has been written since.
            Ok(0) => {
                self.tail = None;
                self.bytes = 0;
                return Ok(Some(true));
            }
            Ok(frames) => frames,
        };
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(File::open(path)?),
        };
        let Some(header) = read_at(file, 0, HEADER)?.and_then(|bytes| JournalHeader::parse(&bytes))
        else {
            return Ok(Some(false));
        };
        if let Some(tail) = self.tail.as_ref().filter(|tail| tail.salt == header.salt)
            && read_at(file, tail.at, tail.bytes.len())?.as_ref() != Some(&tail.bytes)
        {
            return Ok(Some(false));
        }
        let size = FRAME_HEADER + header.page;
        let at = HEADER as u64 + (frames - 1) * size as u64;
        let Some(bytes) = read_at(file, at, size)?.filter(|bytes| header.ends_a_commit(bytes))
        else {
            return Ok(Some(false));
        };
        self.bytes = at + size as u64;
        self.tail = Some(LastFrame {
            salt: header.salt,
            at,
            bytes,
        });
        Ok(Some(true))
    }
}

/// Content of the journal's header.
struct JournalHeader {
    page: usize,
    salt: [u8; 8],
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

impl JournalHeader {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let is_journal = number(bytes, 0)? & !1 == MAGIC;
        let page = usize::try_from(number(bytes, 8)?).ok()?;
        let salt = bytes.get(16..24)?.try_into().ok()?;
        is_journal.then_some(Self { page, salt })
    }

    /// True for a frame of this journal that ends a commit: it contains the size of the database after the commit.
    fn ends_a_commit(&self, frame: &[u8]) -> bool {
        number(frame, 4).is_some_and(|pages| pages > 0)
            && frame.get(8..16) == Some(self.salt.as_slice())
    }
}

/// Reads this many bytes from `at`; `None` if the file ends before that.
fn read_at(file: &mut File, at: u64, length: usize) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(at))?;
    match file.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt as _;

    use diesel::connection::SimpleConnection as _;

    use super::super::open;
    use super::*;

    /// Creates a database with a table, its journal, and a connection that writes.
    fn database() -> (tempfile::TempDir, Journal, SqliteConnection) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("db.sqlite3");
        open::prepare_file(&path).unwrap();
        let mut connection = open::writer(&path, open::Durability::OnDisk).unwrap();
        connection
            .batch_execute("CREATE TABLE t (x TEXT NOT NULL)")
            .unwrap();
        (directory, Journal::beside(&path, u64::MAX), connection)
    }

    fn insert(connection: &mut SqliteConnection) {
        connection
            .batch_execute("INSERT INTO t VALUES (hex(randomblob(2000)))")
            .unwrap();
    }

    fn cut(journal: &Journal, length: u64) {
        let file = File::options().write(true).open(&journal.path).unwrap();
        file.set_len(length).unwrap();
    }

    #[test]
    fn a_journal_that_grows_begins_anew_and_is_emptied_is_whole() {
        let (_kept, journal, mut connection) = database();
        for mode in ["PASSIVE", "RESTART", "TRUNCATE"] {
            for _ in 0..3 {
                insert(&mut connection);
                let (progress, _) = journal.verify(&mut connection).unwrap();
                assert!(progress.log > progress.checkpointed);
            }
            connection
                .batch_execute(&format!("PRAGMA wal_checkpoint({mode})"))
                .unwrap();
            let (progress, _) = journal.verify(&mut connection).unwrap();
            assert_eq!(progress.log, progress.checkpointed);
        }
    }

    #[test]
    fn another_connection_may_write_in_between() {
        let (directory, journal, mut connection) = database();
        let mut other = open::writer(
            &directory.path().join("db.sqlite3"),
            open::Durability::OnDisk,
        )
        .unwrap();
        for _ in 0..3 {
            insert(&mut connection);
            journal.verify(&mut connection).unwrap();
            insert(&mut other);
        }
        journal.verify(&mut connection).unwrap();
    }

    #[test]
    fn a_cut_is_noticed_wherever_it_is_and_the_next_commit_does_not_hide_it() {
        for part in [0, 1, 8, 15, 16] {
            for writes in [false, true] {
                let (_kept, journal, mut connection) = database();
                for _ in 0..8 {
                    insert(&mut connection);
                }
                journal.verify(&mut connection).unwrap();
                let length = journal.length();
                // The last cut removes the end of the last page and no more.
                cut(&journal, (length * part / 16).min(length - 1));
                if writes {
                    insert(&mut connection);
                }
                let noticed = journal.verify(&mut connection).unwrap_err();
                assert_eq!(noticed.kind(), StoreErrorKind::Unavailable);
                assert!(journal.is_truncated());
            }
        }
    }

    /// A commit changes both copies of the library's state of the journal, one after the other, and its thread may be
    /// stopped in between.
    #[test]
    fn a_commit_in_progress_is_not_reported_as_truncation() {
        let (directory, journal, mut connection) = database();
        insert(&mut connection);
        journal.verify(&mut connection).unwrap();
        let mut other = open::writer(
            &directory.path().join("db.sqlite3"),
            open::Durability::OnDisk,
        )
        .unwrap();
        other.batch_execute("BEGIN IMMEDIATE").unwrap();
        let shared = beside(&directory.path().join("db.sqlite3"), "-shm");
        let shared = File::options().write(true).open(shared).unwrap();
        let first_copy_of_changes = 8;
        let set = |number: u32| {
            shared
                .write_all_at(&number.to_ne_bytes(), first_copy_of_changes)
                .unwrap();
        };
        let mut before = [0; 4];
        let read = File::open(beside(&directory.path().join("db.sqlite3"), "-shm")).unwrap();
        read.read_exact_at(&mut before, first_copy_of_changes)
            .unwrap();
        set(u32::from_ne_bytes(before) + 1);
        let open = journal.verify(&mut connection).unwrap_err();
        assert!(
            open.to_string()
                .contains("other processes commit continuously"),
            "{open}"
        );
        assert!(!journal.is_truncated());
        set(u32::from_ne_bytes(before));
        other.batch_execute("COMMIT").unwrap();
        journal.verify(&mut connection).unwrap();
    }

    #[test]
    fn looks_beside_commits_find_the_journal_whole() {
        let (directory, journal, mut connection) = database();
        let mut looking = open::writer(
            &directory.path().join("db.sqlite3"),
            open::Durability::OnDisk,
        )
        .unwrap();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let looker = scope.spawn(|| {
                let mut looks = 0;
                while !is_over.load(Ordering::Acquire) {
                    journal.verify(&mut looking).unwrap();
                    looks += 1;
                }
                looks
            });
            for number in 0..500 {
                insert(&mut connection);
                if number % 100 == 0 {
                    let anew = "PRAGMA wal_checkpoint(RESTART)";
                    connection.batch_execute(anew).unwrap();
                }
            }
            is_over.store(true, Ordering::Release);
            assert!(looker.join().unwrap() > 0);
        });
        assert!(!journal.is_truncated());
    }

    #[test]
    fn truncation_of_the_latest_commit_is_detected() {
        let (_kept, journal, mut connection) = database();
        insert(&mut connection);
        journal.verify(&mut connection).unwrap();
        let before = journal.length();
        insert(&mut connection);
        cut(&journal, before);
        journal.verify(&mut connection).unwrap_err();
    }
}
