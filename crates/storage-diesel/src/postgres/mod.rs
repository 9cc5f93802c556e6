//! A PostgreSQL server.

pub(crate) mod batch;
#[cfg(feature = "accounts")]
pub(crate) mod credentials;
mod damage;
#[cfg(feature = "oauth-provider")]
pub(crate) mod families;
#[cfg(feature = "alert-intake")]
pub(crate) mod intake;
#[cfg(feature = "alert-intake")]
pub(crate) mod kept_answers;
mod limits;
#[cfg(feature = "oauth-provider")]
pub(crate) mod oauth;
#[cfg(feature = "accounts")]
pub(crate) mod sessions;
#[cfg(any(
    feature = "accounts",
    feature = "alert-intake",
    feature = "events",
    feature = "oauth-provider",
    feature = "projects"
))]
mod statements;
mod store;
mod transaction;

pub use store::{PostgresOptions, PostgresStore};
pub use transaction::PgWriteTx;

/// A read transaction on PostgreSQL.
pub type PgReadTx<'t> = crate::repo::ReadTx<'t, diesel::PgConnection>;
