//! Over SQLite, in a file of its own for each test.

use api_conventions::ids::{ProjectId, SessionId, UserId};
use storage_conformance::probe_rows::EventProbeRows;
use storage_conformance::{
    Harness, accounts::insert_people, projects::insert_places, sign_in::insert_sessions,
};
use storage_diesel::{SqliteOptions, SqliteStore};
use tempfile::TempDir;

use super::{Forwarding, rows_of_others, suites};
use crate::database::{Database, Engine};

struct OverSqlite {
    store: Forwarding,
    directory: TempDir,
}

fn open(directory: &TempDir) -> Forwarding {
    let path = directory.path().join("gatehouse.sqlite3");
    let store = SqliteStore::open(path, SqliteOptions::default()).unwrap();
    store.migrate().unwrap();
    Forwarding(Database::over(Engine::Sqlite(store)))
}

impl Harness for OverSqlite {
    type Store = Forwarding;
    type ProbeRows = EventProbeRows;

    fn fresh() -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let store = open(&directory);
        Some(Self { store, directory })
    }

    fn store(&self) -> &Forwarding {
        &self.store
    }

    fn reopen(&mut self) {
        self.store.0.close();
        self.store = open(&self.directory);
    }

    fn open_again(&self) -> Forwarding {
        open(&self.directory)
    }

    rows_of_others!();
}

suites!(OverSqlite);
