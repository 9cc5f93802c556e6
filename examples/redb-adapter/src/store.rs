//! The store: one thread writes, six read, and a write completes after redb has synced it to disk.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use redb::{Database, ReadTransaction, ReadableDatabase as _, WriteTransaction};
use storage::{Capabilities, GroupWork, Lane, Pending, Store, StoreError, StoreErrorKind};

use crate::tables::{create_tables, failed};
use crate::transaction::RedbTx;
use crate::workers::{RedbLimits, Workers, catch};

/// Size of the page cache, in bytes.
const CACHE: usize = 64 << 20;
/// Threads for lists. A caller occupies at most half of them.
const READERS: usize = 4;
/// Threads for checks, each of which looks up a few rows.
const CHECKERS: usize = 2;
/// Time between two checks for expired jobs.
const TICK: Duration = Duration::from_millis(100);

/// Store of alerts and of the feed in one file, which only it may have open.
pub struct RedbStore {
    writer: Workers,
    readers: Workers,
    checkers: Workers,
    /// Dropping it ends the thread that expires jobs.
    _watched: Sender<()>,
    /// Dropped last: by then no thread uses it, so the file can be opened again.
    database: Arc<Database>,
}

impl RedbStore {
    /// Opens the database in the file at `path`, which is created if it does not exist.
    ///
    /// # Errors
    /// `Unavailable` when the file cannot be opened, for instance because another process has it open.
    pub fn open(path: impl AsRef<Path>, limits: RedbLimits) -> Result<Self, StoreError> {
        let mut options = Database::builder();
        let database = options.set_cache_size(CACHE).create(path);
        let database = database.map_err(failed("open the database"))?;
        create_tables(&database)?;
        let start = |threads, reads| Workers::start(threads, limits, reads).map_err(no_thread);
        let (writer, readers) = (start(1, false)?, start(READERS, true)?);
        let checkers = start(CHECKERS, true)?;
        let (watched, closed) = channel();
        let queues = [writer.queue(), readers.queue(), checkers.queue()];
        let watch = std::thread::Builder::new().name("redb-watchdog".to_owned());
        let watching = watch.spawn(move || {
            while closed.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                for queue in &queues {
                    queue.expire();
                }
            }
        });
        watching.map_err(no_thread)?;
        Ok(Self {
            writer,
            readers,
            checkers,
            _watched: watched,
            database: Arc::new(database),
        })
    }
}

fn no_thread(error: std::io::Error) -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, "start a thread").with_source(error)
}

impl std::fmt::Debug for RedbStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedbStore").finish_non_exhaustive()
    }
}

impl Store for RedbStore {
    type ReadTx<'t> = RedbTx<'t, ReadTransaction>;
    type WriteTx<'t> = RedbTx<'t, WriteTransaction>;

    fn read_in<T, E, F>(&self, lane: Lane, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (workers, caller) = match lane {
            Lane::Check => (&self.checkers, None),
            Lane::Caller(caller) => (&self.readers, Some(caller)),
            // New kinds of lanes are treated as other reads.
            _ => (&self.readers, None),
        };
        let database = Arc::clone(&self.database);
        workers.submit(caller, move |until| {
            let tx = database.begin_read().map_err(failed("begin a read"))?;
            work(&mut RedbTx::new(&tx, Some(until)))
        })
    }

    fn write<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> Fn(&mut Self::WriteTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let database = Arc::clone(&self.database);
        self.writer.submit(None, move |_| {
            let tx = database.begin_write().map_err(failed("begin a write"))?;
            // The panic is caught inside the transaction, because redb does not roll back while a thread unwinds.
            // Dropping a transaction rolls it back.
            let value = catch(|| work(&mut RedbTx::new(&tx, None)))?;
            tx.commit().map_err(failed("commit"))?;
            Ok(value)
        })
    }

    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<Self::WriteTx<'t>>,
    {
        self.write_alone(work)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            durable: true,
            concurrent_writers: false,
            multi_process: false,
        }
    }
}
