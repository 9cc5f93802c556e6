//! Conformance of a host that embeds one domain crate, with the tables of that crate and no others: the clauses of the
//! crate hold nevertheless, although the users and projects that rows refer to do not exist.
//!
//! The tables of a private store do not refer to tables of other crates, as if each crate were served alone.

use api_conventions::ids::ProjectId;
use storage_conformance::areas::{AreaHarness, HarnessFor};
use storage_conformance::projects::insert_places;
use storage_conformance::{ConformanceCase, Harness, run_of};
use storage_diesel::SqliteStore;

/// A private store.
/// Rows of a project need that project if projects are served; the host inserts their creator.
struct PrivateStoreHarness<const SERVES_PROJECTS: bool>(SqliteStore);

impl<const SERVES_PROJECTS: bool> Harness for PrivateStoreHarness<SERVES_PROJECTS> {
    type Store = SqliteStore;
    type ProbeRows = ();

    fn fresh() -> Option<Self> {
        Some(Self(SqliteStore::in_memory().unwrap()))
    }

    fn store(&self) -> &SqliteStore {
        &self.0
    }

    fn reopen(&mut self) {
        unreachable!("a private store is not durable")
    }

    fn open_again(&self) -> SqliteStore {
        unreachable!("a private store serves one process")
    }

    fn places(&self) -> [ProjectId; 2] {
        if SERVES_PROJECTS {
            insert_places(&self.0, self.people()[0])
        } else {
            [1, 2].map(ProjectId::new)
        }
    }
}

/// Runs the cases one after the other, in one process: opening a private store is faster than starting a process.
fn play<const SERVES_PROJECTS: bool, S: ?Sized + 'static>(cases: &[ConformanceCase<AreaHarness<S>>])
where
    PrivateStoreHarness<SERVES_PROJECTS>: HarnessFor<AreaHarness<S>>,
{
    for case in cases {
        run_of::<PrivateStoreHarness<SERVES_PROJECTS>, _>(cases, case.kind, case.name);
    }
}

macro_rules! suites {
    ($($suite:ident: $serves_projects:literal;)+) => { $(
        #[test]
        fn $suite() {
            play::<$serves_projects, _>(&storage_conformance::$suite::cases());
        }
    )+ };
}

suites! {
    accounts: false;
    sign_in: false;
    projects: true;
    alerts: false;
    incidents: false;
    silences: false;
    errors: false;
    events: false;
    oauth: false;
    deprecations: false;
    pipelines: false;
    notifications: false;
    on_call: false;
}
