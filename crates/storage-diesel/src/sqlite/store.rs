//! Store in a file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use diesel::connection::SimpleConnection as _;
use diesel::{QueryResult, SqliteConnection};
use storage::{Capabilities, GroupWork, Lane, Pending, Store, StoreError, StoreErrorKind};
use tempfile::TempDir;

use super::checkpoint::{Checkpointer, WriterPart};
use super::files::Files;
use super::journal::Journal;
use super::open::Durability;
use super::pressure::{JournalState, room};
use super::{SqliteReadTx, SqliteWriteTx, open, template};
use crate::engine::{
    Backends, ConnectionOpener, ReadGate, ReaderPool, ReaderSettings, ReaderStats, Watchdog,
    WriterBackend, WriterHandle, WriterSettings, WriterStats,
};
use crate::error::{Health, OpenError};
use crate::transaction::Transaction as _;
use crate::transfer::{self, Import, RowSink, TransferError};
use crate::{health, migrate};

/// Threads for checks.
/// They look up single rows, so one is enough, and a second one helps while it waits.
const CHECKERS: usize = 2;

/// Time that a write may take in addition to its maximum wait.
const GRACE: Duration = Duration::from_secs(3);

/// Options of an embedded store.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    /// Read connections, each with a thread.
    pub readers: u32,
    /// Writes that may wait; more are refused.
    pub queue_jobs: usize,
    /// Bytes that waiting writes may hold.
    pub queue_bytes: usize,
    /// Time that a write may wait before it is refused without being run.
    pub deadline: Duration,
    /// Time that a read may take before it is stopped and refused, including the time that it waits.
    pub read_limit: Duration,
    /// Size of the journal in bytes past which writes are slowed down; at twice this size they are refused.
    /// Under load, with long reads of other processes such as backups, it may take up to 500 MB without a problem.
    pub journal_limit: u64,
    /// Maximum time that data may be in the journal alone before it is checkpointed into the database file.
    pub checkpoint_within: Duration,
}

impl Default for SqliteOptions {
    /// Four readers, 4096 waiting writes with 64 MiB in total, and five seconds for either; a journal limit of 512 MiB,
    /// and checkpoints within half a minute.
    fn default() -> Self {
        Self {
            readers: 4,
            queue_jobs: 4096,
            queue_bytes: 64 << 20,
            deadline: Duration::from_secs(5),
            read_limit: Duration::from_secs(5),
            journal_limit: 1 << 30,
            checkpoint_within: Duration::from_secs(30),
        }
    }
}

/// Embedded store: one thread writes, several read, and a write is answered after its commit is on the disk.
pub struct SqliteStore {
    path: PathBuf,
    durability: Durability,
    writer: WriterHandle<SqliteBackend>,
    readers: ReaderPool<SqliteConnection>,
    checkpointer: Checkpointer,
    journal: Arc<Journal>,
    watchdog: Watchdog,
    health: Arc<Health>,
    closed: Mutex<bool>,
    /// Directory of a [private](Self::in_memory) store, which is deleted after the store is closed.
    _directory: Option<TempDir>,
}

impl SqliteStore {
    /// Opens the database file at `path`, which is created if it is missing.
    /// Its tables may be missing or outdated: see [`Self::migrate`].
    ///
    /// # Errors
    /// If the file cannot be created or opened.
    pub fn open(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self, OpenError> {
        let path = path.as_ref().to_owned();
        open::prepare_file(&path)?;
        Self::open_at(path, options, None)
    }

    /// Creates an empty private store with all tables.
    /// No other process can open it, and it is deleted when it is dropped. It is for tests, examples and hosts that
    /// keep nothing.
    ///
    /// The tables of the domain crates are independent of each other, as in a host that embeds one crate: rows may
    /// refer to users and projects that do not exist. The rows are in a temporary directory rather than in memory
    /// alone, because readers of an in-memory database block its writer. Nothing is synced to the disk.
    ///
    /// # Errors
    /// If no file can be created in the directory for temporary files.
    pub fn in_memory() -> Result<Self, OpenError> {
        let (directory, path) = template::copy()?;
        let options = SqliteOptions {
            // Each connection reads all table definitions before its first statement, which takes longer than most
            // statements.
            readers: 2,
            ..SqliteOptions::default()
        };
        Self::open_at(path, options, Some(directory))
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "options belong to one store, which takes them over"
    )]
    fn open_at(
        path: PathBuf,
        options: SqliteOptions,
        directory: Option<TempDir>,
    ) -> Result<Self, OpenError> {
        let durability = match directory {
            Some(_) => Durability::Discarded,
            None => Durability::OnDisk,
        };
        // Before the first connection is opened: those of readers are limited, and the handler does no harm to the
        // others.
        sqlite_deadline::install()
            .map_err(|error| OpenError::File(std::io::Error::other(error)))?;
        let files = Files::at(&path)?;
        let journal = Arc::new(Journal::beside(&path, options.journal_limit));
        let mut connection = open::writer(&path, durability)?;
        // From here on, this includes the frames that an earlier process left in it.
        journal
            .verify(&mut connection)
            .map_err(OpenError::journal)?;
        let gate = Arc::new(ReadGate::default());
        let opened = (open::writer(&path, durability)?, &journal, &gate);
        let checkpointer = Checkpointer::start(opened, options.checkpoint_within)?;
        let backend = SqliteBackend {
            path: path.clone(),
            durability,
            connection: Some(connection),
            checkpoint: checkpointer.writer_part(),
            files,
            journal: Arc::clone(&journal),
            grown: 0,
        };
        let health = Arc::new(Health::default());
        let opening = || ConnectionOpener::new(open::existing(&path), open::configure_reader);
        let reading = ReaderSettings {
            readers: usize::try_from(options.readers).unwrap_or(1),
            checkers: CHECKERS,
            limit: options.read_limit,
            begin: "BEGIN".into(),
            within: |until, work| sqlite_deadline::within(until, work),
            gate,
        };
        let readers = ReaderPool::start(opening, &reading, &health)?;
        let backends = Backends {
            closures: vec![backend],
            groups: Vec::new(),
        };
        let writing = WriterSettings {
            queue_jobs: options.queue_jobs,
            queue_bytes: options.queue_bytes,
            wait: options.deadline,
            limit: options.deadline.saturating_add(GRACE),
        };
        let writer = WriterHandle::start(backends, &writing, &health)?;
        let watched = writer.watched().into_iter().chain(readers.watched());
        Ok(Self {
            watchdog: Watchdog::start(watched.collect())?,
            writer,
            readers,
            checkpointer,
            journal,
            health,
            closed: Mutex::new(false),
            path,
            durability,
            _directory: directory,
        })
    }

    /// Returns the path of the file.
    #[cfg(test)]
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Applies the pending migrations.
    /// Any number of processes may call this at once; one of them does the work.
    ///
    /// # Errors
    /// If a migration fails; the earlier ones stay applied.
    pub fn migrate(&self) -> Result<(), OpenError> {
        let _lock = open::lock(&self.path)?;
        migrate::sqlite(&mut open::writer(&self.path, self.durability)?)
    }

    /// Returns the migrations that [`Self::migrate`] would apply.
    ///
    /// # Errors
    /// If the database cannot be queried.
    pub fn pending_migrations(&self) -> Result<Vec<String>, OpenError> {
        migrate::list_pending(
            &mut open::writer(&self.path, self.durability)?,
            migrate::SQLITE,
        )
    }

    /// Checks that the store works: it accepts a write, which is on the disk afterwards, the disk has free space, the
    /// tables are those of this program, and no damage was found.
    ///
    /// The check costs a commit, so it is not for every request.
    pub fn health_check(&self) -> Pending<(), StoreError> {
        if let Err(error) =
            health::check_undamaged(&self.health).and_then(|()| has_room(&self.path))
        {
            return Pending::ready(Err(error));
        }
        self.writer.write(|tx| {
            let connection = tx.connection()?;
            migrate::is_current(connection, migrate::SQLITE)?;
            health::write_probe(connection)
        })
    }

    /// Returns the integrity errors of the file, in the library's own words; empty if there are none.
    /// The check reads the whole file, and compares each index with its table: an overwritten page makes lists and
    /// look-ups wrong long before a statement fails. The content of a page has no checksum, so a changed text goes
    /// unnoticed.
    ///
    /// # Errors
    /// If the file is too damaged to be queried.
    pub fn integrity_errors(&self) -> Result<Vec<String>, OpenError> {
        open::integrity_errors(&self.path)
    }

    /// Exports all rows as of one instant.
    /// Writers continue in the meantime. The tables are first copied to a file without a name beside the database, so
    /// that the journal grows only as long as that takes. If the disk has less than twice the room that the database
    /// takes, the journal grows until the export is done.
    ///
    /// # Errors
    /// See [`TransferError`].
    pub fn export(&self, sink: &mut dyn RowSink) -> Result<(), TransferError> {
        transfer::sqlite::export_file(&self.path, sink)
    }

    /// Creates the database at `path` from rows of [`Self::export`], and migrates its tables.
    /// Either it appears as a whole or not at all.
    ///
    /// # Errors
    /// See [`TransferError`]: if `path` exists already, or if rows are missing or differ.
    pub fn import(path: impl AsRef<Path>, import: &mut Import<'_>) -> Result<(), TransferError> {
        transfer::sqlite::import_file(path.as_ref(), import)
    }

    /// Returns the file that an interrupted [`Self::import`] left for the database at `path`, if there is one.
    pub fn unfinished_import(path: impl AsRef<Path>) -> Option<PathBuf> {
        transfer::sqlite::unfinished(path.as_ref())
    }

    /// Returns the counters of the writer so far.
    pub fn writer_stats(&self) -> WriterStats {
        self.writer.stats()
    }

    /// Returns the counters of the readers so far.
    pub fn reader_stats(&self) -> ReaderStats {
        self.readers.stats()
    }

    /// Returns the size and the stage of the journal.
    pub fn journal(&self) -> JournalState {
        self.journal.pressure.state()
    }

    /// Accepts no more work, finishes the accepted work, and closes the file.
    /// A second call does nothing.
    pub fn close(&self) {
        let mut closed = self
            .closed
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if !std::mem::replace(&mut *closed, true) {
            self.writer.close();
            self.readers.close();
            self.watchdog.stop();
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

    fn read_in<T, E, F>(&self, lane: Lane, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.readers.read(lane, move |connection| {
            work(&mut SqliteReadTx { connection })
        })
    }

    fn write<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> Fn(&mut Self::WriteTx<'t>) -> Result<T, E> + Send + 'static,
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
            durable: self.durability == Durability::OnDisk,
            concurrent_writers: false,
            multi_process: self.durability == Durability::OnDisk,
        }
    }
}

/// Minimum free space on the disk with which the health check succeeds.
const ROOM: u64 = 16 << 20;

/// Checks that the disk has free space for further writes.
/// The journal is overwritten repeatedly, so commits may succeed on a full disk for a while, and then fail.
fn has_room(path: &Path) -> Result<(), StoreError> {
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    if room(directory.unwrap_or(Path::new("."))).is_some_and(|room| room < ROOM) {
        let full = StoreError::new(StoreErrorKind::Unavailable, "check free disk space");
        return Err(full.with_detail("the disk of the database is full"));
    }
    Ok(())
}

/// Connection of the writer.
struct SqliteBackend {
    path: PathBuf,
    durability: Durability,
    connection: Option<SqliteConnection>,
    checkpoint: WriterPart,
    files: Files,
    journal: Arc<Journal>,
    /// Bytes by which the last commit extended the journal.
    grown: u64,
}

impl WriterBackend for SqliteBackend {
    type Connection = SqliteConnection;
    type WriteTx<'t> = SqliteWriteTx<'t>;

    /// A commit is expensive and there is one writer, so all queued work shares one.
    const SHARES: bool = true;
    const COMMIT: &'static str = "COMMIT";

    /// Takes the lock at once: a transaction that reads first and writes later would have to be aborted if another
    /// process wrote in the meantime.
    fn begin(connection: &mut SqliteConnection) -> QueryResult<()> {
        connection.batch_execute("BEGIN IMMEDIATE")
    }

    fn connection(&mut self) -> Result<&mut SqliteConnection, StoreError> {
        let connection = if let Some(connection) = self.connection.take() {
            connection
        } else {
            self.files.verify_present()?;
            open::writer(&self.path, self.durability).map_err(|error| {
                StoreError::new(StoreErrorKind::Unavailable, "open database").with_source(error)
            })?
        };
        Ok(self.connection.insert(connection))
    }

    fn give_up(&mut self) {
        self.connection = None;
    }

    fn verify_durable(&mut self) -> Result<(), StoreError> {
        self.files.verify_present()?;
        let journal = Arc::clone(&self.journal);
        let looked = self
            .connection()
            .and_then(|connection| journal.verify(connection));
        if journal.is_truncated() {
            // Closing the last connection would checkpoint the journal into the database, including the gap.
            std::mem::forget(self.connection.take());
        }
        let (_, grown) = looked?;
        self.grown = grown;
        Ok(())
    }

    fn refusal(&self) -> Option<&'static str> {
        self.journal.pressure.refusal()
    }

    fn write_tx(connection: &mut SqliteConnection) -> SqliteWriteTx<'_> {
        SqliteWriteTx::over(connection)
    }

    /// A statement costs no round trip, so no writes are buffered.
    fn group_tx(connection: &mut SqliteConnection) -> SqliteWriteTx<'_> {
        Self::write_tx(connection)
    }

    fn flush(_: &mut SqliteWriteTx<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    fn between_batches(&mut self) {
        if let Some(connection) = &mut self.connection {
            self.checkpoint.after_commit(connection);
            self.checkpoint.pause(std::mem::take(&mut self.grown));
        }
    }
}
