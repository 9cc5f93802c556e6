//! The database as everybody uses it: no write is answered before the caches know what it took away.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use accounts::Revoked;
use storage::dynamic::{self, AnyError, AnyPending, AnyResult};
use storage::{Capabilities, GroupWork, Lane, Pending, Store, StoreError, Work};
use storage_diesel::{JournalState, OpenError, RowSink, TransferError, WriterStats};

use super::recording::Recording;
use super::{CompleteStore, Engine, ReadTransaction, WriteTransaction};
use crate::auth::revocations::RevocationTracker;

/// The closure of a write, with its types forgotten: what is around it is compiled once, and not for every closure.
type AnyWrite = Box<dyn Fn(&mut (dyn WriteTransaction + '_)) -> AnyResult + Send>;

/// The database that the configuration names.
///
/// There is no way around the frame that its writes run in, so what they take away cannot be forgotten: the closure of a
/// write gets a transaction that records it, and the adapter underneath is nobody else's.
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
    /// A database over its adapter.
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

    /// Writes, with what the closure takes away recorded: see [`Store::write`] of this type.
    fn write_recorded(&self, work: AnyWrite) -> AnyPending {
        let written = self.store().write(move |tx| {
            let mut recording = Recording::over(tx);
            let output = work(recording.as_transaction())?;
            Ok::<_, AnyError>((output, recording.settle()?))
        });
        let revocations = Arc::clone(&self.revocations);
        written.then(move |outcome| {
            let (output, ended) = outcome?;
            revocations.note(&ended, Instant::now());
            Ok(output)
        })
    }

    /// What this process knows of revocations.
    pub fn revocations(&self) -> &Arc<RevocationTracker> {
        &self.revocations
    }

    /// Reads in the lane of the caller, so that one caller with many requests never holds all readers. What the program reads for
    /// itself is read in [`Lane::Shared`].
    ///
    /// It takes the place of [`Store::read`], which knows no lane, so that none can be forgotten:
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
        self.store().read_in(lane, work)
    }

    /// Reads what says who calls and what they may do. All checks of tokens, sessions, applications and endpoints come
    /// here, and the watch on the epoch.
    pub fn read_for_auth<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut (dyn ReadTransaction + 't)) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.read(Lane::Check, work)
    }

    /// Brings the tables up to date. Any number of processes may do so at once.
    ///
    /// # Errors
    /// When a step fails; the steps before it stay applied.
    pub fn migrate(&self) -> Result<(), OpenError> {
        self.engine.migrate()
    }

    /// The steps that [`Self::migrate`] would apply.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn pending_migrations(&self) -> Result<Vec<String>, OpenError> {
        self.engine.pending_migrations()
    }

    /// What is wrong with what is stored, in sentences; empty when nothing is known to be. The whole database is read.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn damages(&self) -> Result<Vec<String>, OpenError> {
        self.engine.damages()
    }

    /// Proves that the database can do its work: it takes a write, its tables are those of this program, its files are
    /// the ones that were opened, its disk has room, and nothing was found damaged. It costs a commit.
    pub fn prove(&self) -> Pending<(), StoreError> {
        self.engine.prove()
    }

    /// What the writers have done so far, and how much waits for them.
    pub fn writer_stats(&self) -> WriterStats {
        self.engine.writer_stats()
    }

    /// How long the journal of an embedded database is, and what is done about it.
    pub fn journal(&self) -> Option<JournalState> {
        self.engine.journal()
    }

    /// Gives all rows as they are at one instant, while others go on.
    ///
    /// # Errors
    /// When the database or the sink fails.
    pub(crate) fn export(&self, sink: &mut dyn RowSink) -> Result<(), TransferError> {
        self.engine.export(sink)
    }

    /// Finishes everything that was accepted and closes all connections.
    pub fn close(&self) {
        self.engine.close();
    }
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
        self.store().read_in(lane, work)
    }

    /// Writes. What the closure takes away is worth nothing in this process before the write is answered, and in others
    /// a time later.
    fn write<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> Fn(&mut Self::WriteTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let work = move |tx: &mut (dyn WriteTransaction + '_)| dynamic::forget(work(tx));
        self.write_recorded(Box::new(work)).typed()
    }

    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<Self::WriteTx<'t>>,
    {
        let revocations = Arc::clone(&self.revocations);
        let written = self.store().write_grouped(Recorded(work));
        written.then(move |outcome| {
            let settled = outcome?;
            settled.ended.note(&revocations);
            Ok(settled.output)
        })
    }

    fn capabilities(&self) -> Capabilities {
        self.store().capabilities()
    }
}

/// Work whose transaction records what it takes away.
struct Recorded<W>(W);

/// An output, with what its group took away.
struct Settled<T> {
    output: T,
    ended: Arc<GroupRevocations>,
}

/// What a group took away: it is noted once, before the first of its members is answered.
struct GroupRevocations {
    ended: Vec<Revoked>,
    noted: OnceLock<()>,
}

impl GroupRevocations {
    fn note(&self, revocations: &RevocationTracker) {
        self.noted
            .get_or_init(|| revocations.note(&self.ended, Instant::now()));
    }
}

impl<W: Work> Work for Recorded<W> {
    type Output = Settled<W::Output>;
    type Error = W::Error;

    fn is_exclusive(&self) -> bool {
        self.0.is_exclusive()
    }

    fn weight(&self) -> usize {
        self.0.weight()
    }
}

impl<'t, W> GroupWork<dyn WriteTransaction + 't> for Recorded<W>
where
    W: for<'r> GroupWork<dyn WriteTransaction + 'r>,
{
    fn run(
        tx: &mut (dyn WriteTransaction + 't),
        group: &[&Self],
    ) -> Result<Vec<Self::Output>, Self::Error> {
        let inner: Vec<&W> = group.iter().map(|recorded| &recorded.0).collect();
        let mut recording = Recording::over(tx);
        let outputs = W::run(recording.as_transaction(), &inner)?;
        let ended = Arc::new(GroupRevocations {
            ended: recording.settle_group()?,
            noted: OnceLock::new(),
        });
        let settled = outputs.into_iter().map(|output| Settled {
            output,
            ended: Arc::clone(&ended),
        });
        Ok(settled.collect())
    }
}
