//! The store over a server.

use std::sync::Mutex;
use std::time::Duration;

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::r2d2::{ConnectionManager, CustomizeConnection, Pool};
use storage::{Capabilities, GroupWork, Pending, Store, StoreError, StoreErrorKind};

use super::{PgReadTx, PgWriteTx};
use crate::engine::{Backend, Queue, Readers, WriterHandle, WriterStats};
use crate::error::OpenError;
use crate::migrate;

/// The settings of every connection. A commit is answered when it is on the server's disk, whatever the server's
/// own default says.
const SESSION: &str = "SET synchronous_commit = on; SET TIME ZONE 'UTC'; SET lock_timeout = '10s'; \
                       SET statement_timeout = '60s'; SET client_min_messages = warning;";

/// What a writer tells the server besides. Its statements are prepared once and planned when the tables may be nearly
/// empty, and a writer looks for single rows only: by their keys and in nothing but indexes, however small a table is,
/// because the plan stays when it has grown.
const WRITER: &str =
    "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;";

/// All queries of a read see the same moment.
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// How a store on a server behaves.
#[derive(Debug, Clone)]
pub struct PostgresOptions {
    /// Reading connections, each with a thread.
    pub readers: u32,
    /// Writing connections, each with a thread. Their round trips overlap, so that writes of
    /// several statements wait for each other less.
    pub writers: usize,
    /// Writes that may wait; more are refused.
    pub queue_jobs: usize,
    /// Bytes that waiting writes may hold.
    pub queue_bytes: usize,
    /// How long a write may wait before it is refused unwritten, and how long a read waits for a connection.
    pub deadline: Duration,
}

impl Default for PostgresOptions {
    /// Eight readers, two writers, 4096 writes of 64 MiB together, five seconds.
    fn default() -> Self {
        Self {
            readers: 8,
            writers: 2,
            queue_jobs: 4096,
            queue_bytes: 64 << 20,
            deadline: Duration::from_secs(5),
        }
    }
}

/// The store on a PostgreSQL server, which several processes may share.
pub struct PostgresStore {
    url: String,
    writer: WriterHandle<PostgresBackend>,
    readers: Readers<PgConnection>,
    closed: Mutex<bool>,
}

impl PostgresStore {
    /// Connects to the database at `url` (`postgres://…`). Its tables may be missing or old: see
    /// [`Self::migrate`].
    ///
    /// # Errors
    /// When the server cannot be reached.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "options are made for one store and handed over to it"
    )]
    pub fn open(url: &str, options: PostgresOptions) -> Result<Self, OpenError> {
        let mut backends = Vec::new();
        for _ in 0..options.writers.max(1) {
            backends.push(PostgresBackend {
                url: url.to_owned(),
                connection: Some(connect(url)?),
                suspect: false,
            });
        }
        let readers = options.readers.max(1);
        let pool = Pool::builder()
            .max_size(readers)
            .min_idle(Some(0))
            .test_on_check_out(false)
            .connection_timeout(options.deadline.max(Duration::from_millis(1)))
            .connection_customizer(Box::new(SessionSettings))
            .build(ConnectionManager::new(url))?;
        let connect = move || {
            let unavailable =
                |error| StoreError::new(StoreErrorKind::Unavailable, "connect").with_source(error);
            pool.get().map_err(unavailable)
        };
        let queue = Queue::new(options.queue_jobs, options.queue_bytes);
        let threads = usize::try_from(readers).unwrap_or(1);
        Ok(Self {
            url: url.to_owned(),
            writer: WriterHandle::start(backends, queue, options.deadline)?,
            readers: Readers::start(connect, threads, BEGIN_READ)?,
            closed: Mutex::new(false),
        })
    }

    /// Brings the tables up to date. Any number of processes may do so at once; one of them does the work.
    ///
    /// # Errors
    /// When a step fails; the steps before it stay applied.
    pub fn migrate(&self) -> Result<(), OpenError> {
        migrate::postgres(&mut PgConnection::establish(&self.url)?)
    }

    /// The steps that [`Self::migrate`] would apply.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn pending_migrations(&self) -> Result<Vec<String>, OpenError> {
        migrate::pending_on_postgres(&mut PgConnection::establish(&self.url)?)
    }

    /// What is wrong with the tables, in sentences; empty when nothing is known to be. Every row is read whole, so that
    /// a page that cannot be read is found, and one whose checksum is wrong where the server keeps checksums; and every
    /// index must be valid. Whether an index agrees with its table is not checked: that takes the server's own
    /// extension `amcheck`.
    ///
    /// # Errors
    /// When the server cannot be asked.
    pub fn damages(&self) -> Result<Vec<String>, OpenError> {
        super::damage::damages(&mut PgConnection::establish(&self.url)?)
    }

    /// What the writers have done so far.
    pub fn writer_stats(&self) -> WriterStats {
        self.writer.stats()
    }

    /// Takes nothing more, finishes what was accepted, and disconnects. A second call does nothing.
    pub fn close(&self) {
        let mut closed = self
            .closed
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if !std::mem::replace(&mut *closed, true) {
            self.writer.close();
            self.readers.close();
        }
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.close();
    }
}

/// Without the URL, which may hold a password.
impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}

impl Store for PostgresStore {
    type ReadTx<'t> = PgReadTx<'t>;
    type WriteTx<'t> = PgWriteTx<'t>;

    fn read<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.readers
            .read(move |connection| work(&mut PgReadTx { connection }))
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
            concurrent_writers: true,
            multi_process: true,
        }
    }
}

/// A writer's connection.
fn connect(url: &str) -> Result<PgConnection, OpenError> {
    let mut connection = PgConnection::establish(url)?;
    connection.batch_execute(SESSION)?;
    connection.batch_execute(WRITER)?;
    Ok(connection)
}

/// What the pool does with each connection that it makes.
#[derive(Debug)]
struct SessionSettings;

impl CustomizeConnection<PgConnection, diesel::r2d2::Error> for SessionSettings {
    fn on_acquire(&self, connection: &mut PgConnection) -> Result<(), diesel::r2d2::Error> {
        connection
            .batch_execute(SESSION)
            .map_err(diesel::r2d2::Error::QueryError)
    }
}

/// A writer's connection, made anew after it was lost.
struct PostgresBackend {
    url: String,
    connection: Option<PgConnection>,
    suspect: bool,
}

impl Backend for PostgresBackend {
    type Connection = PgConnection;
    type WriteTx<'t> = PgWriteTx<'t>;

    const BEGIN: &'static str = "BEGIN ISOLATION LEVEL READ COMMITTED";
    /// A bare `COMMIT` succeeds in a transaction in which a statement failed, and rolls it back. The query before
    /// it fails there, in the same round trip.
    const COMMIT: &'static str = "SELECT 1; COMMIT";

    fn connection(&mut self) -> Result<&mut PgConnection, StoreError> {
        let works = |connection: &mut PgConnection| connection.batch_execute("SELECT 1").is_ok();
        if std::mem::take(&mut self.suspect) && !self.connection.as_mut().is_some_and(works) {
            self.connection = None;
        }
        if self.connection.is_none() {
            match connect(&self.url) {
                Ok(connection) => self.connection = Some(connection),
                Err(error) => {
                    return Err(
                        StoreError::new(StoreErrorKind::Unavailable, "connect").with_source(error)
                    );
                }
            }
        }
        self.connection
            .as_mut()
            .ok_or_else(|| StoreError::new(StoreErrorKind::Unavailable, "connect"))
    }

    fn suspect(&mut self) {
        self.suspect = true;
    }

    fn write_tx(connection: &mut PgConnection) -> PgWriteTx<'_> {
        PgWriteTx { connection }
    }

    /// The server looks after its own journal.
    fn between_batches(&mut self, _: usize) {}
}
