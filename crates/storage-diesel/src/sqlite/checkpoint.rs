//! Checkpoints of the journal into the database, without making writers wait.
//!
//! The long part of a checkpoint runs on a thread of its own. It can never finish while writers append, so it then
//! requests a short one from the writer between two batches: by then there is little left to write or to wait for, and
//! once the journal is fully checkpointed, the next commit restarts it, unless a reader still uses it. Among many readers there
//! is always one, and a long journal makes each of them slower. So a gate holds back those that begin, for some milliseconds,
//! until those that run have ended: a reader that begins after the last round needs the database alone.
//!
//! The journal keeps its length, because overwriting it is faster than extending it. A bulk load, or a reader that
//! blocked a checkpoint, may have made it long; in that case, the thread truncates it once little is written and no connection
//! uses it.
//!
//! Writes in a quiet period are checkpointed after a while as well, so that the database file is never far behind.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;

use super::journal::{Journal, Progress, progress};
use crate::engine::{ReadGate, log_first, log_repeated};
use crate::error::OpenError;

/// Bytes written after which the journal is checkpointed.
const SOFT_BYTES: u64 = 64 << 20;
/// Size above which the journal is long: the writer does its part even if it has to wait for the disk, and the thread truncates
/// the journal once little is written.
const LONG_BYTES: u64 = 160 << 20;
/// Frames written in the interval from which on the journal is in use, and not truncated: its next frames would extend it again,
/// and writers would wait for the truncation.
const FEW_FRAMES: u32 = 256;
/// Interval between two checks of the journal's size.
const INTERVAL: Duration = Duration::from_secs(1);
/// Longest wait of the thread for the end of the running reads.
const THREAD_WAIT: Duration = Duration::from_millis(25);
/// Longest wait of the writer for the same, which all writes share.
const WRITER_WAIT: Duration = Duration::from_millis(15);

/// Maximum number of rounds of the thread before the writer does its part.
/// A checkpoint waits for the disk to sync the database only when it reaches the current end of the journal. The first
/// round takes long, and writers append in the meantime, so it does not reach the end; of the later rounds, which have
/// little left to write, some do, and they wait for the disk in this thread, where no caller waits for them. Without
/// these rounds, the writer would wait for everything that the first round wrote: with a million alerts, whose
/// identities are spread over an index, a fifth of a second.
const ROUNDS: usize = 32;

/// Checkpoints as much as possible without making any connection wait.
fn passive(connection: &mut SqliteConnection) -> QueryResult<Progress> {
    diesel::sql_query("PRAGMA wal_checkpoint(PASSIVE)").get_result(connection)
}

/// Checkpoints the existing frames, and those appended in the meantime, until the end of the journal is reached, a read takes
/// longer, or the rounds are over. Returns true if the end is reached.
fn rounds(connection: &mut SqliteConnection, gate: &ReadGate) -> QueryResult<bool> {
    passive(connection)?;
    for _ in 1..ROUNDS {
        let Some(_closed) = gate.close(THREAD_WAIT) else {
            break;
        };
        passive(connection)?;
        if progress(connection)?.is_complete() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Checkpoints what is left while no read runs, so that the next commit restarts the journal. It stays as it is if a read takes
/// longer.
fn finish(connection: &mut SqliteConnection, gate: &ReadGate) -> QueryResult<()> {
    let closed = gate.close(WRITER_WAIT);
    closed.map_or(Ok(()), |_closed| passive(connection).map(drop))
}

/// Truncates the journal if no connection reads or writes at this time, and the database has everything of it, without waiting
/// for either: a truncation excludes the writer, which would wait for all that is left to be written.
fn truncate_if_done(connection: &mut SqliteConnection) -> QueryResult<()> {
    if !passive(connection)?.is_complete() {
        return Ok(());
    }
    connection.batch_execute("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE);")
}

#[derive(Debug, Default)]
struct Signals {
    requests: Mutex<CheckpointRequests>,
    changed: Condvar,
    short_requested: AtomicBool,
}

#[derive(Debug, Default)]
struct CheckpointRequests {
    checkpoint: bool,
    stop: bool,
}

impl Signals {
    fn set(&self, change: impl FnOnce(&mut CheckpointRequests)) {
        change(&mut self.requests.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_one();
    }

    /// Waits for the request of a checkpoint, or for the interval.
    /// Returns `None` if the thread has to end, else true if a checkpoint was requested.
    fn wait(&self) -> Option<bool> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut requests, _) = self
            .changed
            .wait_timeout_while(requests, INTERVAL, |requests| {
                !requests.checkpoint && !requests.stop
            })
            .unwrap_or_else(PoisonError::into_inner);
        (!requests.stop).then(|| std::mem::take(&mut requests.checkpoint))
    }
}

/// Checkpoint thread.
#[derive(Debug)]
pub(super) struct Checkpointer {
    signals: Arc<Signals>,
    journal: Arc<Journal>,
    gate: Arc<ReadGate>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Checkpointer {
    /// Starts the thread.
    /// It checkpoints everything `within` this time, even if little is written.
    pub(super) fn start(
        (connection, journal, gate): (SqliteConnection, &Arc<Journal>, &Arc<ReadGate>),
        within: Duration,
    ) -> Result<Self, OpenError> {
        let signals = Arc::new(Signals::default());
        let mut work = CheckpointThread {
            connection,
            journal: Arc::clone(journal),
            gate: Arc::clone(gate),
            frames: 0,
            lag: CheckpointLag::new(within),
        };
        let mine = Arc::clone(&signals);
        let work = move || {
            while let Some(is_requested) = mine.wait() {
                work.turn(is_requested, &mine.short_requested);
            }
            work.end();
        };
        let thread = Builder::new()
            .name("store-checkpoint".to_owned())
            .spawn(work)?;
        Ok(Self {
            signals,
            journal: Arc::clone(journal),
            gate: Arc::clone(gate),
            thread: Mutex::new(Some(thread)),
        })
    }

    pub(super) fn writer_part(&self) -> WriterPart {
        WriterPart {
            signals: Arc::clone(&self.signals),
            journal: Arc::clone(&self.journal),
            gate: Arc::clone(&self.gate),
            growth: JournalGrowth::default(),
        }
    }

    pub(super) fn stop(&self) {
        self.signals.set(|requests| requests.stop = true);
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the checkpoint thread panicked");
        }
    }
}

/// State of the thread.
struct CheckpointThread {
    connection: SqliteConnection,
    journal: Arc<Journal>,
    gate: Arc<ReadGate>,
    /// Frames in the journal at the last turn.
    frames: i32,
    lag: CheckpointLag,
}

impl CheckpointThread {
    /// Checks the journal once, and does the work that is due.
    fn turn(&mut self, is_requested: bool, short_requested: &AtomicBool) {
        // A gap must not get into the database. The finding is already logged.
        let Ok((progress, _)) = self.journal.verify(&mut self.connection) else {
            return;
        };
        let is_late = self.lag.is_late(progress, Instant::now());
        let written = progress
            .log
            .abs_diff(std::mem::replace(&mut self.frames, progress.log));
        let is_long = self.journal.length() > LONG_BYTES && written < FEW_FRAMES
            || self.journal.pressure.is_past();
        let connection = &mut self.connection;
        let outcome = if is_requested {
            rounds(connection, &self.gate).map(|is_done| {
                // Otherwise the writer would wait for the disk, so it does that only if the journal becomes long.
                let is_due = is_done || self.journal.pressure.state().bytes > LONG_BYTES;
                short_requested.store(is_due, Ordering::Release);
            })
        } else if is_long {
            truncate_if_done(connection)
        } else if is_late {
            passive(connection).map(drop)
        } else {
            Ok(())
        };
        if let Err(error) = outcome {
            log_first!(
                self.journal.failures,
                warn,
                error,
                "WAL checkpoint failed; retrying (further ones are counted)"
            );
        }
        if is_requested || is_long {
            let _ = self.journal.verify(connection);
        }
        self.journal.pressure.assess();
        let repeated = self.journal.failures.due(Instant::now());
        log_repeated!(repeated, warn, "WAL checkpoints failed");
    }

    fn end(self) {
        if self.journal.is_truncated() {
            // Closing the last connection would checkpoint it.
            std::mem::forget(self.connection);
        }
    }
}

/// Time since which the database lacks frames of the journal.
#[derive(Debug)]
struct CheckpointLag {
    within: Duration,
    since: Option<Instant>,
    checkpointed: i32,
}

impl CheckpointLag {
    fn new(within: Duration) -> Self {
        Self {
            within,
            since: None,
            checkpointed: 0,
        }
    }

    /// True if frames have been missing for the maximum time, and no checkpoint has made progress in the meantime.
    fn is_late(&mut self, progress: Progress, now: Instant) -> bool {
        let moved = progress.checkpointed != self.checkpointed;
        self.checkpointed = progress.checkpointed;
        if progress.log <= progress.checkpointed {
            self.since = None;
            return false;
        }
        let since = match self.since {
            Some(since) if !moved => since,
            _ => now,
        };
        let is_late = now.saturating_duration_since(since) >= self.within;
        self.since = Some(if is_late { now } else { since });
        is_late
    }
}

/// Part of the writer in checkpoints.
#[derive(Debug)]
pub(super) struct WriterPart {
    signals: Arc<Signals>,
    journal: Arc<Journal>,
    gate: Arc<ReadGate>,
    growth: JournalGrowth,
}

impl WriterPart {
    /// Does the work that is due after a commit.
    pub(super) fn after_commit(&mut self, connection: &mut SqliteConnection) {
        let used = self.journal.pressure.state().bytes;
        let has_restarted = used < self.growth.used;
        let is_due = self.growth.commit(used);
        let short_one =
            self.signals.short_requested.swap(false, Ordering::AcqRel) && !has_restarted;
        let outcome = if short_one {
            finish(connection, &self.gate)
        } else {
            Ok(())
        };
        if let Err(error) = outcome {
            log_first!(
                self.journal.failures,
                warn,
                error,
                "WAL checkpoint failed; retrying (further ones are counted)"
            );
        }
        if is_due {
            self.signals.set(|requests| requests.checkpoint = true);
        }
    }

    /// Pauses for as long as a journal past its limit requires, after a batch that extended it by `grown` bytes.
    pub(super) fn pause(&self, grown: u64) {
        let pressure = &self.journal.pressure;
        if let Some(pause) = pressure.pause(grown) {
            std::thread::park_timeout(pause);
        } else if pressure.is_past() {
            // The thread tries to checkpoint it, and decides what to do if that fails.
            self.signals.set(|requests| requests.checkpoint = true);
        }
    }
}

/// Bytes written since the last request for a checkpoint.
#[derive(Debug, Default)]
struct JournalGrowth {
    written: u64,
    used: u64,
}

impl JournalGrowth {
    /// Updates the counters after a commit, since which `used` bytes of the journal are in use. Returns true if a checkpoint
    /// is due.
    fn commit(&mut self, used: u64) -> bool {
        // A journal that has less in use than before has restarted.
        let before = if used < self.used { 0 } else { self.used };
        self.used = used;
        self.written += used - before;
        let is_due = self.written > SOFT_BYTES;
        if is_due {
            self.written = 0;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::super::open::{self, Durability};
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn every_write_counts_also_in_a_journal_that_has_restarted() {
        let mut growth = JournalGrowth::default();
        assert!(!growth.commit(40 * MIB));
        assert!(growth.commit(80 * MIB));
        assert!(!growth.commit(100 * MIB));
        assert!(!growth.commit(30 * MIB), "20 and 30 since the request");
        assert!(growth.commit(45 * MIB));
    }

    /// Opens three connections to a new file with a table.
    fn connections() -> (tempfile::TempDir, [SqliteConnection; 3]) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("db.sqlite3");
        open::prepare_file(&path).unwrap();
        let mut all = [(); 3].map(|()| open::writer(&path, Durability::Discarded).unwrap());
        let rows = "CREATE TABLE t (a); INSERT INTO t VALUES (1);";
        all[0].batch_execute(rows).unwrap();
        (directory, all)
    }

    #[test]
    fn a_journal_with_readers_restarts_once_they_have_ended() {
        let (_directory, [mut writer, mut reader, _]) = connections();
        let gate = ReadGate::default();
        let running = gate.pass();
        reader.batch_execute("BEGIN; SELECT * FROM t;").unwrap();
        let mut insert_and_restart = || {
            writer.batch_execute("INSERT INTO t VALUES (1);").unwrap();
            finish(&mut writer, &gate).unwrap();
            writer.batch_execute("INSERT INTO t VALUES (1);").unwrap();
            passive(&mut writer).unwrap().log
        };
        let grown = insert_and_restart();
        assert!(grown > 3, "{grown}");
        reader.batch_execute("COMMIT;").unwrap();
        drop(running);
        assert_eq!(insert_and_restart(), 1);
        assert_eq!(insert_and_restart(), 1);
    }

    #[test]
    fn a_journal_is_truncated_once_the_database_has_all_of_it() {
        let (_directory, [mut writer, mut reader, mut thread]) = connections();
        reader.batch_execute("BEGIN; SELECT * FROM t;").unwrap();
        writer.batch_execute("INSERT INTO t VALUES (1);").unwrap();
        truncate_if_done(&mut thread).unwrap();
        let left = passive(&mut thread).unwrap();
        assert!(left.log > left.checkpointed, "{left:?}");
        reader.batch_execute("COMMIT;").unwrap();
        truncate_if_done(&mut thread).unwrap();
        assert_eq!(passive(&mut thread).unwrap(), Progress::default());
    }

    #[test]
    fn frames_are_late_after_their_limit_unless_a_checkpoint_progresses() {
        let second = Duration::from_secs(1);
        let (start, mut lag) = (Instant::now(), CheckpointLag::new(3 * second));
        let mut is_late = |log, checkpointed, seconds: u32| {
            let progress = Progress { log, checkpointed };
            lag.is_late(progress, start + seconds * second)
        };
        assert!(!is_late(0, 0, 0));
        assert!(!is_late(5, 0, 10));
        assert!(!is_late(9, 0, 12));
        assert!(is_late(9, 0, 13));
        assert!(!is_late(9, 0, 14), "a checkpoint was just attempted");
        assert!(!is_late(20, 9, 16), "the checkpoint made progress");
        assert!(is_late(20, 9, 19));
        assert!(!is_late(20, 20, 30));
        assert!(!is_late(21, 20, 31));
    }
}
