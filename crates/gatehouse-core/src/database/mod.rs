//! The database, whichever it is: one type that is a [`Store`] over transactions behind `dyn`.
//!
//! [`Database`] is the only way to it. Whatever a write takes away is recorded by the transaction itself, kept for other
//! processes in the same transaction, and noted in this one before anybody is answered: see `recording`.
//!
//! This is the only place that knows which adapters there are. Everything above it is compiled once and works
//! on [`ReadTransaction`] and [`WriteTransaction`].

#[cfg(test)]
mod conformance;
mod guarded;
mod open;
mod recording;

use accounts::{AccountReadTx, AccountWriteTx};
use alert_intake::store::{AlertReadTx, AlertWriteTx};
use deprecations::{UseReadTx, UseWriteTx};
use error_tracking::store::{ErrorReadTx, ErrorWriteTx};
use events::{EventReadTx, EventWriteTx};
use oauth_provider::{OauthReadTx, OauthWriteTx};
use pipelines::store::{CiReadTx, CiWriteTx};
use projects::{ProjectReadTx, ProjectWriteTx};
use storage::{Capabilities, GroupWork, Lane, Pending, Store, StoreError, Work};
use storage_diesel::{OpenError, PostgresStore, RowSink, SqliteStore, TransferError, WriterStats};

pub use guarded::Database;
pub use open::{OpenDatabaseError, open, open_existing};
pub use storage_diesel::{JournalStage, JournalState};

/// All that a read transaction can tell.
pub trait ReadTransaction:
    AccountReadTx
    + ProjectReadTx
    + AlertReadTx
    + EventReadTx
    + OauthReadTx
    + ErrorReadTx
    + UseReadTx
    + CiReadTx
{
}

impl<T> ReadTransaction for T where
    T: AccountReadTx
        + ProjectReadTx
        + AlertReadTx
        + EventReadTx
        + OauthReadTx
        + ErrorReadTx
        + UseReadTx
        + CiReadTx
        + ?Sized
{
}

/// All that a write transaction can do. One closure over it may change several aggregates as one step.
pub trait WriteTransaction:
    ReadTransaction
    + AccountWriteTx
    + ProjectWriteTx
    + AlertWriteTx
    + EventWriteTx
    + OauthWriteTx
    + ErrorWriteTx
    + UseWriteTx
    + CiWriteTx
{
}

impl<T> WriteTransaction for T where
    T: AccountWriteTx
        + ProjectWriteTx
        + AlertWriteTx
        + EventWriteTx
        + OauthWriteTx
        + ErrorWriteTx
        + UseWriteTx
        + CiWriteTx
        + ?Sized
{
}

/// The adapter that the configuration names. Anyone who wrote to it directly would leave what was revoked in the caches, so
/// it stays in this module.
#[derive(Debug)]
enum Engine {
    /// The embedded one.
    Sqlite(SqliteStore),
    /// A PostgreSQL server.
    Postgres(PostgresStore),
}

impl Engine {
    fn migrate(&self) -> Result<(), OpenError> {
        match self {
            Self::Sqlite(store) => store.migrate(),
            Self::Postgres(store) => store.migrate(),
        }
    }

    fn pending_migrations(&self) -> Result<Vec<String>, OpenError> {
        match self {
            Self::Sqlite(store) => store.pending_migrations(),
            Self::Postgres(store) => store.pending_migrations(),
        }
    }

    fn prove(&self) -> Pending<(), StoreError> {
        match self {
            Self::Sqlite(store) => store.prove(),
            Self::Postgres(store) => store.prove(),
        }
    }

    /// What is wrong with what is stored, in sentences; empty when nothing is known to be. The whole database is read.
    ///
    /// # Errors
    /// When the database cannot be asked.
    fn damages(&self) -> Result<Vec<String>, OpenError> {
        match self {
            Self::Sqlite(store) => store.damages(),
            Self::Postgres(store) => store.damages(),
        }
    }

    fn writer_stats(&self) -> WriterStats {
        match self {
            Self::Sqlite(store) => store.writer_stats(),
            Self::Postgres(store) => store.writer_stats(),
        }
    }

    fn journal(&self) -> Option<JournalState> {
        match self {
            Self::Sqlite(store) => Some(store.journal()),
            Self::Postgres(_) => None,
        }
    }

    fn export(&self, sink: &mut dyn RowSink) -> Result<(), TransferError> {
        match self {
            Self::Sqlite(store) => store.export(sink),
            Self::Postgres(store) => store.export(sink),
        }
    }

    fn close(&self) {
        match self {
            Self::Sqlite(store) => store.close(),
            Self::Postgres(store) => store.close(),
        }
    }
}

impl Store for Engine {
    type ReadTx<'t> = dyn ReadTransaction + 't;
    type WriteTx<'t> = dyn WriteTransaction + 't;

    fn read_in<T, E, F>(&self, lane: Lane, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        match self {
            Self::Sqlite(store) => store.read_in(lane, move |tx| work(tx)),
            Self::Postgres(store) => store.read_in(lane, move |tx| work(tx)),
        }
    }

    fn write<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> Fn(&mut Self::WriteTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        match self {
            Self::Sqlite(store) => store.write(move |tx| work(tx)),
            Self::Postgres(store) => store.write(move |tx| work(tx)),
        }
    }

    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<Self::WriteTx<'t>>,
    {
        match self {
            Self::Sqlite(store) => store.write_grouped(DynWork(work)),
            Self::Postgres(store) => store.write_grouped(DynWork(work)),
        }
    }

    fn capabilities(&self) -> Capabilities {
        match self {
            Self::Sqlite(store) => store.capabilities(),
            Self::Postgres(store) => store.capabilities(),
        }
    }
}

/// Work that is written against `dyn`, as an adapter with its own transaction type sees it.
struct DynWork<W>(W);

impl<W: Work> Work for DynWork<W> {
    type Output = W::Output;
    type Error = W::Error;

    const EXCLUSIVE: bool = W::EXCLUSIVE;

    fn weight(&self) -> usize {
        self.0.weight()
    }
}

impl<Tx, W> GroupWork<Tx> for DynWork<W>
where
    Tx: WriteTransaction,
    W: for<'t> GroupWork<dyn WriteTransaction + 't>,
{
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<Self::Output>, Self::Error> {
        let inner: Vec<&W> = group.iter().map(|work| &work.0).collect();
        W::run(tx, &inner)
    }
}
