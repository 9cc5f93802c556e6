//! Over PostgreSQL, in a database of its own for each test.

use api_conventions::ids::{ProjectId, SessionId, UserId};
use storage_conformance::probe_rows::EventProbeRows;
use storage_conformance::{
    Harness, accounts::insert_people, projects::insert_places, sign_in::insert_sessions,
};
use storage_diesel::{PostgresOptions, PostgresStore};
use test_postgres::TestDatabase;

use super::{Forwarding, rows_of_others, suites};
use crate::database::{Database, Engine};

struct OverPostgres {
    store: Forwarding,
    database: TestDatabase,
}

fn store(url: &str) -> PostgresStore {
    PostgresStore::open(url, PostgresOptions::default()).unwrap()
}

fn open(url: &str) -> Forwarding {
    Forwarding(Database::over(Engine::Postgres(store(url))))
}

impl Harness for OverPostgres {
    type Store = Forwarding;
    type ProbeRows = EventProbeRows;

    fn fresh() -> Option<Self> {
        let database = TestDatabase::prepared(|url| store(url).migrate().unwrap())?;
        let store = open(database.url());
        Some(Self { store, database })
    }

    fn store(&self) -> &Forwarding {
        &self.store
    }

    fn reopen(&mut self) {
        self.store.0.close();
        self.store = open(self.database.url());
    }

    fn open_again(&self) -> Forwarding {
        open(self.database.url())
    }

    rows_of_others!();
}

suites!(OverPostgres);
