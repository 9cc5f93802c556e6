//! SQLite, in a file of its own for each test.

use std::path::PathBuf;

use api_conventions::ids::{ProjectId, SessionId, UserId};
use diesel::{Connection as _, SqliteConnection};
use storage_conformance::probe_rows::EventProbeRows;
use storage_conformance::{
    Harness, accounts::insert_people, projects::insert_places, sign_in::insert_sessions,
};
use storage_diesel::{SqliteOptions, SqliteStore};
use tempfile::TempDir;

use crate::dangling::{self, STATEMENTS};

struct Sqlite {
    store: SqliteStore,
    directory: TempDir,
}

fn open(directory: &TempDir) -> SqliteStore {
    SqliteStore::open(file(directory), SqliteOptions::default()).unwrap()
}

fn file(directory: &TempDir) -> PathBuf {
    directory.path().join("gatehouse.sqlite3")
}

impl Harness for Sqlite {
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

    fn people(&self) -> [UserId; 3] {
        insert_people(&self.store)
    }

    fn places(&self) -> [ProjectId; 2] {
        let owner = storage_conformance::accounts::insert_place_owner(&self.store);
        insert_places(&self.store, owner)
    }

    fn sessions(&self, people: [UserId; 3]) -> [SessionId; 3] {
        insert_sessions(&self.store, people)
    }

    /// SQLite holds foreign keys only where a connection says so, so they are asked for, too.
    fn dangling_rows(&self) -> Vec<String> {
        let path = self.directory.path().join("gatehouse.sqlite3");
        let mut connection = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
        let keys = "SELECT \"table\" || ' ' || rowid AS words FROM pragma_foreign_key_check";
        dangling::found!(&mut connection, STATEMENTS.into_iter().chain([keys]))
    }
}

mod store {
    storage_conformance::store_suite!(super::Sqlite);
}

mod accounts {
    storage_conformance::accounts_suite!(super::Sqlite);
}

mod sign_in {
    storage_conformance::sign_in_suite!(super::Sqlite);
}

mod oauth {
    storage_conformance::oauth_suite!(super::Sqlite);
}

mod engine {
    use storage_conformance::Harness as _;
    use storage_conformance::oauth::engine;

    #[test]
    fn the_store_holds_the_invariants_of_oxide_auth() {
        for check in [
            engine::check_authorizer_invariants,
            engine::check_issuer_invariants,
        ] {
            if let Some(harness) = super::Sqlite::fresh() {
                check(&harness);
            }
        }
    }
}

mod projects {
    storage_conformance::projects_suite!(super::Sqlite);
}

mod alerts {
    storage_conformance::alerts_suite!(super::Sqlite);
}

mod events {
    storage_conformance::events_suite!(super::Sqlite);
}

mod deprecations {
    storage_conformance::deprecations_suite!(super::Sqlite);
}

mod errors {
    storage_conformance::errors_suite!(super::Sqlite);
}

mod pipelines {
    storage_conformance::pipelines_suite!(super::Sqlite);
}

mod cross {
    storage_conformance::cross_suite!(super::Sqlite);
}
