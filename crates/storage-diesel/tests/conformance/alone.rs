//! A host that embeds one domain crate has the tables of that crate and no others: the clauses of the crate hold all the
//! same, although nobody inserted the users and projects that rows name.
//!
//! The tables of a private store refer to none of another crate, as if each were served alone.

use api_conventions::ids::ProjectId;
use storage_conformance::areas::{AreaHarness, HarnessFor};
use storage_conformance::projects::insert_places;
use storage_conformance::{Case, Harness, run_of};
use storage_diesel::SqliteStore;

/// A private store. What belongs to a project needs it where projects are served; its creator is the host's.
struct Alone<const SERVES_PROJECTS: bool>(SqliteStore);

impl<const SERVES_PROJECTS: bool> Harness for Alone<SERVES_PROJECTS> {
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

/// Plays the cases one after the other, in one process: a private store is opened in less time than a process takes.
fn play<const SERVES_PROJECTS: bool, S: ?Sized + 'static>(cases: &[Case<AreaHarness<S>>])
where
    Alone<SERVES_PROJECTS>: HarnessFor<AreaHarness<S>>,
{
    for case in cases {
        run_of::<Alone<SERVES_PROJECTS>, _>(cases, case.kind, case.name);
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
    errors: false;
    events: false;
    oauth: false;
    deprecations: false;
    pipelines: false;
}
