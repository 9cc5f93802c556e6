//! Fresh databases, each for one test.

use std::time::Duration;

use storage_diesel::{PostgresOptions, PostgresStore, SqliteOptions, SqliteStore};
use tempfile::TempDir;
use test_databases::TestDatabase;

/// The settings that tests change, under the same names for both databases.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TestSettings {
    pub(crate) queue_jobs: usize,
    pub(crate) queue_bytes: usize,
    pub(crate) deadline: Duration,
    pub(crate) read_limit: Duration,
}

impl Default for TestSettings {
    /// A deadline that no machine is slow enough to reach.
    fn default() -> Self {
        Self {
            queue_jobs: 4096,
            queue_bytes: 64 << 20,
            deadline: Duration::from_mins(10),
            read_limit: Duration::from_mins(10),
        }
    }
}

/// Creates a store in a file of its own.
pub(crate) fn sqlite(settings: TestSettings) -> (SqliteStore, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let options = SqliteOptions {
        queue_jobs: settings.queue_jobs,
        queue_bytes: settings.queue_bytes,
        deadline: settings.deadline,
        read_limit: settings.read_limit,
        ..SqliteOptions::default()
    };
    let store = SqliteStore::open(directory.path().join("db.sqlite3"), options).unwrap();
    store.migrate().unwrap();
    (store, directory)
}

/// Creates a store in a database of its own; `None` if there is no server.
pub(crate) fn postgres(settings: TestSettings) -> Option<(PostgresStore, TestDatabase)> {
    let database = TestDatabase::prepared(migrate)?;
    let options = PostgresOptions {
        queue_jobs: settings.queue_jobs,
        queue_bytes: settings.queue_bytes,
        deadline: settings.deadline,
        read_limit: settings.read_limit,
        // One writer, so that a test can block it and know that all other work waits.
        writers: 1,
        ..PostgresOptions::default()
    };
    let store = PostgresStore::open(database.url(), options).unwrap();
    Some((store, database))
}

/// Applies the migrations to an empty database.
pub(crate) fn migrate(url: &str) {
    let options = PostgresOptions {
        writers: 1,
        ..PostgresOptions::default()
    };
    PostgresStore::open(url, options)
        .unwrap()
        .migrate()
        .unwrap();
}
