//! The embedded database.

pub(crate) mod batch;
mod checkpoint;
#[cfg(feature = "accounts")]
pub(crate) mod credentials;
#[cfg(feature = "oauth-provider")]
pub(crate) mod families;
mod files;
#[cfg(feature = "alert-intake")]
pub(crate) mod intake;
#[cfg(feature = "alert-intake")]
pub(crate) mod kept_answers;
#[cfg(feature = "oauth-provider")]
pub(crate) mod oauth;
mod open;
#[cfg(feature = "accounts")]
pub(crate) mod sessions;
#[cfg(feature = "alert-intake")]
mod statements;
mod store;

pub use store::{SqliteOptions, SqliteStore};

/// A read transaction on SQLite.
pub type SqliteReadTx<'t> = crate::repo::ReadTx<'t, diesel::SqliteConnection>;
/// A write transaction on SQLite.
pub struct SqliteWriteTx<'t> {
    connection: &'t mut diesel::SqliteConnection,
}

impl crate::repo::Transaction for SqliteWriteTx<'_> {
    type Connection = diesel::SqliteConnection;

    fn connection(&mut self) -> Result<&mut diesel::SqliteConnection, storage::StoreError> {
        Ok(self.connection)
    }
}

impl std::fmt::Debug for SqliteWriteTx<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteWriteTx").finish_non_exhaustive()
    }
}
