//! Embedded SQLite database.

mod checkpoint;
mod files;
mod journal;
pub(crate) mod open;
mod pressure;
mod store;
mod template;

pub(crate) use files::beside;
pub(crate) use pressure::room;
pub use pressure::{JournalStage, JournalState};
pub use store::{SqliteOptions, SqliteStore};

/// A read transaction on SQLite.
pub type SqliteReadTx<'t> = crate::transaction::ReadTx<'t, diesel::SqliteConnection>;
/// A write transaction on SQLite.
pub struct SqliteWriteTx<'t> {
    reading: SqliteReadTx<'t>,
}

impl<'t> SqliteWriteTx<'t> {
    pub(crate) fn over(connection: &'t mut diesel::SqliteConnection) -> Self {
        Self {
            reading: SqliteReadTx { connection },
        }
    }
}

impl<'t> storage::TransactionWrapper for SqliteWriteTx<'t> {
    type Inner = SqliteReadTx<'t>;

    const FORWARDS_REVOCATIONS: bool = true;

    fn inner(&mut self) -> &mut SqliteReadTx<'t> {
        &mut self.reading
    }
}

impl crate::transaction::Transaction for SqliteWriteTx<'_> {
    type Connection = diesel::SqliteConnection;

    fn connection(&mut self) -> Result<&mut diesel::SqliteConnection, storage::StoreError> {
        Ok(self.reading.connection)
    }
}

impl std::fmt::Debug for SqliteWriteTx<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteWriteTx").finish_non_exhaustive()
    }
}
