//! Store on a PostgreSQL server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use api_conventions::time::Timestamp;
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use storage::{Capabilities, GroupWork, Lane, Pending, Store, StoreError, StoreErrorKind};

use super::replica::{IMPATIENCE, Replica, ReplicaState};
use super::session::{Link, Pooler, require_writable};
use super::transaction::{BEGIN_GROUP, WriterConnection};
use super::{PgReadTx, PgWriteTx, limits};
use crate::engine::{
    Backends, ConnectionOpener, ReaderPool, ReaderSettings, ReaderStats, SubmittedRead, Watchdog,
    WriterBackend, WriterHandle, WriterSettings, WriterStats,
};
use crate::error::{Health, OpenError, from_diesel};
use crate::rows::RowReader;
use crate::transaction::Transaction as _;
use crate::transfer::{self, Import, RowSink, TransferError};
use crate::{health, migrate};

/// Planner setting of connections for closures.
/// Each statement is planned for its values: tables grow by orders of magnitude, and a plan that was good for an empty
/// one may scan a large one. The statements of grouped work are few, and are prepared once and planned once.
const CLOSURES: &str = "plan_cache_mode = force_custom_plan";

/// Begins the transaction of a closure.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

/// Begins a read transaction, in which all queries see the same state.
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Parameters that are added to the URL of the server unless it has them: they detect within seconds a server that does
/// not answer, or a network that drops all packets.
const PATIENCE: [(&str, &str); 5] = [
    ("connect_timeout", "5"),
    ("tcp_user_timeout", "8000"),
    ("keepalives_idle", "5"),
    ("keepalives_interval", "2"),
    ("keepalives_count", "3"),
];

/// Threads for checks.
/// Checks look up single rows, so a few threads are enough.
const CHECKERS: usize = 2;

/// Time that a write may take in addition to its maximum wait.
const GRACE: Duration = Duration::from_secs(3);

/// Options of a store on a server.
#[derive(Debug, Clone)]
pub struct PostgresOptions {
    /// URL of a replica of the server, which answers the reads of callers whenever it has everything that was committed
    /// before; `None` for none. It may be unreachable at any time.
    pub read_url: Option<String>,
    /// Read connections, each with a thread; as many again to the replica.
    pub readers: u32,
    /// Write connections of each kind, each with a thread: this many for closures, each of which has a transaction of
    /// its own, and this many for grouped work.
    /// Their round trips overlap, so that writes wait less for each other.
    pub writers: usize,
    /// Writes of each kind that may wait; more are refused.
    pub queue_jobs: usize,
    /// Bytes that waiting writes of each kind may hold.
    pub queue_bytes: usize,
    /// Time that a write may wait before it is refused without being run.
    pub deadline: Duration,
    /// Time that a read may take before it is refused, including the time that it waits.
    pub read_limit: Duration,
    /// Pooler between the store and the server.
    pub pooler: Pooler,
}

impl Default for PostgresOptions {
    /// Eight readers, two writers of each kind, 4096 waiting writes with 64 MiB in total, and five seconds for either.
    fn default() -> Self {
        Self {
            read_url: None,
            readers: 8,
            writers: 2,
            queue_jobs: 4096,
            queue_bytes: 64 << 20,
            deadline: Duration::from_secs(5),
            read_limit: Duration::from_secs(5),
            pooler: Pooler::None,
        }
    }
}

/// Store on a PostgreSQL server, which several processes may share.
pub struct PostgresStore {
    link: Link,
    writer: WriterHandle<PostgresBackend>,
    readers: Arc<ReaderPool<PgConnection>>,
    replica: Option<Replica>,
    watchdog: Watchdog,
    health: Arc<Health>,
    closed: Mutex<bool>,
}

impl PostgresStore {
    /// Connects to the database at `url` (`postgres://…`).
    /// Its tables may be missing or outdated: see [`Self::migrate`].
    ///
    /// # Errors
    /// If the server is unreachable.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "options belong to one store, which takes them over"
    )]
    pub fn open(url: &str, options: PostgresOptions) -> Result<Self, OpenError> {
        let link = Link::new(with_parameters(url, &PATIENCE), options.pooler)?;
        let limit = options.deadline.saturating_add(GRACE);
        let within = limits::writer(options.deadline, limit);
        let lane = |plans: Option<&str>| {
            let plans = plans.map(str::to_owned);
            let settings: Vec<String> = within.iter().cloned().chain(plans).collect();
            Arc::new(Writers {
                begin: link.begin(BEGIN, &settings).into(),
                begin_group: link.begin(BEGIN_GROUP, &settings).into(),
                link: link.clone(),
                settings,
            })
        };
        let count = options.writers.max(1);
        let mut backends = Backends {
            closures: PostgresBackend::several(count, &lane(Some(CLOSURES))),
            groups: PostgresBackend::several(count, &lane(None)),
        };
        // One connection shows that the server can be reached. Writers open the others when they first need them.
        if let Some(first) = backends.closures.first_mut() {
            first.connection = Some(first.opening.connect()?);
        }
        let health = Arc::new(Health::default());
        let reading = ReaderSettings {
            readers: usize::try_from(options.readers).unwrap_or(1),
            checkers: CHECKERS,
            limit: options.read_limit,
            begin: link
                .begin(BEGIN_READ, &limits::reader(options.read_limit))
                .into(),
            // The server stops statements itself.
            within: |_, work| work(),
            // A read blocks no write, so none has to wait.
            gate: Arc::default(),
        };
        let start = |link: &Link| {
            let within = limits::reader(options.read_limit);
            let opening = || {
                let (configuring, within) = (link.clone(), within.clone());
                ConnectionOpener::new(link.url().to_owned(), move |connection| {
                    configuring.configure(connection, &within)
                })
            };
            ReaderPool::start(opening, &reading, &health).map(Arc::new)
        };
        let readers = start(&link)?;
        let mut watched = readers.watched().to_vec();
        let replica = match &options.read_url {
            None => None,
            Some(read_url) => {
                let replica_readers = start(&link.to(with_parameters(read_url, &PATIENCE)))?;
                watched.extend(replica_readers.watched());
                let looking = [url, read_url.as_str()].map(|url| {
                    link.to(with_parameters(
                        &with_parameters(url, &IMPATIENCE),
                        &PATIENCE,
                    ))
                });
                Some(Replica::start(
                    looking,
                    [Arc::clone(&readers), replica_readers],
                )?)
            }
        };
        let writer_settings = WriterSettings {
            queue_jobs: options.queue_jobs,
            queue_bytes: options.queue_bytes,
            wait: options.deadline,
            limit,
        };
        let writer = WriterHandle::start(backends, &writer_settings, &health)?;
        watched.extend(writer.watched());
        Ok(Self {
            watchdog: Watchdog::start(watched)?,
            link,
            writer,
            readers,
            replica,
            health,
            closed: Mutex::new(false),
        })
    }

    /// Applies the pending migrations.
    /// Any number of processes may call this at once; one of them does the work.
    ///
    /// # Errors
    /// If a migration fails; the earlier ones stay applied.
    pub fn migrate(&self) -> Result<(), OpenError> {
        let mut connection = self.link.establish()?;
        require_writable(&mut connection)?;
        migrate::postgres(&mut self.link.establish()?, &mut connection)
    }

    /// Returns the migrations that [`Self::migrate`] would apply.
    ///
    /// # Errors
    /// If the database cannot be queried.
    pub fn pending_migrations(&self) -> Result<Vec<String>, OpenError> {
        let mut connection = self.link.establish()?;
        require_writable(&mut connection)?;
        migrate::list_pending(&mut connection, migrate::POSTGRES)
    }

    /// Checks that the store works: it accepts a write, the tables are those of this program, and no damage was found.
    ///
    /// The check costs a commit, so it is not for every request.
    pub fn health_check(&self) -> Pending<(), StoreError> {
        if let Err(error) = health::check_undamaged(&self.health) {
            return Pending::ready(Err(error));
        }
        self.writer.write(|tx| {
            let connection = tx.connection()?;
            migrate::is_current(connection, migrate::POSTGRES)?;
            health::write_probe(connection)
        })
    }

    /// Returns the integrity errors of the tables, as sentences; empty if none are found.
    /// Every row is read in full, which finds unreadable pages, and pages with a wrong checksum if the server keeps
    /// checksums; and every index must be valid. It does not check whether an index agrees with its table: that takes
    /// the server's own extension `amcheck`.
    ///
    /// # Errors
    /// If the server cannot be queried.
    pub fn integrity_errors(&self) -> Result<Vec<String>, OpenError> {
        super::integrity::integrity_errors(&mut self.link.establish()?)
    }

    /// Exports all rows as of one instant.
    /// Writers continue in the meantime.
    ///
    /// # Errors
    /// See [`TransferError`].
    pub fn export(&self, sink: &mut dyn RowSink) -> Result<(), TransferError> {
        transfer::postgres::export_server(&mut self.link.establish()?, sink)
    }

    /// Fills the empty database at `url` with rows from [`Self::export`], and migrates its tables.
    /// Either all rows appear or none.
    ///
    /// # Errors
    /// See [`TransferError`]: if tables exist already, or if rows are missing or differ.
    pub fn import(url: &str, import: &mut Import<'_>) -> Result<(), TransferError> {
        transfer::postgres::import_server(&with_parameters(url, &PATIENCE), import)
    }

    /// Returns the counters of the writers so far.
    pub fn writer_stats(&self) -> WriterStats {
        self.writer.stats()
    }

    /// Returns the counters of the readers so far, without those of the replica.
    pub fn reader_stats(&self) -> ReaderStats {
        self.readers.stats()
    }

    /// Returns the state of the replica, if there is one.
    pub fn replica_state(&self) -> Option<ReplicaState> {
        self.replica.as_ref().map(Replica::state)
    }

    /// Reads the clock of the server, and the size of the database.
    pub fn server_state(&self) -> Pending<ServerState, StoreError> {
        self.readers.read(Lane::Shared, |connection| {
            let row: ServerRow = diesel::sql_query(SERVER_STATE)
                .get_result(connection)
                .map_err(|error| from_diesel("read server state", error))?;
            let row_of = RowReader::new("pg_database", 0);
            Ok(ServerState {
                now: row_of.timestamp(row.now)?,
                bytes: row.bytes.try_into().unwrap_or(0),
            })
        })
    }

    /// Accepts no more work, finishes the accepted work, and disconnects.
    /// A second call does nothing.
    pub fn close(&self) {
        let mut closed = self
            .closed
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if !std::mem::replace(&mut *closed, true) {
            self.writer.close();
            if let Some(replica) = &self.replica {
                replica.close();
            }
            self.readers.close();
            self.watchdog.stop();
        }
    }
}

/// State of a database server that other programs share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerState {
    /// Time of the server's clock.
    pub now: Timestamp,
    /// Size of the database, in bytes.
    pub bytes: u64,
}

const SERVER_STATE: &str = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) AS now, \
     pg_database_size(current_database()) AS bytes";

#[derive(QueryableByName)]
struct ServerRow {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    now: i64,
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    bytes: i64,
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.close();
    }
}

/// Omits the URL, which may contain a password.
impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}

impl Store for PostgresStore {
    type ReadTx<'t> = PgReadTx<'t>;
    type WriteTx<'t> = PgWriteTx<'t>;

    fn read_in<T, E, F>(&self, lane: Lane, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (read, pending) =
            SubmittedRead::new(lane, move |connection| work(&mut PgReadTx { connection }));
        let read = match (&self.replica, lane) {
            (Some(replica), Lane::Caller(_)) => replica.submit(read).err(),
            _ => Some(read),
        };
        if let Some(read) = read {
            self.readers.submit(read);
        }
        pending
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
            durable: true,
            concurrent_writers: true,
            multi_process: true,
        }
    }
}

/// Adds parameters to the URL of a server unless it has them.
fn with_parameters(url: &str, parameters: &[(&str, &str)]) -> String {
    let mut url = url.to_owned();
    for (name, value) in parameters {
        if !url.contains(&format!("{name}=")) {
            url.push(if url.contains('?') { '&' } else { '?' });
            url.push_str(name);
            url.push('=');
            url.push_str(value);
        }
    }
    url
}

/// Opens connections for writing.
struct Writers {
    link: Link,
    settings: Vec<String>,
    begin: Arc<str>,
    begin_group: Arc<str>,
}

impl Writers {
    fn connect(&self) -> Result<WriterConnection, OpenError> {
        let mut connection = self.link.establish()?;
        self.link.configure(&mut connection, &self.settings)?;
        Ok(WriterConnection {
            connection,
            begin: Arc::clone(&self.begin),
            begin_group: Arc::clone(&self.begin_group),
        })
    }
}

/// Connection of a writer, opened when it is first needed, and replaced after it was given up.
struct PostgresBackend {
    opening: Arc<Writers>,
    connection: Option<WriterConnection>,
}

impl PostgresBackend {
    fn several(count: usize, opening: &Arc<Writers>) -> Vec<Self> {
        let backend = || Self {
            opening: Arc::clone(opening),
            connection: None,
        };
        std::iter::repeat_with(backend).take(count).collect()
    }
}

impl WriterBackend for PostgresBackend {
    type Connection = WriterConnection;
    type WriteTx<'t> = PgWriteTx<'t>;

    /// A transaction keeps each lock until it ends.
    /// Unrelated work in one transaction would take locks in an arbitrary order, and two such transactions would
    /// deadlock.
    const SHARES: bool = false;
    /// A bare `COMMIT` succeeds in a transaction in which a statement failed, and rolls it back.
    /// The query before it fails in that case, in the same round trip.
    const COMMIT: &'static str = "SELECT 1; COMMIT";

    fn begin(writer_connection: &mut WriterConnection) -> QueryResult<()> {
        writer_connection
            .connection
            .batch_execute(&writer_connection.begin)
    }

    fn connection(&mut self) -> Result<&mut WriterConnection, StoreError> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.opening.connect().map_err(|error| {
                StoreError::new(StoreErrorKind::Unavailable, "connect").with_source(error)
            })?,
        };
        Ok(self.connection.insert(connection))
    }

    fn give_up(&mut self) {
        self.connection = None;
    }

    /// Always succeeds: the server has confirmed that the commit is on its disk.
    fn verify_durable(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn refusal(&self) -> Option<&'static str> {
        None
    }

    fn write_tx(writer_connection: &mut WriterConnection) -> PgWriteTx<'_> {
        PgWriteTx::of_closure(writer_connection)
    }

    fn group_tx(writer_connection: &mut WriterConnection) -> PgWriteTx<'_> {
        PgWriteTx::of_group(writer_connection)
    }

    fn flush(tx: &mut PgWriteTx<'_>) -> Result<(), StoreError> {
        tx.flush()
    }

    /// Does nothing: the server maintains its own journal.
    fn between_batches(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_in_the_url_are_kept() {
        assert_eq!(
            with_parameters(
                "postgres://db/gate?connect_timeout=9&tcp_user_timeout=7",
                &PATIENCE
            ),
            "postgres://db/gate?connect_timeout=9&tcp_user_timeout=7&keepalives_idle=5&keepalives_interval=2&keepalives_count=3"
        );
        assert!(
            with_parameters("postgres://db/gate", &PATIENCE).contains("gate?connect_timeout=5&")
        );
    }
}
