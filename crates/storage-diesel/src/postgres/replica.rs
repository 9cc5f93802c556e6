//! Reads on a replica that has everything that was committed before the read.
//!
//! A read of a caller may follow a write that any process answered. So the position of the primary server's log is read
//! first, once for all reads that wait, and the replica answers them only when it has replayed the log up to there. If
//! that takes too long, the primary server answers. See ADR 73.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder, JoinHandle};
use std::time::{Duration, Instant};

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};

use super::session::Link;
use crate::engine::{ReaderPool, SubmittedRead};
use crate::error::OpenError;

/// Time that reads wait for the replica before the primary server answers them.
const PATIENCE: Duration = Duration::from_millis(50);

/// Pause between two looks at a replica that is behind.
const LOOK: Duration = Duration::from_millis(1);

/// Time between two looks while no read waits. After this time the server also looks whether an unused replica can be used.
const INTERVAL: Duration = Duration::from_secs(2);

/// Time after which reads go to the primary server because a look has not ended, as when the network fails.
const STUCK: Duration = Duration::from_millis(250);

/// Parameters of the connections that look, which detect within two seconds that the other end does not answer.
pub(super) const IMPATIENCE: [(&str, &str); 2] =
    [("connect_timeout", "2"), ("tcp_user_timeout", "2000")];

/// Position up to which the log of the primary server is on its disk. Answered commits are before it.
const POSITION: &str =
    "SELECT CAST(pg_current_wal_flush_lsn() - '0/0'::pg_lsn AS BIGINT) AS position";

/// State of the replica. A server that follows no other one may have left the history of the primary server.
const STATE: &str = "SELECT CAST(pg_last_wal_replay_lsn() - '0/0'::pg_lsn AS BIGINT) AS position, \
     pg_is_in_recovery() AS is_replica, \
     EXISTS (SELECT 1 FROM pg_stat_wal_receiver) AS is_following";

/// Name that a database shares with its replicas only.
const NAME: &str = "SELECT CAST(system_identifier AS TEXT) || '/' || current_database() AS name FROM pg_control_system()";

/// Condition of a replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ReplicaCondition {
    /// Reads of callers go to it.
    Used,
    /// Lacks recent changes, or receives none.
    Behind,
    /// No connection: the replica or the primary server cannot be reached.
    #[default]
    Unreachable,
    /// The server at its URL is no replica of the database.
    NotAReplica,
}

/// State of a replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplicaState {
    /// Condition at the last look, which is at most some seconds ago.
    pub condition: ReplicaCondition,
    /// Reads that it got since the store was opened.
    pub reads: u64,
}

type Read = SubmittedRead<PgConnection>;
type PostgresReaders = Arc<ReaderPool<PgConnection>>;

/// Replica of the server, with readers of its own.
pub(super) struct Replica {
    readers: PostgresReaders,
    routing: Arc<Routing>,
    waiting: Mutex<Option<Sender<Read>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// State that the thread shares with those who submit reads.
#[derive(Debug, Default)]
struct Routing {
    condition: Mutex<ReplicaCondition>,
    /// Begin of the look that has not ended.
    looking: Mutex<Option<Instant>>,
    reads: AtomicU64,
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Routing {
    fn is_usable(&self) -> bool {
        let is_stuck = lock(&self.looking).is_some_and(|since| since.elapsed() > STUCK);
        !is_stuck && *lock(&self.condition) == ReplicaCondition::Used
    }

    fn note(&self, condition: ReplicaCondition) {
        let previous = std::mem::replace(&mut *lock(&self.condition), condition);
        if previous == condition {
            return;
        }
        if condition == ReplicaCondition::Used {
            tracing::info!("reads go to the replica");
        } else {
            tracing::warn!(?condition, "reads go to the primary server");
        }
    }
}

impl Replica {
    /// Starts the thread that looks at both servers. The replica may be unreachable.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub(super) fn start(
        [primary, replica]: [Link; 2],
        [primary_readers, readers]: [PostgresReaders; 2],
    ) -> Result<Self, OpenError> {
        let (sender, waiting) = channel();
        let routing = Arc::new(Routing::default());
        let router = ReadRouter {
            primary,
            replica,
            primary_readers,
            replica_readers: Arc::clone(&readers),
            routing: Arc::clone(&routing),
            waiting,
        };
        let thread = Builder::new()
            .name("store-replica".to_owned())
            .spawn(move || router.run())?;
        Ok(Self {
            readers,
            routing,
            waiting: Mutex::new(Some(sender)),
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Takes a read, or gives it back if the primary server has to answer it.
    pub(super) fn submit(&self, read: Read) -> Result<(), Read> {
        if !self.routing.is_usable() {
            return Err(read);
        }
        match &*lock(&self.waiting) {
            Some(waiting) => waiting.send(read).map_err(|unsent| unsent.0),
            None => Err(read),
        }
    }

    /// Returns the state.
    pub(super) fn state(&self) -> ReplicaState {
        ReplicaState {
            condition: *lock(&self.routing.condition),
            reads: self.routing.reads.load(Ordering::Relaxed),
        }
    }

    /// Finishes the accepted reads, and disconnects.
    pub(super) fn close(&self) {
        lock(&self.waiting).take();
        let thread = lock(&self.thread).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread of the replica panicked");
        }
        self.readers.close();
    }
}

/// Thread that gives each read to the replica or to the primary server.
struct ReadRouter {
    primary: Link,
    replica: Link,
    primary_readers: PostgresReaders,
    replica_readers: PostgresReaders,
    routing: Arc<Routing>,
    waiting: Receiver<Read>,
}

impl ReadRouter {
    fn run(self) {
        let mut servers = None;
        let mut reads: Vec<Read> = Vec::new();
        loop {
            let condition = self.look(&mut servers);
            self.routing.note(condition);
            let is_used = condition == ReplicaCondition::Used;
            let readers = if is_used {
                let count = u64::try_from(reads.len()).unwrap_or(0);
                self.routing.reads.fetch_add(count, Ordering::Relaxed);
                &self.replica_readers
            } else {
                &self.primary_readers
            };
            for read in reads.drain(..) {
                readers.submit(read);
            }
            match self.waiting.recv_timeout(INTERVAL) {
                Ok(read) => reads.push(read),
                Err(RecvTimeoutError::Timeout) => (),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            reads.extend(self.waiting.try_iter());
        }
    }

    /// Looks whether the replica has everything that is committed by now.
    fn look(&self, servers: &mut Option<ServerPair>) -> ReplicaCondition {
        *lock(&self.routing.looking) = Some(Instant::now());
        let connected = match servers.take() {
            Some(servers) => Ok(servers),
            None => ServerPair::connect(&self.primary, &self.replica),
        };
        let compared = connected.and_then(|mut connected| {
            let condition = connected.compare()?;
            *servers = Some(connected);
            Ok(condition)
        });
        *lock(&self.routing.looking) = None;
        compared.unwrap_or_else(|error| {
            tracing::debug!(error = &error as &dyn std::error::Error, "no replica");
            ReplicaCondition::Unreachable
        })
    }
}

#[derive(QueryableByName)]
struct NameRow {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct PositionRow {
    #[diesel(sql_type = BigInt)]
    position: i64,
}

#[derive(QueryableByName)]
struct StateRow {
    #[diesel(sql_type = Nullable<BigInt>)]
    position: Option<i64>,
    #[diesel(sql_type = Bool)]
    is_replica: bool,
    #[diesel(sql_type = Bool)]
    is_following: bool,
}

/// Connections to both servers.
struct ServerPair {
    primary: PgConnection,
    replica: PgConnection,
    is_same: bool,
}

impl ServerPair {
    fn connect(primary: &Link, replica: &Link) -> Result<Self, OpenError> {
        let [mut primary, mut replica] = [primary.establish()?, replica.establish()?];
        let name = |connection: &mut PgConnection| {
            let row: NameRow = diesel::sql_query(NAME).get_result(connection)?;
            Ok::<_, OpenError>(row.name)
        };
        Ok(Self {
            is_same: name(&mut primary)? == name(&mut replica)?,
            primary,
            replica,
        })
    }

    fn compare(&mut self) -> Result<ReplicaCondition, OpenError> {
        let wanted: PositionRow = diesel::sql_query(POSITION).get_result(&mut self.primary)?;
        let started = Instant::now();
        loop {
            let found: StateRow = diesel::sql_query(STATE).get_result(&mut self.replica)?;
            let has_all = found.position.is_some_and(|place| place >= wanted.position);
            if !self.is_same || !found.is_replica {
                return Ok(ReplicaCondition::NotAReplica);
            } else if found.is_following && has_all {
                return Ok(ReplicaCondition::Used);
            } else if !found.is_following || started.elapsed() > PATIENCE {
                return Ok(ReplicaCondition::Behind);
            }
            thread::park_timeout(LOOK);
        }
    }
}
