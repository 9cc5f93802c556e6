//! Durable storage adapter: SQLite and PostgreSQL through Diesel, with group commit.
//!
//! [`SqliteStore`] keeps everything in one file and needs nothing else. Use [`PostgresStore`] for more than one
//! machine. Both write in groups: all work that is queued while one commit runs goes into the next one, so a thousand
//! callers cost a handful of commits, and each is answered only after the commit that contains its work.
//!
//! # Features
//! `sqlite` (default) and `postgres` choose the databases, both with their client libraries compiled in; `postgres-tls`
//! adds TLS. `accounts`, `projects`, `alert-intake`, `events`, `oauth-provider`, `error-tracking`, `deprecations`,
//! `pipelines` and `notifications` (all default) choose the domain crates whose repositories are implemented and whose tables are created:
//! each crate works without the tables of the others.
//!
//! # When not to use it
//! For work that an async driver must do without blocking, or for another kind of database: write an adapter of your
//! own against the conformance suite.
//!
#![cfg(any(feature = "sqlite", feature = "postgres"))]
#![cfg_attr(
    not(all(
        feature = "accounts",
        feature = "projects",
        feature = "alert-intake",
        feature = "events",
        feature = "oauth-provider",
        feature = "error-tracking",
        feature = "deprecations",
        feature = "pipelines",
        feature = "notifications"
    )),
    allow(
        dead_code,
        unused_imports,
        unused_macros,
        reason = "shared items are unused in a build without some of the domain crates"
    )
)]
#![cfg_attr(
    all(feature = "sqlite", feature = "accounts"),
    doc = r#"
```
use accounts::AccountQueries as _;
use storage::{Store as _, StoreError};
use storage_diesel::{SqliteOptions, SqliteStore};

let directory = tempfile::tempdir()?;
let store = SqliteStore::open(directory.path().join("db.sqlite3"), SqliteOptions::default())?;
store.migrate()?;
let epoch: Result<i64, StoreError> = store.read(|tx| tx.auth_epoch()).wait();
assert_eq!(epoch?, 1);
# Ok::<(), Box<dyn std::error::Error>>(())
```
"#
)]

#[cfg(feature = "accounts")]
mod accounts;
#[cfg(feature = "alert-intake")]
mod alerts;
#[cfg(feature = "deprecations")]
mod deprecations;
#[cfg(feature = "error-tracking")]
mod errors;
#[cfg(feature = "events")]
mod events;
#[cfg(feature = "notifications")]
mod notifications;
#[cfg(feature = "oauth-provider")]
mod oauth;
#[cfg(feature = "pipelines")]
mod pipelines;
#[cfg(feature = "projects")]
mod projects;

#[cfg(any(
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "deprecations",
    feature = "pipelines",
    feature = "notifications"
))]
mod bulk;
mod cached_statement;
mod capped_count;
mod delete_some;
mod engine;
mod entity;
mod error;
mod health;
mod migrate;
#[cfg(test)]
#[cfg(all(
    feature = "sqlite",
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "events",
    feature = "oauth-provider",
    feature = "error-tracking",
    feature = "deprecations",
    feature = "pipelines",
    feature = "notifications"
))]
mod mutations;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "alert-intake", feature = "error-tracking"))]
mod project_lists;
#[cfg(feature = "projects")]
mod records;
mod rows;
#[cfg(test)]
mod schema;
#[cfg(any(
    feature = "accounts",
    feature = "projects",
    feature = "error-tracking",
    feature = "pipelines"
))]
mod search;
#[cfg(feature = "sqlite")]
mod sqlite;
mod transaction;
mod transfer;
mod window;

pub use engine::{Latency, ReaderStats, WriterStats};
pub use error::OpenError;
#[cfg(feature = "postgres")]
pub use postgres::{
    PgReadTx, PgWriteTx, Pooler, PostgresOptions, PostgresStore, ReplicaCondition, ReplicaState,
    ServerState,
};
#[cfg(feature = "sqlite")]
pub use sqlite::{
    JournalStage, JournalState, SqliteOptions, SqliteReadTx, SqliteStore, SqliteWriteTx,
};
pub use transaction::ReadTx;
pub use transfer::{Import, RowBatch, RowSink, RowSource, Snapshot, SnapshotTable, TransferError};
