//! One body for both databases: each macro writes the repositories of a crate for one connection type. What the
//! databases do differently is in modules of `sqlite` and `postgres`, under the same names.

#[cfg(feature = "accounts")]
mod accounts;
#[cfg(feature = "alert-intake")]
mod alerts;
#[cfg(feature = "accounts")]
mod credentials;
#[cfg(feature = "events")]
mod events;
#[cfg(feature = "oauth-provider")]
mod oauth;
#[cfg(feature = "projects")]
mod projects;
#[cfg(feature = "accounts")]
mod sessions;

use storage::StoreError;

/// A read transaction over a connection.
#[derive(Debug)]
pub struct ReadTx<'t, C> {
    pub(crate) connection: &'t mut C,
}

/// A transaction, as the repositories see it.
pub(crate) trait Transaction {
    /// What statements run on.
    type Connection;

    /// The connection, on which the transaction has begun, and which knows of everything that was written before.
    ///
    /// # Errors
    /// When the database refuses what was to be written before.
    fn connection(&mut self) -> Result<&mut Self::Connection, StoreError>;
}

impl<C> Transaction for ReadTx<'_, C> {
    type Connection = C;

    fn connection(&mut self) -> Result<&mut C, StoreError> {
        Ok(self.connection)
    }
}

/// Writes the implementations of a pair of traits: the queries for both kinds of transaction, the rest for write
/// transactions, on each database that is compiled in. Further names are those of modules which each database has,
/// for the statements that they write differently.
#[cfg(any(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "events",
    feature = "oauth-provider"
))]
macro_rules! for_each_database {
    ($queries:ident, $repository:ident $(, $dialect:ident)*) => {
        #[cfg(feature = "sqlite")]
        mod on_sqlite {
            use super::*;
            use crate::repo::Transaction as _;
            $(use crate::sqlite::$dialect;)*
            use crate::sqlite::SqliteWriteTx as WriteTx;
            $queries!(crate::sqlite::SqliteReadTx, diesel::SqliteConnection);
            $queries!(crate::sqlite::SqliteWriteTx, diesel::SqliteConnection);
            $repository!(diesel::SqliteConnection);
        }
        #[cfg(feature = "postgres")]
        mod on_postgres {
            use super::*;
            use crate::repo::Transaction as _;
            $(use crate::postgres::$dialect;)*
            use crate::postgres::PgWriteTx as WriteTx;
            $queries!(crate::postgres::PgReadTx, diesel::PgConnection);
            $queries!(crate::postgres::PgWriteTx, diesel::PgConnection);
            $repository!(diesel::PgConnection);
        }
    };
}

#[cfg(any(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "events",
    feature = "oauth-provider"
))]
pub(crate) use for_each_database;
