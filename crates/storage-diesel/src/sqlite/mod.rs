//! The embedded database.

pub(crate) mod batch;
mod checkpoint;
mod open;
#[cfg(feature = "alert-intake")]
mod statements;
mod store;

pub use store::{SqliteOptions, SqliteStore};

/// A read transaction on SQLite.
pub type SqliteReadTx<'t> = crate::repo::ReadTx<'t, diesel::SqliteConnection>;
/// A write transaction on SQLite.
pub type SqliteWriteTx<'t> = crate::repo::WriteTx<'t, diesel::SqliteConnection>;
