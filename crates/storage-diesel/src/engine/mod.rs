//! Machinery shared by both databases: bounded queues, writers that commit in groups, readers in lanes, and a watchdog
//! that answers for work that takes too long.

mod gate;
mod latency;
mod pool;
mod queue;
mod readers;
mod repeats;
mod transaction;
mod unit;
mod watchdog;
mod writer;

#[cfg(feature = "sqlite")]
pub(crate) use gate::ReadGate;
pub use latency::Latency;
pub(crate) use pool::ConnectionOpener;
pub use readers::ReaderStats;
#[cfg(feature = "postgres")]
pub(crate) use readers::SubmittedRead;
pub(crate) use readers::{ReaderPool, ReaderSettings};
pub(crate) use repeats::log_first;
#[cfg(feature = "sqlite")]
pub(crate) use repeats::{RepeatedFailures, log_repeated};
pub(crate) use unit::Unit;
pub(crate) use watchdog::Watchdog;
pub use writer::WriterStats;
pub(crate) use writer::{Backends, WriterHandle, WriterSettings};

use std::thread::{self, JoinHandle};

use diesel::connection::SimpleConnection;
use storage::StoreError;

/// Waits for the threads of a store to end.
/// A store may be dropped by the last closure that holds it, on one of these threads: that thread is not waited for,
/// and ends when the closure is dropped.
fn join(threads: Vec<JoinHandle<()>>) {
    let others = threads
        .into_iter()
        .filter(|thread| thread.thread().id() != thread::current().id());
    for thread in others {
        if thread.join().is_err() {
            tracing::error!("a thread of the store panicked");
        }
    }
}

/// Database-specific operations that the machinery needs.
pub(crate) trait WriterBackend: Send + 'static {
    /// Type of the connection.
    type Connection: SimpleConnection + 'static;
    /// Transaction of a write closure.
    type WriteTx<'t>;

    /// True if everything that is queued shares a transaction, each unit of work in a savepoint of its own.
    /// This suits a database that has one writer at a time, where a commit is expensive and no other transaction holds
    /// locks. Where several write, a transaction with the locks of unrelated work would wait for others in an arbitrary
    /// order.
    const SHARES: bool;

    /// Statement that commits.
    /// It must fail in a transaction that the database has aborted, so that work is never acknowledged that a silent
    /// rollback undid.
    const COMMIT: &'static str;

    /// Begins the transaction of a closure, or the one that all work shares.
    /// If work shares none, the transaction of grouped work begins on its own.
    ///
    /// # Errors
    /// If the database fails.
    fn begin(connection: &mut Self::Connection) -> diesel::QueryResult<()>;

    /// Returns the connection, a new one if it was [given up](Self::give_up).
    fn connection(&mut self) -> Result<&mut Self::Connection, StoreError>;

    /// Gives up a connection whose failure may persist: the next call of [`Self::connection`] opens a new one.
    fn give_up(&mut self);

    /// Verifies that committed work may be acknowledged.
    ///
    /// # Errors
    /// If the commit went to a place where it cannot be found again.
    fn verify_durable(&mut self) -> Result<(), StoreError>;

    /// Returns the reason why nothing may be written at this time, if there is one.
    fn refusal(&self) -> Option<&'static str>;

    /// Creates the transaction over a connection on which one has begun.
    fn write_tx(connection: &mut Self::Connection) -> Self::WriteTx<'_>;

    /// Creates the transaction of grouped work, which may buffer its writes until it is [flushed](Self::flush).
    fn group_tx(connection: &mut Self::Connection) -> Self::WriteTx<'_>;

    /// Sends all buffered writes of a transaction of grouped work to the database.
    ///
    /// # Errors
    /// If the database rejects them.
    fn flush(tx: &mut Self::WriteTx<'_>) -> Result<(), StoreError>;

    /// Called between two batches.
    fn between_batches(&mut self);
}
