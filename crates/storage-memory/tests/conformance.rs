//! The store in memory keeps every promise that does not need it to outlive its process.

use storage_conformance::Harness;
use storage_conformance::probe_rows::EventProbeRows;
use storage_memory::MemoryStore;

#[derive(Debug)]
struct Memory(MemoryStore);

impl Harness for Memory {
    type Store = MemoryStore;
    type ProbeRows = EventProbeRows;

    fn fresh() -> Option<Self> {
        Some(Self(MemoryStore::new()))
    }

    fn store(&self) -> &MemoryStore {
        &self.0
    }

    fn reopen(&mut self) {
        unreachable!("the store is not declared to be durable");
    }

    fn open_again(&self) -> MemoryStore {
        unreachable!("the store is not declared to serve several processes");
    }
}

#[test]
fn rows_are_taken_aside_and_put_back() {
    use ::accounts::{AccountQueries as _, AccountRepository as _};
    use storage::{Store as _, StoreError};

    let raise = |store: &MemoryStore| {
        let raised: Result<i64, StoreError> = store.write(|tx| tx.raise_auth_epoch(&[])).wait();
        raised.unwrap()
    };
    let epoch = |store: &MemoryStore| {
        let read: Result<i64, StoreError> = store.read(|tx| tx.auth_epoch()).wait();
        read.unwrap()
    };
    let store = MemoryStore::new();
    let before = raise(&store);
    let aside = store.clone();
    assert_eq!((raise(&store), epoch(&aside)), (before + 1, before));
    store.restore(&aside);
    assert_eq!((epoch(&store), raise(&store)), (before, before + 1));
}

mod store {
    storage_conformance::store_suite!(
        crate::Memory,
        skips: [
            "s20_acknowledged_rows_outlive_the_store",
            "s21_refused_rows_do_not_come_back",
            "s22_another_process_reads_what_is_acknowledged",
            "s23_two_processes_write_side_by_side",
        ]
    );
}

mod accounts {
    storage_conformance::accounts_suite!(crate::Memory);
}

mod sign_in {
    storage_conformance::sign_in_suite!(
        crate::Memory,
        skips: [
            "c40_credentials_and_sessions_outlive_the_store",
            "c64_the_audit_log_outlives_the_store",
        ]
    );
}

mod projects {
    storage_conformance::projects_suite!(
        crate::Memory,
        skips: [
            "k09_entries_outlive_the_store",
            "p29_projects_outlive_the_store",
            "i09_issues_outlive_the_store",
            "n09_notes_outlive_the_store",
            "r14_records_outlive_the_store",
        ]
    );
}

mod alerts {
    storage_conformance::alerts_suite!(crate::Memory, skips: ["l44_rows_outlive_the_store"]);
}

mod errors {
    storage_conformance::errors_suite!(
        crate::Memory,
        skips: [
            "t96_rows_outlive_the_store",
            "t19_client_keys_outlive_the_store",
            "t41_errors_outlive_the_store",
        ]
    );
}

mod pipelines {
    storage_conformance::pipelines_suite!(
        crate::Memory,
        skips: [
            "j10_environments_outlive_the_store",
            "j28_deployments_outlive_the_store",
            "j47_pipelines_outlive_the_store",
            "j67_jobs_outlive_the_store",
        ]
    );
}

mod events {
    storage_conformance::events_suite!(
        crate::Memory,
        skips: ["e10_entries_outlive_the_store"]
    );
}

mod deprecations {
    storage_conformance::deprecations_suite!(
        crate::Memory,
        skips: ["d12_uses_outlive_the_store"]
    );
}

mod oauth {
    storage_conformance::oauth_suite!(
        crate::Memory,
        skips: [
            "o70_rotations_and_redemptions_outlive_the_store",
            "o71_applications_outlive_the_store",
        ]
    );
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
            check(&crate::Memory::fresh().unwrap());
        }
    }
}

mod cross {
    storage_conformance::cross_suite!(crate::Memory);
}

/// The suite of the store itself runs on the rows of each crate, so that an adapter of one crate can prove it.
mod probe_rows {
    use storage_conformance::Harness;
    use storage_conformance::probe_rows::{
        AccountProbeRows, AlertProbeRows, ErrorProbeRows, EventProbeRows, OauthProbeRows,
        ProjectProbeRows, UseProbeRows,
    };
    use storage_memory::MemoryStore;

    /// The store, with probe rows of another kind.
    struct With<Rows>(crate::Memory, std::marker::PhantomData<Rows>);

    impl<Rows: 'static> Harness for With<Rows> {
        type Store = MemoryStore;
        type ProbeRows = Rows;

        fn fresh() -> Option<Self> {
            crate::Memory::fresh().map(|memory| Self(memory, std::marker::PhantomData))
        }

        fn store(&self) -> &MemoryStore {
            self.0.store()
        }

        fn reopen(&mut self) {
            self.0.reopen();
        }

        fn open_again(&self) -> MemoryStore {
            self.0.open_again()
        }
    }

    macro_rules! of_each_crate {
        ($($test:ident: $rows:ident;)+) => {
            $( #[test]
            fn $test() {
                let cases = storage_conformance::store::cases::<With<$rows>>();
                for case in &cases {
                    storage_conformance::run(&cases, case.name);
                }
            } )+
        };
    }

    of_each_crate! {
        accounts: AccountProbeRows;
        alerts: AlertProbeRows;
        errors: ErrorProbeRows;
        events: EventProbeRows;
        oauth: OauthProbeRows;
        projects: ProjectProbeRows;
        uses: UseProbeRows;
    }
}

/// A machine without the server that a store needs.
mod without_a_server {
    use std::process::Command;

    use storage_conformance::Harness;
    use storage_conformance::probe_rows::EventProbeRows;
    use storage_memory::MemoryStore;

    struct Absent;

    impl Harness for Absent {
        type Store = MemoryStore;
        type ProbeRows = EventProbeRows;

        fn fresh() -> Option<Self> {
            None
        }

        fn store(&self) -> &MemoryStore {
            unreachable!("there is none");
        }

        fn reopen(&mut self) {
            unreachable!("there is none");
        }

        fn open_again(&self) -> MemoryStore {
            unreachable!("there is none");
        }
    }

    /// Set in the process in which the case runs, by the test that starts it.
    const INNER: &str = "WITHOUT_A_SERVER";

    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "the test runs itself again, in a process with its own environment"
    )]
    fn a_case_says_that_it_is_skipped_and_fails_where_ci_is_set() {
        if std::env::var_os(INNER).is_some() {
            let cases = storage_conformance::store::cases();
            return storage_conformance::run::<Absent>(&cases, "s01_ok_commits");
        }
        let tests = std::env::current_exe().unwrap();
        for (ci, passes) in [("", true), ("false", true), ("0", true), ("true", false)] {
            let own = "without_a_server::a_case_says_that_it_is_skipped_and_fails_where_ci_is_set";
            let mut run = Command::new(&tests);
            run.args(["--exact", own, "--show-output"]).env(INNER, "1");
            let output = run.env("CI", ci).output().unwrap();
            assert_eq!(output.status.success(), passes, "CI={ci}: {output:?}");
            let printed = String::from_utf8(output.stdout).unwrap();
            assert!(printed.contains("1 test"), "CI={ci}: {printed}");
            assert!(printed.contains("no server"), "CI={ci}: {printed}");
        }
    }
}
