//! Conformance of the store itself on the rows of each crate, so that an adapter of one crate can prove it.

use std::marker::PhantomData;

use storage_conformance::Harness;
use storage_conformance::probe_rows::{
    AccountProbeRows, AlertProbeRows, ErrorProbeRows, EventProbeRows, NotificationProbeRows,
    OauthProbeRows, PipelineProbeRows, ProjectProbeRows, UseProbeRows,
};
use storage_diesel::SqliteStore;

/// A private store, with probe rows of one kind.
struct ProbeRowsHarness<Rows>(SqliteStore, PhantomData<Rows>);

impl<Rows: 'static> Harness for ProbeRowsHarness<Rows> {
    type Store = SqliteStore;
    type ProbeRows = Rows;

    fn fresh() -> Option<Self> {
        Some(Self(SqliteStore::in_memory().unwrap(), PhantomData))
    }

    fn store(&self) -> &SqliteStore {
        &self.0
    }

    fn reopen(&mut self) {
        unreachable!("the store is not declared to be durable");
    }

    fn open_again(&self) -> SqliteStore {
        unreachable!("the store is not declared to serve several processes");
    }
}

macro_rules! of_each_crate {
    ($($test:ident: $rows:ident;)+) => {
        $( #[test]
        fn $test() {
            let cases = storage_conformance::store::cases::<ProbeRowsHarness<$rows>>();
            for case in &cases {
                storage_conformance::run::<ProbeRowsHarness<$rows>, _>(&cases, case.name);
            }
        } )+
    };
}

of_each_crate! {
    accounts: AccountProbeRows;
    alerts: AlertProbeRows;
    errors: ErrorProbeRows;
    events: EventProbeRows;
    notifications: NotificationProbeRows;
    oauth: OauthProbeRows;
    pipelines: PipelineProbeRows;
    projects: ProjectProbeRows;
    uses: UseProbeRows;
}
