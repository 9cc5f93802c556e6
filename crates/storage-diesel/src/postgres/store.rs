//! The store over a server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use storage::{Capabilities, GroupWork, Lane, Pending, Store, StoreError, StoreErrorKind};

use super::session::{Link, Pooler, require_writable};
use super::transaction::{BEGIN_GROUP, Writing};
use super::{PgReadTx, PgWriteTx, limits};
use crate::engine::{
    Backend, Backends, Opening, ReaderSettings, Readers, Watchdog, WriterHandle, WriterSettings,
    WriterStats,
};
use crate::error::{Health, OpenError};
use crate::transaction::Transaction as _;
use crate::transfer::{self, Import, RowSink, TransferError};
use crate::{migrate, proof};

/// A connection for closures. Each statement is planned for the values that it has: tables grow by many orders, and a
/// plan that was good for an empty one may read a large one from end to end. The statements of grouped work are few, and
/// are prepared once and planned once.
const CLOSURES: &str = "plan_cache_mode = force_custom_plan";

/// How the transaction of a closure begins.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

/// All queries of a read see the same state.
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// What is added to the address of the server unless it says so itself: a server that does not answer, or a network that
/// swallows everything, is noticed within seconds.
const PATIENCE: [(&str, &str); 5] = [
    ("connect_timeout", "5"),
    ("tcp_user_timeout", "8000"),
    ("keepalives_idle", "5"),
    ("keepalives_interval", "2"),
    ("keepalives_count", "3"),
];

/// Threads for checks. They look up single rows, so few are enough.
const CHECKERS: usize = 2;

/// How much longer than a write may wait it may take in all.
const GRACE: Duration = Duration::from_secs(3);

/// How a store on a server behaves.
#[derive(Debug, Clone)]
pub struct PostgresOptions {
    /// Reading connections, each with a thread.
    pub readers: u32,
    /// Writing connections of each kind, each with a thread: so many for closures, each of which has a transaction of
    /// its own, and so many for grouped work. Their round trips overlap, so that writes wait for each other less.
    pub writers: usize,
    /// Writes of each kind that may wait; more are refused.
    pub queue_jobs: usize,
    /// Bytes that waiting writes of each kind may hold.
    pub queue_bytes: usize,
    /// How long a write may wait before it is refused unwritten.
    pub deadline: Duration,
    /// How long a read may take before it is refused, the time that it waits included.
    pub read_limit: Duration,
    /// What stands between the store and the server.
    pub pooler: Pooler,
}

impl Default for PostgresOptions {
    /// Eight readers, two writers of each kind, 4096 writes of 64 MiB together, five seconds for either.
    fn default() -> Self {
        Self {
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

/// The store on a PostgreSQL server, which several processes may share.
pub struct PostgresStore {
    link: Link,
    writer: WriterHandle<PostgresBackend>,
    readers: Readers<PgConnection>,
    watchdog: Watchdog,
    health: Arc<Health>,
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
        let link = Link::new(with_patience(url), options.pooler)?;
        let limit = options.deadline.saturating_add(GRACE);
        let within = limits::writer(options.deadline, limit);
        let lane = |plans: Option<&str>| {
            let plans = plans.map(str::to_owned);
            let settings: Vec<String> = within.iter().cloned().chain(plans).collect();
            let opening = Arc::new(Writers {
                begin: link.begin(BEGIN, &settings).into(),
                begin_group: link.begin(BEGIN_GROUP, &settings).into(),
                link: link.clone(),
                settings,
            });
            (0..options.writers.max(1))
                .map(|_| {
                    Ok(PostgresBackend {
                        connection: Some(opening.connect()?),
                        opening: Arc::clone(&opening),
                    })
                })
                .collect::<Result<Vec<_>, OpenError>>()
        };
        let backends = Backends {
            closures: lane(Some(CLOSURES))?,
            groups: lane(None)?,
        };
        let health = Arc::new(Health::default());
        let reading = ReaderSettings {
            readers: usize::try_from(options.readers).unwrap_or(1),
            checkers: CHECKERS,
            limit: options.read_limit,
            begin: link
                .begin(BEGIN_READ, &limits::reader(options.read_limit))
                .into(),
            // The server ends statements itself.
            within: |_, work| work(),
        };
        let within = limits::reader(options.read_limit);
        let opening = || {
            let (settling, within) = (link.clone(), within.clone());
            Opening::new(link.url().to_owned(), move |connection| {
                settling.settle(connection, &within)
            })
        };
        let readers = Readers::start(opening, &reading, &health)?;
        let writing = WriterSettings {
            queue_jobs: options.queue_jobs,
            queue_bytes: options.queue_bytes,
            wait: options.deadline,
            limit,
        };
        let writer = WriterHandle::start(backends, &writing, &health)?;
        let watched = writer.watched().into_iter().chain(readers.watched());
        Ok(Self {
            watchdog: Watchdog::start(watched.collect())?,
            link,
            writer,
            readers,
            health,
            closed: Mutex::new(false),
        })
    }

    /// Brings the tables up to date. Any number of processes may do so at once; one of them does the work.
    ///
    /// # Errors
    /// When a step fails; the steps before it stay applied.
    pub fn migrate(&self) -> Result<(), OpenError> {
        let mut connection = self.link.establish()?;
        require_writable(&mut connection)?;
        migrate::postgres(&mut self.link.establish()?, &mut connection)
    }

    /// The steps that [`Self::migrate`] would apply.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn pending_migrations(&self) -> Result<Vec<String>, OpenError> {
        let mut connection = self.link.establish()?;
        require_writable(&mut connection)?;
        migrate::list_pending(&mut connection, migrate::POSTGRES)
    }

    /// Proves that the store can do its work: it takes a write, the tables are those of this program, and nothing was
    /// found damaged.
    ///
    /// It costs a commit, so it is not for every request.
    pub fn prove(&self) -> Pending<(), StoreError> {
        if let Err(error) = proof::look(&self.health) {
            return Pending::ready(Err(error));
        }
        self.writer.write(|tx| {
            let connection = tx.connection()?;
            migrate::is_current(connection, migrate::POSTGRES)?;
            proof::leave_a_mark(connection)
        })
    }

    /// What is wrong with the tables, in sentences; empty when nothing is known to be. Every row is read whole, so that
    /// a page that cannot be read is found, and one whose checksum is wrong where the server keeps checksums; and every
    /// index must be valid. Whether an index agrees with its table is not checked: that takes the server's own
    /// extension `amcheck`.
    ///
    /// # Errors
    /// When the server cannot be asked.
    pub fn damages(&self) -> Result<Vec<String>, OpenError> {
        super::damage::damages(&mut self.link.establish()?)
    }

    /// Gives all rows as they are at one instant. Writers go on meanwhile.
    ///
    /// # Errors
    /// See [`TransferError`].
    pub fn export(&self, sink: &mut dyn RowSink) -> Result<(), TransferError> {
        transfer::postgres::export_server(&mut self.link.establish()?, sink)
    }

    /// Fills the empty database at `url` with rows that [`Self::export`] gave, with its tables up to date. They appear
    /// there all or not at all.
    ///
    /// # Errors
    /// See [`TransferError`]: when there are tables already, when rows are missing or differ.
    pub fn import(url: &str, import: &mut Import<'_>) -> Result<(), TransferError> {
        transfer::postgres::import_server(&with_patience(url), import)
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
            self.watchdog.stop();
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

    fn read_in<T, E, F>(&self, lane: Lane, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.readers
            .read(lane, move |connection| work(&mut PgReadTx { connection }))
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

/// The address of the server, with what makes this side notice that nobody answers.
fn with_patience(url: &str) -> String {
    let mut url = url.to_owned();
    for (name, value) in PATIENCE {
        if !url.contains(&format!("{name}=")) {
            url.push(if url.contains('?') { '&' } else { '?' });
            url.push_str(name);
            url.push('=');
            url.push_str(value);
        }
    }
    url
}

/// How connections for writing are made.
struct Writers {
    link: Link,
    settings: Vec<String>,
    begin: Arc<str>,
    begin_group: Arc<str>,
}

impl Writers {
    fn connect(&self) -> Result<Writing, OpenError> {
        let mut connection = self.link.establish()?;
        self.link.settle(&mut connection, &self.settings)?;
        Ok(Writing {
            connection,
            begin: Arc::clone(&self.begin),
            begin_group: Arc::clone(&self.begin_group),
        })
    }
}

/// A writer's connection, made anew after it was given up.
struct PostgresBackend {
    opening: Arc<Writers>,
    connection: Option<Writing>,
}

impl Backend for PostgresBackend {
    type Connection = Writing;
    type WriteTx<'t> = PgWriteTx<'t>;

    /// A transaction keeps each lock until it ends. Unrelated work in one transaction would hold locks in an order that
    /// nobody chose, and two such transactions would wait for each other.
    const SHARES: bool = false;
    /// A bare `COMMIT` succeeds in a transaction in which a statement failed, and rolls it back. The query before
    /// it fails there, in the same round trip.
    const COMMIT: &'static str = "SELECT 1; COMMIT";

    fn begin(writing: &mut Writing) -> QueryResult<()> {
        writing.connection.batch_execute(&writing.begin)
    }

    fn connection(&mut self) -> Result<&mut Writing, StoreError> {
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

    /// The server has said that it is on its disk.
    fn vouch(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn refusal(&self) -> Option<&'static str> {
        None
    }

    fn write_tx(writing: &mut Writing) -> PgWriteTx<'_> {
        PgWriteTx::of_closure(writing)
    }

    fn group_tx(writing: &mut Writing) -> PgWriteTx<'_> {
        PgWriteTx::of_group(writing)
    }

    fn settle(tx: &mut PgWriteTx<'_>) -> Result<(), StoreError> {
        tx.settle()
    }

    /// The server looks after its own journal.
    fn between_batches(&mut self, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_address_says_of_time_is_kept() {
        assert_eq!(
            with_patience("postgres://db/gate?connect_timeout=9&tcp_user_timeout=7"),
            "postgres://db/gate?connect_timeout=9&tcp_user_timeout=7&keepalives_idle=5&keepalives_interval=2&keepalives_count=3"
        );
        assert!(with_patience("postgres://db/gate").contains("gate?connect_timeout=5&"));
    }
}
