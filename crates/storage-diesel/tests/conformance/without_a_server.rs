//! Conformance tests on a machine without the server that a store needs.

use std::process::Command;

use storage_conformance::Harness;
use storage_conformance::probe_rows::EventProbeRows;
use storage_diesel::SqliteStore;

struct AbsentServerHarness;

impl Harness for AbsentServerHarness {
    type Store = SqliteStore;
    type ProbeRows = EventProbeRows;

    fn fresh() -> Option<Self> {
        None
    }

    fn store(&self) -> &SqliteStore {
        unreachable!("the store has no server");
    }

    fn reopen(&mut self) {
        unreachable!("the store has no server");
    }

    fn open_again(&self) -> SqliteStore {
        unreachable!("the store has no server");
    }
}

/// Environment variable that is set in the process in which the case runs, by the test that starts it.
const INNER: &str = "WITHOUT_A_SERVER";

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test runs itself again, in a process with its own environment"
)]
fn cases_without_a_server_report_a_skip_and_fail_in_ci() {
    if std::env::var_os(INNER).is_some() {
        let cases = storage_conformance::store::cases::<AbsentServerHarness>();
        return storage_conformance::run::<AbsentServerHarness, _>(&cases, "s01_ok_commits");
    }
    let tests = std::env::current_exe().unwrap();
    for (ci, passes) in [("", true), ("false", true), ("0", true), ("true", false)] {
        let own = "without_a_server::cases_without_a_server_report_a_skip_and_fail_in_ci";
        let mut run = Command::new(&tests);
        run.args(["--exact", own, "--show-output"]).env(INNER, "1");
        let output = run.env("CI", ci).output().unwrap();
        assert_eq!(output.status.success(), passes, "CI={ci}: {output:?}");
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains("1 test"), "CI={ci}: {printed}");
        assert!(printed.contains("no server"), "CI={ci}: {printed}");
    }
}
