//! The machinery that both databases share: bounded queues, writers that commit in groups, readers in lanes, and a
//! watchdog that answers in the place of whatever takes too long.

mod pool;
mod queue;
mod readers;
mod repeats;
mod transaction;
mod unit;
mod watchdog;
mod writer;

pub(crate) use pool::Opening;
pub(crate) use readers::{ReaderSettings, Readers};
pub(crate) use repeats::log_first;
#[cfg(feature = "sqlite")]
pub(crate) use repeats::{Repeats, log_repeated};
pub(crate) use unit::Unit;
pub(crate) use watchdog::Watchdog;
pub use writer::WriterStats;
pub(crate) use writer::{Backends, WriterHandle, WriterSettings};

use std::thread::{self, JoinHandle};

use diesel::connection::SimpleConnection;
use storage::StoreError;

/// Waits for the threads of a store to end. A store may be dropped by the last closure that holds it, on one of these threads:
/// that one is not waited for, and ends when the closure is gone.
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

/// What the machinery needs to know of a database.
pub(crate) trait Backend: Send + 'static {
    /// The connection.
    type Connection: SimpleConnection + 'static;
    /// What a write closure gets.
    type WriteTx<'t>;

    /// Whether everything that is queued shares a transaction, each unit of work in a savepoint of its own. Right for a
    /// database that has one writer at a time, where a commit is dear and a lock is held by nobody else. Where several
    /// write, a transaction that holds the locks of unrelated work waits for others in an order that nobody chose.
    const SHARES: bool;

    /// The statement that commits. It must fail in a transaction that the database has given up, so that nothing
    /// is ever acknowledged that a quiet rollback undid.
    const COMMIT: &'static str;

    /// Begins the transaction of a closure, or of everything where all share one. Where not, that of grouped work begins
    /// itself.
    ///
    /// # Errors
    /// When the database does not.
    fn begin(connection: &mut Self::Connection) -> diesel::QueryResult<()>;

    /// The connection, made anew when it was [given up](Self::give_up).
    fn connection(&mut self) -> Result<&mut Self::Connection, StoreError>;

    /// The connection failed in a way that may stay with it: the next call of [`Self::connection`] makes a new one.
    fn give_up(&mut self);

    /// Whether what was committed may be acknowledged.
    ///
    /// # Errors
    /// When it went to a place where nobody will find it again.
    fn vouch(&mut self) -> Result<(), StoreError>;

    /// Why nothing may be written at this time, if that is so.
    fn refusal(&self) -> Option<&'static str>;

    /// The transaction over a connection on which one has begun.
    fn write_tx(connection: &mut Self::Connection) -> Self::WriteTx<'_>;

    /// The transaction of grouped work, which may keep back what it writes until it is [settled](Self::settle).
    fn group_tx(connection: &mut Self::Connection) -> Self::WriteTx<'_>;

    /// Tells the database all that a transaction of grouped work has kept back.
    ///
    /// # Errors
    /// When the database refuses it.
    fn settle(tx: &mut Self::WriteTx<'_>) -> Result<(), StoreError>;

    /// Called between two batches; `written` is about how many bytes the last one wrote.
    fn between_batches(&mut self, written: usize);
}
