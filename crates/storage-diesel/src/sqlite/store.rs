//! The store over a file.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use diesel::SqliteConnection;
use storage::{Capabilities, GroupWork, Pending, Store, StoreError, StoreErrorKind};

use super::checkpoint::{Checkpointer, WriterPart};
use super::{SqliteReadTx, SqliteWriteTx, open};
use crate::engine::{Backend, Queue, Readers, WriterHandle, WriterStats};
use crate::error::OpenError;
use crate::migrate;

/// How an embedded store behaves.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    /// Reading connections, each with a thread.
    pub readers: u32,
    /// Writes that may wait; more are refused.
    pub queue_jobs: usize,
    /// Bytes that waiting writes may hold.
    pub queue_bytes: usize,
    /// How long a write may wait before it is refused unwritten.
    pub deadline: Duration,
}

impl Default for SqliteOptions {
    /// Four readers, 4096 writes of 64 MiB together, five seconds.
    fn default() -> Self {
        Self {
            readers: 4,
            queue_jobs: 4096,
            queue_bytes: 64 << 20,
            deadline: Duration::from_secs(5),
        }
    }
}

/// The embedded store: one thread writes, several read, and an answer is given after the commit is on the disk.
pub struct SqliteStore {
    path: PathBuf,
    writer: WriterHandle<SqliteBackend>,
    readers: Readers<SqliteConnection>,
    checkpointer: Checkpointer,
    closed: Mutex<bool>,
}

impl SqliteStore {
    /// Opens the database in the file at `path`, which is made when it is missing. Its tables may be missing or
    /// old: see [`Self::migrate`].
    ///
    /// # Errors
    /// When the file cannot be made or opened.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "options are made for one store and handed over to it"
    )]
    pub fn open(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self, OpenError> {
        let path = path.as_ref().to_owned();
        open::prepare_file(&path)?;
        let checkpointer = Checkpointer::start(&path)?;
        let backend = SqliteBackend {
            connection: open::writer(&path)?,
            checkpoint: checkpointer.writer_part(&path),
        };
        let queue = Queue::new(options.queue_jobs, options.queue_bytes);
        let readers = usize::try_from(options.readers.max(1)).unwrap_or(1);
        let database = path.clone();
        // Each reader owns its connection. The threads of a pool would hold one now and then when the store is closed
        // already, and the files of the journal stay as long as any connection is open.
        let connect = move || {
            let unavailable =
                |error| StoreError::new(StoreErrorKind::Unavailable, "connect").with_source(error);
            open::reader(&database).map(Box::new).map_err(unavailable)
        };
        Ok(Self {
            writer: WriterHandle::start(vec![backend], queue, options.deadline)?,
            readers: Readers::start(connect, readers, "BEGIN")?,
            checkpointer,
            closed: Mutex::new(false),
            path,
        })
    }

    /// Brings the tables up to date. Any number of processes may do so at once; one of them does the work.
    ///
    /// # Errors
    /// When a step fails; the steps before it stay applied.
    pub fn migrate(&self) -> Result<(), OpenError> {
        let _lock = open::lock(&self.path)?;
        migrate::sqlite(&mut open::writer(&self.path)?)
    }

    /// The steps that [`Self::migrate`] would apply.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn pending_migrations(&self) -> Result<Vec<String>, OpenError> {
        migrate::pending_on_sqlite(&mut open::writer(&self.path)?)
    }

    /// What is wrong with the file itself, in the library's own words; empty when it is sound. This reads the whole file,
    /// and compares each index with its table: a page that was overwritten makes lists and look-ups wrong long before
    /// a statement fails. What stands in a page has no checksum, so a changed text goes unnoticed.
    ///
    /// # Errors
    /// When the file is so broken that it cannot be asked.
    pub fn damages(&self) -> Result<Vec<String>, OpenError> {
        open::damages(&self.path)
    }

    /// What the writer has done so far.
    pub fn writer_stats(&self) -> WriterStats {
        self.writer.stats()
    }

    /// Takes nothing more, finishes what was accepted, and closes the file. A second call does nothing.
    pub fn close(&self) {
        let mut closed = self
            .closed
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if !std::mem::replace(&mut *closed, true) {
            self.writer.close();
            self.readers.close();
            self.checkpointer.stop();
        }
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.close();
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Store for SqliteStore {
    type ReadTx<'t> = SqliteReadTx<'t>;
    type WriteTx<'t> = SqliteWriteTx<'t>;

    fn read<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.readers
            .read(move |connection| work(&mut SqliteReadTx { connection }))
    }

    fn write<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::WriteTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.writer.write(work)
    }

    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<Self::WriteTx<'t>>,
    {
        self.writer.write_grouped(work)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            durable: true,
            concurrent_writers: false,
            multi_process: true,
        }
    }
}

/// The writer's connection.
struct SqliteBackend {
    connection: SqliteConnection,
    checkpoint: WriterPart,
}

impl Backend for SqliteBackend {
    type Connection = SqliteConnection;
    type WriteTx<'t> = SqliteWriteTx<'t>;

    /// The lock is taken at once: a transaction that reads first and writes later would have to be given up when
    /// another process wrote meanwhile.
    const BEGIN: &'static str = "BEGIN IMMEDIATE";
    const COMMIT: &'static str = "COMMIT";

    fn connection(&mut self) -> Result<&mut SqliteConnection, StoreError> {
        Ok(&mut self.connection)
    }

    /// A connection to a file is not lost.
    fn suspect(&mut self) {}

    fn write_tx(connection: &mut SqliteConnection) -> SqliteWriteTx<'_> {
        SqliteWriteTx { connection }
    }

    fn between_batches(&mut self, written: usize) {
        self.checkpoint.after_commit(&mut self.connection, written);
    }
}
