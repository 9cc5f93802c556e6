//! The embedded database.

pub(crate) mod batch;
mod checkpoint;
#[cfg(feature = "accounts")]
pub(crate) mod credentials;
#[cfg(feature = "oauth-provider")]
pub(crate) mod families;
mod files;
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
pub type SqliteWriteTx<'t> = crate::repo::WriteTx<'t, diesel::SqliteConnection>;
