//! The database as the program uses it: no write is answered before the caches know what it revoked.

use std::any::type_name;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use accounts::{AuditImpersonation, AuditOrigin, RevocationSubject};
use storage::dynamic::{self, AnyError, AnyPending, AnyResult};
use storage::{Capabilities, GroupWork, Lane, Pending, Store, StoreError, Work};
use storage_diesel::{
    JournalState, OpenError, ReaderStats, ReplicaState, RowSink, ServerState, TransferError,
    WriterStats,
};
use tracing::{Level, Span};

use super::recording::RevocationRecorder;
use super::request_origin;
use super::{CompleteStore, Engine, ReadTransaction, WriteTransaction};
use crate::auth::revocations::RevocationTracker;

/// The closure of a write with its types erased, so that the code around it is compiled once instead of once per
/// closure.
type AnyWrite = Box<dyn Fn(&mut (dyn WriteTransaction + '_)) -> AnyResult + Send>;

/// The configured database.
///
/// All writes run inside a wrapper that cannot be bypassed, so that no revocation is missed: the closure of a write
/// receives a transaction that records revocations, and the adapter underneath is private.
///
/// ```
/// # use storage::{Store as _, StoreError};
/// # use accounts::SessionRepository as _;
/// fn sign_out(database: &gatehouse_core::database::Database) {
///     let ended = database
///         .write(|tx| tx.delete_session(api_conventions::ids::SessionId::new(1)));
///     let _: Result<bool, StoreError> = ended.wait();
/// }
/// ```
///
/// The same does not compile on the adapter:
///
/// ```compile_fail,E0616
/// # use storage::{Store as _, StoreError};
/// # use accounts::SessionRepository as _;
/// fn sign_out_quietly(database: &gatehouse_core::database::Database) {
///     let ended = database
///         .engine // private: a write there would leave the session in every cache
///         .write(|tx| tx.delete_session(api_conventions::ids::SessionId::new(1)));
///     let _: Result<bool, StoreError> = ended.wait();
/// }
/// ```
pub struct Database {
    engine: Box<dyn Engine>,
    revocations: Arc<RevocationTracker>,
}

impl Database {
    /// Wraps an adapter.
    pub(super) fn over(engine: impl Engine) -> Self {
        Self {
            engine: Box::new(engine),
            revocations: Arc::default(),
        }
    }

    /// The adapter as a store.
    fn store(&self) -> &dyn CompleteStore {
        &*self.engine
    }

    /// Runs a write and records what its closure revokes: see [`Store::write`] of this type. Its audit entries record the
    /// address of the client whose request is being handled, if there is one. `name` is that of the closure, for traces.
    fn write_recorded(
        &self,
        impersonation: Option<AuditImpersonation>,
        name: &'static str,
        work: AnyWrite,
    ) -> AnyPending {
        let origin = AuditOrigin {
            impersonation,
            client_address: request_origin::client_address(),
        };
        let span = traced("database write", name);
        let written = self.store().write(move |tx| {
            let mut recorder = RevocationRecorder::over(tx).with_origin(origin);
            let output = work(recorder.as_transaction())?;
            Ok::<_, AnyError>((output, recorder.finish()?))
        });
        let revocations = Arc::clone(&self.revocations);
        written.then(move |outcome| {
            drop(span);
            let (output, ended) = outcome?;
            revocations.note(&ended, Instant::now());
            Ok(output)
        })
    }

    /// Revocations known to this process.
    pub fn revocations(&self) -> &Arc<RevocationTracker> {
        &self.revocations
    }

    /// Reads in the lane of the caller, so that one caller with many requests never occupies all readers.
    /// Reads by the program itself use [`Lane::Shared`].
    ///
    /// Replaces [`Store::read`], which takes no lane, so that the lane cannot be forgotten:
    ///
    /// ```compile_fail,E0061
    /// # use storage::{Store as _, StoreError};
    /// # use accounts::AccountQueries as _;
    /// fn epoch(database: &gatehouse_core::database::Database) -> Result<i64, StoreError> {
    ///     database.read(|tx| tx.auth_epoch()).wait()
    /// }
    /// ```
    pub fn read<T, E, F>(&self, lane: Lane, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut (dyn ReadTransaction + 't)) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let span = traced("database read", type_name::<F>());
        let read = self.store().read_in(lane, work);
        if span.is_disabled() {
            return read;
        }
        read.then(move |outcome| {
            drop(span);
            outcome
        })
    }

    /// Reads the data that authenticates and authorizes callers.
    /// Used by all checks of tokens, sessions, applications and endpoints, and by the epoch watcher.
    pub fn read_for_auth<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut (dyn ReadTransaction + 't)) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.read(Lane::Check, work)
    }

    /// Runs a write of a request, like [`Store::write`] of this type. The audit entries of the write record the
    /// impersonation that the request used, if there is one.
    pub fn write_for<T, E, F>(
        &self,
        impersonation: Option<AuditImpersonation>,
        work: F,
    ) -> Pending<T, E>
    where
        F: for<'t> Fn(&mut (dyn WriteTransaction + 't)) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let work = move |tx: &mut (dyn WriteTransaction + '_)| dynamic::forget(work(tx));
        self.write_recorded(impersonation, type_name::<F>(), Box::new(work))
            .typed()
    }

    /// Applies the pending migrations. Any number of processes may do so at once.
    ///
    /// # Errors
    /// When a migration fails; the ones before it stay applied.
    pub fn migrate(&self) -> Result<(), OpenError> {
        self.engine.migrate()
    }

    /// Returns the migrations that [`Self::migrate`] would apply.
    ///
    /// # Errors
    /// When the database cannot be queried.
    pub fn pending_migrations(&self) -> Result<Vec<String>, OpenError> {
        self.engine.pending_migrations()
    }

    /// Returns the integrity errors of the stored data, in sentences; empty if none are found. Reads the whole
    /// database.
    ///
    /// # Errors
    /// When the database cannot be queried.
    pub fn integrity_errors(&self) -> Result<Vec<String>, OpenError> {
        self.engine.integrity_errors()
    }

    /// Checks the health of the database, at the cost of a commit.
    /// A healthy database accepts a write, has the schema of this program and the files that were opened, has room on
    /// its disk, and shows no damage.
    pub fn health_check(&self) -> Pending<(), StoreError> {
        self.engine.health_check()
    }

    /// Work done by the writers so far, and the work that waits for them.
    pub fn writer_stats(&self) -> WriterStats {
        self.engine.writer_stats()
    }

    /// Work done by the readers so far, and the work that waits for them.
    pub fn reader_stats(&self) -> ReaderStats {
        self.engine.reader_stats()
    }

    /// Clock and size of a PostgreSQL server; `None` for an embedded database.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn server_state(&self) -> Result<Option<ServerState>, StoreError> {
        match self.engine.server_state() {
            Some(state) => state.await.map(Some),
            None => Ok(None),
        }
    }

    /// Condition of the replica, and the reads that it got; `None` if there is no replica.
    pub fn replica_state(&self) -> Option<ReplicaState> {
        self.engine.replica_state()
    }

    /// Size of the journal of an embedded database, and how writes are limited because of it.
    pub fn journal(&self) -> Option<JournalState> {
        self.engine.journal()
    }

    /// Exports all rows as of one instant, while other work continues.
    ///
    /// # Errors
    /// When the database or the sink fails.
    pub(crate) fn export(&self, sink: &mut dyn RowSink) -> Result<(), TransferError> {
        self.engine.export(sink)
    }

    /// Finishes all accepted work and closes all connections.
    pub fn close(&self) {
        self.engine.close();
    }
}

/// Starts the span of a read or write, as part of the traced request that it belongs to. `function` is the name of its closure.
fn traced(name: &'static str, function: &'static str) -> Span {
    let is_part = tracing::enabled!(target: "traces", Level::TRACE) && !Span::current().is_none();
    if !is_part {
        return Span::none();
    }
    tracing::trace_span!(target: "traces", "database", otel.name = name, code.function.name = function)
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").finish_non_exhaustive()
    }
}

impl Store for Database {
    type ReadTx<'t> = dyn ReadTransaction + 't;
    type WriteTx<'t> = dyn WriteTransaction + 't;

    fn read_in<T, E, F>(&self, lane: Lane, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.read(lane, work)
    }

    /// Runs a write. What the closure revokes is no longer accepted in this process once the write is answered, and
    /// shortly after that in other processes.
    fn write<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> Fn(&mut Self::WriteTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let work = move |tx: &mut (dyn WriteTransaction + '_)| dynamic::forget(work(tx));
        self.write_recorded(None, type_name::<F>(), Box::new(work))
            .typed()
    }

    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<Self::WriteTx<'t>>,
    {
        let span = traced("database write", type_name::<W>());
        let revocations = Arc::clone(&self.revocations);
        let written = self.store().write_grouped(RecordedWork(work));
        written.then(move |outcome| {
            drop(span);
            let recorded = outcome?;
            recorded.ended.note(&revocations);
            Ok(recorded.output)
        })
    }

    fn capabilities(&self) -> Capabilities {
        self.store().capabilities()
    }
}

/// Work whose transaction records revocations.
struct RecordedWork<W>(W);

/// An output with the revocations of its group.
struct RecordedOutput<T> {
    output: T,
    ended: Arc<GroupRevocations>,
}

/// Revocations of a group, recorded once, before the first of its members is answered.
struct GroupRevocations {
    ended: Vec<RevocationSubject>,
    noted: OnceLock<()>,
}

impl GroupRevocations {
    fn note(&self, revocations: &RevocationTracker) {
        self.noted
            .get_or_init(|| revocations.note(&self.ended, Instant::now()));
    }
}

impl<W: Work> Work for RecordedWork<W> {
    type Output = RecordedOutput<W::Output>;
    type Error = W::Error;

    fn is_exclusive(&self) -> bool {
        self.0.is_exclusive()
    }

    fn weight(&self) -> usize {
        self.0.weight()
    }
}

impl<'t, W> GroupWork<dyn WriteTransaction + 't> for RecordedWork<W>
where
    W: for<'r> GroupWork<dyn WriteTransaction + 'r>,
{
    fn run(
        tx: &mut (dyn WriteTransaction + 't),
        group: &[&Self],
    ) -> Result<Vec<Self::Output>, Self::Error> {
        let inner: Vec<&W> = group.iter().map(|work| &work.0).collect();
        let mut recorder = RevocationRecorder::over(tx);
        let outputs = W::run(recorder.as_transaction(), &inner)?;
        let ended = Arc::new(GroupRevocations {
            ended: recorder.finish_group()?,
            noted: OnceLock::new(),
        });
        let outputs = outputs.into_iter().map(|output| RecordedOutput {
            output,
            ended: Arc::clone(&ended),
        });
        Ok(outputs.collect())
    }
}
