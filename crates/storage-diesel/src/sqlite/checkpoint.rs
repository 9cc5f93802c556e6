//! Bringing the journal back into the database, without making writers wait for it.
//!
//! The long part of a checkpoint runs on a thread of its own. It can never finish while writers append, so it then
//! asks the writer for a short one between two batches: little is left by then, neither to write nor to wait for, and
//! once the journal is fully brought back the next commit starts it anew. If the journal grows past [`HARD_BYTES`] all the same, the writer
//! stops to do the work itself.
//!
//! The journal keeps its length, because writing over it again is faster than making it longer. A bulk load, or a reader
//! that held it back, may have made it long; when it is, the thread cuts it off as soon as nobody uses it.
//!
//! What is written in a quiet time is brought back after a while as well, so that the file of the database is never far behind.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;

use super::journal::{Journal, Progress};
use super::open::{self, Durability};
use crate::engine::{log_first, log_repeated};
use crate::error::OpenError;

/// Bytes written after which the journal is brought back.
const SOFT_BYTES: u64 = 64 << 20;
/// The size above which a journal that nobody uses is cut off: more than it has under steady load.
const LONG_BYTES: u64 = 160 << 20;
/// How often the size of the journal is looked at.
const INTERVAL: Duration = Duration::from_secs(1);
/// The size of the journal at which the writer stops to bring it back.
const HARD_BYTES: u64 = 256 << 20;
/// What a commit writes at least: the pages that it touches are written whole.
const BYTES_PER_COMMIT: u64 = 6 * 8192;

/// Rounds of the thread before the writer does its part, at most. A checkpoint waits for the disk to have the database
/// only when it reaches the end of the journal as it is at that time. The first round takes long, and writers append
/// meanwhile, so it does not; of the rounds after it, which have little left to write, some do, and so they wait, where
/// nobody waits for them. Without them the writer waits for all that the first round wrote: with a million alerts, whose
/// identities are all over an index, a fifth of a second.
const ROUNDS: usize = 32;

/// Brings back what can be brought back without making anyone wait.
fn passive(connection: &mut SqliteConnection) -> QueryResult<Progress> {
    diesel::sql_query("PRAGMA wal_checkpoint(PASSIVE)").get_result(connection)
}

/// Brings back what is there, and what was appended in the meantime, until nobody appends or the rounds are over.
fn rounds(connection: &mut SqliteConnection) -> QueryResult<()> {
    let mut before = passive(connection)?;
    for _ in 1..ROUNDS {
        let now = passive(connection)?;
        if now == before && now.log == now.checkpointed {
            break;
        }
        before = now;
    }
    Ok(())
}

/// Cuts the journal off, if nobody reads or writes at this time. It does not wait for that.
fn cut(connection: &mut SqliteConnection) -> QueryResult<()> {
    connection.batch_execute("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE);")
}

#[derive(Debug, Default)]
struct Signals {
    wanted: Mutex<Wanted>,
    changed: Condvar,
    short_one_wanted: AtomicBool,
}

#[derive(Debug, Default)]
struct Wanted {
    checkpoint: bool,
    stop: bool,
}

impl Signals {
    fn set(&self, change: impl FnOnce(&mut Wanted)) {
        change(&mut self.wanted.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_one();
    }

    /// Waits until a checkpoint is wanted, or for a while. `None` when the thread is to end, else whether it is wanted.
    fn wait(&self) -> Option<bool> {
        let wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut wanted, _) = self
            .changed
            .wait_timeout_while(wanted, INTERVAL, |wanted| {
                !wanted.checkpoint && !wanted.stop
            })
            .unwrap_or_else(PoisonError::into_inner);
        (!wanted.stop).then(|| std::mem::take(&mut wanted.checkpoint))
    }
}

/// The thread that checkpoints.
#[derive(Debug)]
pub(super) struct Checkpointer {
    signals: Arc<Signals>,
    journal: Arc<Journal>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Checkpointer {
    /// Starts the thread. It brings back what is not in the database `within` this time, also when little is written.
    pub(super) fn start(
        path: &Path,
        durability: Durability,
        journal: &Arc<Journal>,
        within: Duration,
    ) -> Result<Self, OpenError> {
        let signals = Arc::new(Signals::default());
        let mut work = Work {
            connection: open::writer(path, durability)?,
            journal: Arc::clone(journal),
            behind: Behind::new(within),
        };
        let mine = Arc::clone(&signals);
        let work = move || {
            while let Some(wanted) = mine.wait() {
                work.turn(wanted, &mine.short_one_wanted);
            }
            work.end();
        };
        let thread = Builder::new()
            .name("store-checkpoint".to_owned())
            .spawn(work)?;
        Ok(Self {
            signals,
            journal: Arc::clone(journal),
            thread: Mutex::new(Some(thread)),
        })
    }

    pub(super) fn writer_part(&self) -> WriterPart {
        WriterPart {
            signals: Arc::clone(&self.signals),
            journal: Arc::clone(&self.journal),
            growth: Growth::default(),
        }
    }

    pub(super) fn stop(&self) {
        self.signals.set(|wanted| wanted.stop = true);
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

/// What the thread works with.
struct Work {
    connection: SqliteConnection,
    journal: Arc<Journal>,
    behind: Behind,
}

impl Work {
    /// One look at the journal, and what is due then.
    fn turn(&mut self, wanted: bool, short_one_wanted: &AtomicBool) {
        // A gap must not get into the database. The log says what was found.
        let Ok((progress, _)) = self.journal.verify(&mut self.connection) else {
            return;
        };
        let is_late = self.behind.is_late(progress, Instant::now());
        let is_long = self.journal.length() > LONG_BYTES || self.journal.pressure.is_past();
        let connection = &mut self.connection;
        let outcome = if wanted {
            let brought_back = rounds(connection);
            short_one_wanted.store(true, Ordering::Release);
            brought_back
        } else if is_long {
            passive(connection).and_then(|_| cut(connection))
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
                "WAL checkpoint failed, will retry (further ones are counted)"
            );
        }
        if wanted || is_long {
            let _ = self.journal.verify(connection);
        }
        self.journal.pressure.assess();
        let repeated = self.journal.failures.due(Instant::now());
        log_repeated!(repeated, warn, "WAL checkpoints failed");
    }

    fn end(self) {
        if self.journal.is_cut() {
            // The last connection that is closed would bring it back.
            std::mem::forget(self.connection);
        }
    }
}

/// Since when the database lacks something that stands in the journal.
#[derive(Debug)]
struct Behind {
    within: Duration,
    since: Option<Instant>,
    checkpointed: i32,
}

impl Behind {
    fn new(within: Duration) -> Self {
        Self {
            within,
            since: None,
            checkpointed: 0,
        }
    }

    /// True if it has lacked something for as long as it may, and no checkpoint has got any further meanwhile.
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

/// What the writer does for the journal.
#[derive(Debug)]
pub(super) struct WriterPart {
    signals: Arc<Signals>,
    journal: Arc<Journal>,
    growth: Growth,
}

impl WriterPart {
    /// Called after every commit, which wrote about `bytes`.
    pub(super) fn after_commit(&mut self, connection: &mut SqliteConnection, bytes: usize) {
        let due = self.growth.commit(bytes, self.journal.length());
        let short_one = self.signals.short_one_wanted.swap(false, Ordering::AcqRel);
        let outcome = if short_one || due.by_the_writer {
            passive(connection).map(drop)
        } else {
            Ok(())
        };
        if let Err(error) = outcome {
            log_first!(
                self.journal.failures,
                warn,
                error,
                "WAL checkpoint failed, will retry (further ones are counted)"
            );
        }
        if due.by_the_thread {
            self.signals.set(|wanted| wanted.checkpoint = true);
        }
    }

    /// Pauses as long as a journal past its bound asks for, after a batch that made it longer by `grown` bytes.
    pub(super) fn pause(&self, grown: u64) {
        let pressure = &self.journal.pressure;
        if let Some(pause) = pressure.pause(grown) {
            std::thread::park_timeout(pause);
        } else if pressure.is_past() {
            // The thread tries to bring it back, and decides what is to be done if it cannot.
            self.signals.set(|wanted| wanted.checkpoint = true);
        }
    }
}

/// How much was written since the last checkpoint was asked for.
#[derive(Debug, Default)]
struct Growth {
    written: u64,
    length: u64,
}

/// Which checkpoints are due.
#[derive(Debug, PartialEq, Eq)]
struct Due {
    by_the_thread: bool,
    by_the_writer: bool,
}

impl Growth {
    /// After a commit that wrote about `bytes`, with the journal this long. Nobody knows what a closure writes, but
    /// what does not fit into the journal makes it longer; and what fits does no harm.
    fn commit(&mut self, bytes: usize, length: u64) -> Due {
        let grown = length.saturating_sub(self.length);
        self.length = length;
        self.written += grown.max(bytes as u64 * 2 + BYTES_PER_COMMIT);
        let due = Due {
            by_the_thread: self.written > SOFT_BYTES,
            by_the_writer: grown > 0 && length > HARD_BYTES,
        };
        if due.by_the_thread {
            self.written = 0;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;
    const NOTHING: Due = Due {
        by_the_thread: false,
        by_the_writer: false,
    };
    const THREAD: Due = Due {
        by_the_thread: true,
        ..NOTHING
    };

    #[test]
    fn closures_that_write_much_are_counted_by_what_they_make_of_the_journal() {
        let mut growth = Growth::default();
        assert_eq!(growth.commit(0, 40 * MIB), NOTHING);
        assert_eq!(growth.commit(0, 80 * MIB), THREAD);
        assert_eq!(growth.commit(0, 100 * MIB), NOTHING);
    }

    #[test]
    fn a_journal_that_grows_past_its_limit_is_brought_back_by_the_writer() {
        let mut growth = Growth::default();
        let due = growth.commit(0, HARD_BYTES + MIB);
        assert!(due.by_the_writer);
        // It keeps its length when it begins anew.
        assert_eq!(growth.commit(0, HARD_BYTES + MIB), NOTHING);
        assert!(growth.commit(0, HARD_BYTES + 2 * MIB).by_the_writer);
    }

    #[test]
    fn what_waits_in_the_journal_is_late_after_its_time_unless_a_checkpoint_goes_on() {
        let second = Duration::from_secs(1);
        let (start, mut behind) = (Instant::now(), Behind::new(3 * second));
        let mut is_late = |log, checkpointed, seconds: u32| {
            let progress = Progress { log, checkpointed };
            behind.is_late(progress, start + seconds * second)
        };
        assert!(!is_late(0, 0, 0));
        assert!(!is_late(5, 0, 10));
        assert!(!is_late(9, 0, 12));
        assert!(is_late(9, 0, 13));
        assert!(!is_late(9, 0, 14), "it was just tried");
        assert!(!is_late(20, 9, 16), "it went on");
        assert!(is_late(20, 9, 19));
        assert!(!is_late(20, 20, 30));
        assert!(!is_late(21, 20, 31));
    }

    #[test]
    fn what_is_written_over_the_journal_counts_by_its_weight() {
        let mut growth = Growth::default();
        growth.commit(0, 200 * MIB);
        assert_eq!(growth.commit(20 << 20, 200 * MIB), NOTHING);
        assert_eq!(growth.commit(20 << 20, 200 * MIB), THREAD);
    }
}
