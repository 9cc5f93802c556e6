//! Conformance of SQLite, in a separate file for each test.

use std::path::PathBuf;

use diesel::{Connection as _, SqliteConnection};
use storage_conformance::Harness;
use storage_conformance::probe_rows::EventProbeRows;
use storage_diesel::{SqliteOptions, SqliteStore};
use tempfile::TempDir;

use crate::TIME_LIMIT;
use crate::dangling::{self, STATEMENTS};

struct SqliteHarness {
    store: SqliteStore,
    directory: TempDir,
}

fn open(directory: &TempDir) -> SqliteStore {
    let options = SqliteOptions {
        deadline: TIME_LIMIT,
        read_limit: TIME_LIMIT,
        ..SqliteOptions::default()
    };
    SqliteStore::open(file(directory), options).unwrap()
}

fn file(directory: &TempDir) -> PathBuf {
    directory.path().join("gatehouse.sqlite3")
}

impl Harness for SqliteHarness {
    type Store = SqliteStore;
    type ProbeRows = EventProbeRows;

    fn fresh() -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        test_databases::prepared_file(&file(&directory), |path| {
            let store = SqliteStore::open(path, SqliteOptions::default()).unwrap();
            store.migrate().unwrap();
            store.close();
        });
        let store = open(&directory);
        Some(Self { store, directory })
    }

    fn store(&self) -> &SqliteStore {
        &self.store
    }

    fn reopen(&mut self) {
        self.store.close();
        self.store = open(&self.directory);
    }

    fn open_again(&self) -> SqliteStore {
        open(&self.directory)
    }

    storage_conformance::inserted_rows!(|harness| &harness.store);

    /// Also checks foreign keys, because SQLite enforces them only if a connection enables them.
    fn dangling_rows(&self) -> Vec<String> {
        let path = self.directory.path().join("gatehouse.sqlite3");
        let mut connection = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
        let keys = "SELECT \"table\" || ' ' || rowid AS words FROM pragma_foreign_key_check";
        dangling::found!(&mut connection, STATEMENTS.into_iter().chain([keys]))
    }
}

storage_conformance::complete_suites!(SqliteHarness);
