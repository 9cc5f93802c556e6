//! The steps of the gate, the quick ones first.

use std::process::Command;

use anyhow::Result;

use super::{deny, features};
use crate::commands::{book, layers, public_api, spec, tidy};
use crate::invoke;
use crate::report::CheckReport;
use crate::workspace::Workspace;

/// A step of the gate.
#[derive(Debug)]
pub(crate) struct CheckStep {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    /// True if the step runs when none is named.
    pub(crate) is_default: bool,
    pub(crate) run: fn(&Workspace) -> Result<CheckReport>,
}

const fn check_step(
    name: &'static str,
    description: &'static str,
    run: fn(&Workspace) -> Result<CheckReport>,
) -> CheckStep {
    CheckStep {
        name,
        description,
        is_default: true,
        run,
    }
}

/// All steps.
pub(crate) const STEPS: &[CheckStep] = &[
    check_step("fmt", "code is formatted with rustfmt", fmt),
    check_step("tidy", "files follow the style rules", tidy::check),
    check_step(
        "layers",
        "crates import only what their layer allows",
        layers::check,
    ),
    check_step(
        "spec",
        "each requirement has tests or a reason for having none",
        spec::check,
    ),
    check_step(
        "book",
        "each document is a page of the site, and no link is broken",
        book::check,
    ),
    check_step("clippy", "clippy has no warnings in any target", clippy),
    check_step("docs", "the documentation builds without a warning", docs),
    check_step(
        "features",
        "libraries compile with no, each and all features",
        features::check,
    ),
    check_step(
        "public-api",
        "the public API matches its snapshots",
        public_api::check,
    ),
    check_step(
        "package",
        "each crate can be packaged, without dependency cycles",
        package,
    ),
    check_step(
        "deny",
        "licences, duplicate and banned crates, sources",
        deny::check,
    ),
    CheckStep {
        name: "advisories",
        description: "no known vulnerabilities; fetches the advisory list",
        is_default: false,
        run: deny::advisories,
    },
];

/// The report of a command that must succeed.
///
/// # Errors
/// When it cannot be started.
pub(super) fn must_succeed(command: &mut Command) -> Result<CheckReport> {
    let outcome = invoke::run_quiet(command)?;
    Ok(if outcome.is_success {
        CheckReport::default()
    } else {
        CheckReport::fault(outcome.text)
    })
}

fn fmt(workspace: &Workspace) -> Result<CheckReport> {
    let mut report = must_succeed(&mut workspace.cargo(&["fmt", "--all", "--check"]))?;
    // Separate workspaces.
    for manifest in ["fuzz/Cargo.toml", public_api::TOOL] {
        if workspace.root().join(manifest).exists() {
            let mut command = workspace.cargo(&["fmt", "--manifest-path", manifest, "--check"]);
            report.faults.extend(must_succeed(&mut command)?.faults);
        }
    }
    Ok(report)
}

fn clippy(workspace: &Workspace) -> Result<CheckReport> {
    let mut command = workspace.cargo(&["clippy", "--quiet", "--locked", "--keep-going"]);
    command.args(["--workspace", "--all-targets", "--", "-D", "warnings"]);
    must_succeed(&mut command)
}

fn docs(workspace: &Workspace) -> Result<CheckReport> {
    let arguments = ["doc", "--quiet", "--locked", "--no-deps", "--workspace"];
    must_succeed(
        workspace
            .cargo(&arguments)
            .env("RUSTDOCFLAGS", "-D warnings"),
    )
}

/// Builds the packages as for a registry, without the network. Does not compile them again: the other steps have done
/// that.
fn package(workspace: &Workspace) -> Result<CheckReport> {
    let arguments = ["package", "--quiet", "--locked", "--offline", "--workspace"];
    must_succeed(
        workspace
            .cargo(&arguments)
            .args(["--no-verify", "--allow-dirty"]),
    )
}
