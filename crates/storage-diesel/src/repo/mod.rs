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

/// A read transaction over a connection.
#[derive(Debug)]
pub struct ReadTx<'t, C> {
    #[cfg_attr(
        not(any(
            feature = "accounts",
            feature = "projects",
            feature = "alert-intake",
            feature = "events",
            feature = "oauth-provider"
        )),
        expect(dead_code, reason = "a store of nothing has transactions all the same")
    )]
    pub(crate) connection: &'t mut C,
}

/// A write transaction over a connection.
#[derive(Debug)]
pub struct WriteTx<'t, C> {
    pub(crate) connection: &'t mut C,
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
            $(use crate::sqlite::$dialect;)*
            $queries!(crate::repo::ReadTx, diesel::SqliteConnection);
            $queries!(crate::repo::WriteTx, diesel::SqliteConnection);
            $repository!(diesel::SqliteConnection);
        }
        #[cfg(feature = "postgres")]
        mod on_postgres {
            use super::*;
            $(use crate::postgres::$dialect;)*
            $queries!(crate::repo::ReadTx, diesel::PgConnection);
            $queries!(crate::repo::WriteTx, diesel::PgConnection);
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
