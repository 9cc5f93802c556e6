//! The durable adapter: SQLite and PostgreSQL through Diesel, with group commit.
//!
//! [`SqliteStore`] keeps everything in one file and needs nothing else. [`PostgresStore`] is the way past one
//! machine. Both write in groups: whatever is queued while one commit runs goes into the next one, so a thousand
//! callers cost a handful of commits, and each is answered only after the commit that holds its work.
//!
//! # Features
//! `sqlite` (default) and `postgres` choose the databases, both with their client libraries compiled in;
//! `postgres-tls` adds TLS. `accounts`, `projects`, `alert-intake`, `events` and `oauth-provider` (all default)
//! choose whose repositories are implemented.
//!
//! # When not to use it
//! Work that an async driver must not block for, or a database of another kind: write an adapter of your own
//! against the conformance suite.
//!
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

#[cfg(any(
    all(feature = "sqlite", feature = "alert-intake"),
    all(
        any(feature = "sqlite", feature = "postgres"),
        any(feature = "accounts", feature = "oauth-provider")
    )
))]
mod cached_statement;
#[cfg(all(
    any(feature = "sqlite", feature = "postgres"),
    any(
        feature = "projects",
        feature = "alert-intake",
        feature = "events",
        feature = "oauth-provider"
    )
))]
mod capped_count;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod engine;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod error;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod migrate;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod proof;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod repo;
#[cfg(all(
    any(feature = "sqlite", feature = "postgres"),
    any(
        feature = "accounts",
        feature = "projects",
        feature = "alert-intake",
        feature = "events",
        feature = "oauth-provider"
    )
))]
mod rows;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod schema;
#[cfg(all(any(feature = "sqlite", feature = "postgres"), feature = "projects"))]
mod search;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(all(
    any(feature = "sqlite", feature = "postgres"),
    any(
        feature = "projects",
        feature = "alert-intake",
        feature = "events",
        feature = "oauth-provider"
    )
))]
mod window;

#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use engine::WriterStats;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use error::OpenError;
#[cfg(feature = "postgres")]
pub use postgres::{PgReadTx, PgWriteTx, PostgresOptions, PostgresStore};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use repo::ReadTx;
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteOptions, SqliteReadTx, SqliteStore, SqliteWriteTx};
