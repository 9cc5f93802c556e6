//! PostgreSQL, in a database of its own for each test.

use api_conventions::ids::{ProjectId, SessionId, UserId};
use diesel::{Connection as _, PgConnection};
use storage_conformance::probe_rows::EventProbeRows;
use storage_conformance::{
    Harness, accounts::insert_people, projects::insert_places, sign_in::insert_sessions,
};
use storage_diesel::{PostgresOptions, PostgresStore};
use test_databases::TestDatabase;

use crate::dangling::{self, STATEMENTS};

struct Postgres {
    store: PostgresStore,
    database: TestDatabase,
}

/// Several writers, so that racers really are transactions at the same time.
fn open(url: &str) -> PostgresStore {
    let options = PostgresOptions {
        writers: 4,
        ..PostgresOptions::default()
    };
    PostgresStore::open(url, options).unwrap()
}

impl Harness for Postgres {
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

    fn dangling_rows(&self) -> Vec<String> {
        let mut connection = PgConnection::establish(self.database.url()).unwrap();
        dangling::found!(&mut connection, STATEMENTS)
    }
}

mod store {
    storage_conformance::store_suite!(super::Postgres);
}

mod accounts {
    storage_conformance::accounts_suite!(super::Postgres);
}

mod sign_in {
    storage_conformance::sign_in_suite!(super::Postgres);
}

mod oauth {
    storage_conformance::oauth_suite!(super::Postgres);
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
            if let Some(harness) = super::Postgres::fresh() {
                check(&harness);
            }
        }
    }
}

mod projects {
    storage_conformance::projects_suite!(super::Postgres);
}

mod alerts {
    storage_conformance::alerts_suite!(super::Postgres);
}

mod events {
    storage_conformance::events_suite!(super::Postgres);
}

mod deprecations {
    storage_conformance::deprecations_suite!(super::Postgres);
}

mod errors {
    storage_conformance::errors_suite!(super::Postgres);
}

mod pipelines {
    storage_conformance::pipelines_suite!(super::Postgres);
}

mod cross {
    storage_conformance::cross_suite!(super::Postgres);
}
