//! Conformance of PostgreSQL behind a pooler that gives each transaction another connection of the server.
//!
//! These are the suites with the most different statements: the store itself, grouped work, and work across crates.

use diesel::{Connection as _, PgConnection};
use storage_conformance::Harness;
use storage_conformance::accounts::insert_people;
use storage_conformance::probe_rows::EventProbeRows;
use storage_diesel::{Pooler, PostgresOptions, PostgresStore};
use test_databases::{Bouncer, TestDatabase};

use crate::TIME_LIMIT;
use crate::dangling::{self, STATEMENTS};

struct PooledHarness {
    store: PostgresStore,
    bouncer: Bouncer,
    database: TestDatabase,
}

fn open(url: &str, pooler: Pooler) -> PostgresStore {
    let options = PostgresOptions {
        writers: 4,
        // The pooler has six connections of the server. Eight readers, the default, could hold all of them, and none
        // would be left for a check.
        readers: 4,
        pooler,
        deadline: TIME_LIMIT,
        read_limit: TIME_LIMIT,
        ..PostgresOptions::default()
    };
    PostgresStore::open(url, options).unwrap()
}

fn migrate(url: &str) {
    open(url, Pooler::None).migrate().unwrap();
}

impl Harness for PooledHarness {
    type Store = PostgresStore;
    type ProbeRows = EventProbeRows;

    fn fresh() -> Option<Self> {
        let database = TestDatabase::prepared(migrate)?;
        let bouncer = Bouncer::in_transaction_mode()?;
        let store = open(&bouncer.url(&database), Pooler::Transaction);
        Some(Self {
            store,
            bouncer,
            database,
        })
    }

    fn store(&self) -> &PostgresStore {
        &self.store
    }

    fn reopen(&mut self) {
        self.store.close();
        self.store = self.open_again();
    }

    fn open_again(&self) -> PostgresStore {
        open(&self.bouncer.url(&self.database), Pooler::Transaction)
    }

    storage_conformance::inserted_rows!(|harness| &harness.store);

    fn dangling_rows(&self) -> Vec<String> {
        let mut connection = PgConnection::establish(self.database.url()).unwrap();
        dangling::found!(&mut connection, STATEMENTS)
    }
}

storage_conformance::complete_suites! {
    PooledHarness: store store_suite, oauth oauth_suite, alerts alerts_suite, errors errors_suite, notifications notifications_suite, cross cross_suite,
}

/// A pooler in session mode needs no setting.
#[test]
fn a_pooler_in_session_mode_is_like_none() {
    let Some(database) = TestDatabase::empty() else {
        return;
    };
    let Some(bouncer) = Bouncer::in_session_mode() else {
        return;
    };
    migrate(&bouncer.url(&database));
    let store = open(&bouncer.url(&database), Pooler::None);
    assert_eq!(insert_people(&store).len(), 3);
    store.health_check().wait().unwrap();
}
