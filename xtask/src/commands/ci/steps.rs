//! The steps of the gate, the quick ones first.

use std::process::Command;

use anyhow::Result;

use super::{deny, features};
use crate::commands::{layers, public_api, spec, tidy};
use crate::invoke;
use crate::report::Report;
use crate::workspace::Workspace;

/// A step of the gate.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    /// Whether it runs when no step is named.
    pub(crate) is_usual: bool,
    pub(crate) run: fn(&Workspace) -> Result<Report>,
}

const fn step(
    name: &'static str,
    what: &'static str,
    run: fn(&Workspace) -> Result<Report>,
) -> Step {
    Step {
        name,
        what,
        is_usual: true,
        run,
    }
}

/// All steps.
pub(crate) const STEPS: &[Step] = &[
    step("fmt", "rustfmt would change nothing", fmt),
    step(
        "tidy",
        "files have the form that the house asks for",
        tidy::check,
    ),
    step("layers", "crates import what they may", layers::check),
    step(
        "spec",
        "each requirement is proven or says why not",
        spec::check,
    ),
    step("clippy", "no warning in any target", clippy),
    step(
        "features",
        "libraries compile with no, each and all features",
        features::check,
    ),
    step("docs", "the documentation builds without a warning", docs),
    step(
        "public-api",
        "hosts find the items of the snapshots",
        public_api::check,
    ),
    step(
        "package",
        "each crate can be packaged, with no circle among them",
        package,
    ),
    step(
        "deny",
        "licences, duplicate and banned crates, sources",
        deny::check,
    ),
    Step {
        name: "advisories",
        what: "no known vulnerability; fetches the list of them",
        is_usual: false,
        run: deny::advisories,
    },
];

/// The report of a command that must succeed.
///
/// # Errors
/// When it cannot be started.
pub(super) fn must_succeed(command: &mut Command) -> Result<Report> {
    let outcome = invoke::quietly(command)?;
    Ok(if outcome.is_success {
        Report::default()
    } else {
        Report::fault(outcome.text)
    })
}

fn fmt(workspace: &Workspace) -> Result<Report> {
    let mut report = must_succeed(&mut workspace.cargo(&["fmt", "--all", "--check"]))?;
    // These are workspaces of their own.
    for manifest in ["fuzz/Cargo.toml", public_api::TOOL] {
        if workspace.root().join(manifest).exists() {
            let mut command = workspace.cargo(&["fmt", "--manifest-path", manifest, "--check"]);
            report.faults.extend(must_succeed(&mut command)?.faults);
        }
    }
    Ok(report)
}

fn clippy(workspace: &Workspace) -> Result<Report> {
    let mut command = workspace.cargo(&["clippy", "--quiet", "--locked", "--keep-going"]);
    command.args(["--workspace", "--all-targets", "--", "-D", "warnings"]);
    must_succeed(&mut command)
}

fn docs(workspace: &Workspace) -> Result<Report> {
    let arguments = ["doc", "--quiet", "--locked", "--no-deps", "--workspace"];
    must_succeed(
        workspace
            .cargo(&arguments)
            .env("RUSTDOCFLAGS", "-D warnings"),
    )
}

/// The packages are put together as for a registry, from what is on this machine. They are not compiled again: the other
/// steps have done that.
fn package(workspace: &Workspace) -> Result<Report> {
    let arguments = ["package", "--quiet", "--locked", "--offline", "--workspace"];
    must_succeed(
        workspace
            .cargo(&arguments)
            .args(["--no-verify", "--allow-dirty"]),
    )
}
