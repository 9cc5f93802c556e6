//! The machinery that both databases share: a bounded queue, a writer that commits in groups, and readers.

mod queue;
mod readers;
mod unit;
mod writer;

pub(crate) use queue::{Queue, Refused, Waiting};
pub(crate) use readers::Readers;
pub(crate) use unit::Unit;
pub(crate) use writer::WriterHandle;
pub use writer::WriterStats;

use diesel::connection::SimpleConnection;
use storage::StoreError;

/// What the machinery needs to know of a database.
pub(crate) trait Backend: Send + 'static {
    /// The connection.
    type Connection: SimpleConnection + 'static;
    /// What a write closure gets.
    type WriteTx<'t>;

    /// The statement that begins a write transaction.
    const BEGIN: &'static str;

    /// The statement that commits. It must fail in a transaction that the database has given up, so that nothing
    /// is ever acknowledged that a quiet rollback undid.
    const COMMIT: &'static str;

    /// The connection, made anew when it was lost.
    fn connection(&mut self) -> Result<&mut Self::Connection, StoreError>;

    /// The connection failed: the next call of [`Self::connection`] makes a new one if it has to.
    fn suspect(&mut self);

    /// The transaction over a connection on which one has begun.
    fn write_tx(connection: &mut Self::Connection) -> Self::WriteTx<'_>;

    /// Called between two batches; `written` is about how many bytes the last one wrote.
    fn between_batches(&mut self, written: usize);
}
