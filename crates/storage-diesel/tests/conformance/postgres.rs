//! Conformance of PostgreSQL, in a separate database for each test.

use diesel::{Connection as _, PgConnection};
use storage_conformance::Harness;
use storage_conformance::probe_rows::EventProbeRows;
use storage_diesel::{PostgresOptions, PostgresStore};
use test_databases::TestDatabase;

use crate::TIME_LIMIT;
use crate::dangling::{self, STATEMENTS};

struct PostgresHarness {
    store: PostgresStore,
    database: TestDatabase,
}

/// Several writers, so that racing writes really are concurrent transactions.
fn open(url: &str) -> PostgresStore {
    let options = PostgresOptions {
        writers: 4,
        deadline: TIME_LIMIT,
        read_limit: TIME_LIMIT,
        ..PostgresOptions::default()
    };
    PostgresStore::open(url, options).unwrap()
}

impl Harness for PostgresHarness {
    type Store = PostgresStore;
    type ProbeRows = EventProbeRows;

    fn fresh() -> Option<Self> {
        let database = TestDatabase::prepared(|url| open(url).migrate().unwrap())?;
        let store = open(database.url());
        Some(Self { store, database })
    }

    fn store(&self) -> &PostgresStore {
        &self.store
    }

    fn reopen(&mut self) {
        self.store.close();
        self.store = open(self.database.url());
    }

    fn open_again(&self) -> PostgresStore {
        open(self.database.url())
    }

    storage_conformance::inserted_rows!(|harness| &harness.store);

    fn dangling_rows(&self) -> Vec<String> {
        let mut connection = PgConnection::establish(self.database.url()).unwrap();
        dangling::found!(&mut connection, STATEMENTS)
    }
}

storage_conformance::complete_suites!(PostgresHarness);
