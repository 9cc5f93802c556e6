//! The store over a file.

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
    Backend, Backends, Opening, ReaderSettings, Readers, Watchdog, WriterHandle, WriterSettings,
    WriterStats,
};
use crate::error::{Health, OpenError};
use crate::transaction::Transaction as _;
use crate::transfer::{self, Import, RowSink, TransferError};
use crate::{migrate, proof};

/// Threads for checks. They look up single rows, so one is enough, and a second one stands in while it waits.
const CHECKERS: usize = 2;

/// How much longer than a write may wait it may take in all.
const GRACE: Duration = Duration::from_secs(3);

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
    /// How long a read may take before it is stopped and refused, the time that it waits included.
    pub read_limit: Duration,
    /// Bytes of the journal past which writes are slowed down; at twice as many they are refused. Under load it takes up to 160 MB
    /// without anything being wrong.
    pub journal_limit: u64,
    /// How long what is written may stand in the journal alone before it is brought into the file of the database.
    pub checkpoint_within: Duration,
}

impl Default for SqliteOptions {
    /// Four readers, 4096 writes of 64 MiB together, five seconds for either; a journal of 512 MiB, and half a minute.
    fn default() -> Self {
        Self {
            readers: 4,
            queue_jobs: 4096,
            queue_bytes: 64 << 20,
            deadline: Duration::from_secs(5),
            read_limit: Duration::from_secs(5),
            journal_limit: 512 << 20,
            checkpoint_within: Duration::from_secs(30),
        }
    }
}

/// The embedded store: one thread writes, several read, and an answer is given after the commit is on the disk.
pub struct SqliteStore {
    path: PathBuf,
    durability: Durability,
    writer: WriterHandle<SqliteBackend>,
    readers: Readers<SqliteConnection>,
    checkpointer: Checkpointer,
    journal: Arc<Journal>,
    watchdog: Watchdog,
    health: Arc<Health>,
    closed: Mutex<bool>,
    /// The directory of a [private](Self::in_memory) store, which is deleted after the store is closed.
    _directory: Option<TempDir>,
}

impl SqliteStore {
    /// Opens the database in the file at `path`, which is made when it is missing. Its tables may be missing or
    /// old: see [`Self::migrate`].
    ///
    /// # Errors
    /// When the file cannot be made or opened.
    pub fn open(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self, OpenError> {
        let path = path.as_ref().to_owned();
        open::prepare_file(&path)?;
        Self::open_at(path, options, None)
    }

    /// A store of its own, empty, with its tables up to date. Nobody else can open it, and it is gone when it is dropped.
    /// Tests, examples and hosts that keep nothing are its users.
    ///
    /// The tables of the domain crates are independent of each other, as they are in a host that embeds one crate: rows may
    /// name users and projects that nobody inserted. The rows are in a temporary directory rather than in memory alone,
    /// because readers of a database in memory keep its writer waiting. Nothing is forced to the disk.
    ///
    /// # Errors
    /// When the directory of temporary files takes no file.
    pub fn in_memory() -> Result<Self, OpenError> {
        let (directory, path) = template::copy()?;
        let options = SqliteOptions {
            // Each connection reads all definitions of tables before its first statement, which takes longer than most statements.
            readers: 2,
            ..SqliteOptions::default()
        };
        Self::open_at(path, options, Some(directory))
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "options are made for one store and handed over to it"
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
        // Before the first connection is made: those of readers are limited, and the handler does no harm to the others.
        sqlite_deadline::install()
            .map_err(|error| OpenError::File(std::io::Error::other(error)))?;
        let files = Files::at(&path)?;
        let journal = Arc::new(Journal::beside(&path, options.journal_limit));
        let mut connection = open::writer(&path, durability)?;
        // From here on, also of what an earlier process left in it.
        journal
            .verify(&mut connection)
            .map_err(OpenError::journal)?;
        let checkpointer =
            Checkpointer::start(&path, durability, &journal, options.checkpoint_within)?;
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
        let opening = || Opening::new(open::existing(&path), open::settle_reader);
        let reading = ReaderSettings {
            readers: usize::try_from(options.readers).unwrap_or(1),
            checkers: CHECKERS,
            limit: options.read_limit,
            begin: "BEGIN".into(),
            within: |until, work| sqlite_deadline::within(until, work),
        };
        let readers = Readers::start(opening, &reading, &health)?;
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

    /// The file.
    #[cfg(test)]
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Brings the tables up to date. Any number of processes may do so at once; one of them does the work.
    ///
    /// # Errors
    /// When a step fails; the steps before it stay applied.
    pub fn migrate(&self) -> Result<(), OpenError> {
        let _lock = open::lock(&self.path)?;
        migrate::sqlite(&mut open::writer(&self.path, self.durability)?)
    }

    /// The steps that [`Self::migrate`] would apply.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn pending_migrations(&self) -> Result<Vec<String>, OpenError> {
        migrate::list_pending(
            &mut open::writer(&self.path, self.durability)?,
            migrate::SQLITE,
        )
    }

    /// Proves that the store can do its work: it takes a write, it is on the disk afterwards, the disk has room, the
    /// tables are those of this program, and nothing was found damaged.
    ///
    /// It costs a commit, so it is not for every request.
    pub fn prove(&self) -> Pending<(), StoreError> {
        if let Err(error) = proof::look(&self.health).and_then(|()| has_room(&self.path)) {
            return Pending::ready(Err(error));
        }
        self.writer.write(|tx| {
            let connection = tx.connection()?;
            migrate::is_current(connection, migrate::SQLITE)?;
            proof::leave_a_mark(connection)
        })
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

    /// Gives all rows as they are at one instant. Writers go on meanwhile; the journal grows until it is done.
    ///
    /// # Errors
    /// See [`TransferError`].
    pub fn export(&self, sink: &mut dyn RowSink) -> Result<(), TransferError> {
        transfer::sqlite::export_file(&self.path, sink)
    }

    /// Creates the database at `path` out of rows that [`Self::export`] gave, with its tables up to date. It appears there
    /// whole or not at all.
    ///
    /// # Errors
    /// See [`TransferError`]: when something is at `path` already, when rows are missing or differ.
    pub fn import(path: impl AsRef<Path>, import: &mut Import<'_>) -> Result<(), TransferError> {
        transfer::sqlite::import_file(path.as_ref(), import)
    }

    /// The file that an interrupted [`Self::import`] left for the database at `path`, if there is one.
    pub fn unfinished_import(path: impl AsRef<Path>) -> Option<PathBuf> {
        transfer::sqlite::unfinished(path.as_ref())
    }

    /// What the writer has done so far.
    pub fn writer_stats(&self) -> WriterStats {
        self.writer.stats()
    }

    /// How long the journal is, and what is done about it.
    pub fn journal(&self) -> JournalState {
        self.journal.pressure.state()
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

/// The least room on the disk with which the store says that it can do its work.
const ROOM: u64 = 16 << 20;

/// Whether the disk has room for what comes next. The journal is written over again and again, so commits may succeed on
/// a full disk for a while, and then no more.
fn has_room(path: &Path) -> Result<(), StoreError> {
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    if room(directory.unwrap_or(Path::new("."))).is_some_and(|room| room < ROOM) {
        let full = StoreError::new(StoreErrorKind::Unavailable, "look for room");
        return Err(full.with_detail("the disk of the database is full"));
    }
    Ok(())
}

/// The writer's connection.
struct SqliteBackend {
    path: PathBuf,
    durability: Durability,
    connection: Option<SqliteConnection>,
    checkpoint: WriterPart,
    files: Files,
    journal: Arc<Journal>,
    /// Bytes by which the last commit made the journal longer.
    grown: u64,
}

impl Backend for SqliteBackend {
    type Connection = SqliteConnection;
    type WriteTx<'t> = SqliteWriteTx<'t>;

    /// A commit is dear and there is one writer, so all that is queued shares one.
    const SHARES: bool = true;
    const COMMIT: &'static str = "COMMIT";

    /// The lock is taken at once: a transaction that reads first and writes later would have to be given up when
    /// another process wrote meanwhile.
    fn begin(connection: &mut SqliteConnection) -> QueryResult<()> {
        connection.batch_execute("BEGIN IMMEDIATE")
    }

    fn connection(&mut self) -> Result<&mut SqliteConnection, StoreError> {
        let connection = if let Some(connection) = self.connection.take() {
            connection
        } else {
            self.files.look()?;
            open::writer(&self.path, self.durability).map_err(|error| {
                StoreError::new(StoreErrorKind::Unavailable, "open the database").with_source(error)
            })?
        };
        Ok(self.connection.insert(connection))
    }

    fn give_up(&mut self) {
        self.connection = None;
    }

    fn vouch(&mut self) -> Result<(), StoreError> {
        self.files.look()?;
        let journal = Arc::clone(&self.journal);
        let looked = self
            .connection()
            .and_then(|connection| journal.verify(connection));
        if journal.is_cut() {
            // The last connection that is closed brings the journal back into the database, and with it the gap.
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

    /// A statement costs no round trip, so nothing is kept back.
    fn group_tx(connection: &mut SqliteConnection) -> SqliteWriteTx<'_> {
        Self::write_tx(connection)
    }

    fn settle(_: &mut SqliteWriteTx<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    fn between_batches(&mut self, written: usize) {
        if let Some(connection) = &mut self.connection {
            self.checkpoint.after_commit(connection, written);
            self.checkpoint.pause(std::mem::take(&mut self.grown));
        }
    }
}
