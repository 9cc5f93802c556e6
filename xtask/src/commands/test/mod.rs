//! `cargo xtask test`: fetches what the tests need from outside, then runs all tests.
//!
//! As root on Debian, installs the missing packages. On other systems, runs the tests that can run, and ends with a
//! list of the skipped parts and the command that installs them. In CI nothing is skipped: a missing part is a failure
//! before the first test. The tests are compiled meanwhile. cargo-nextest runs each test in a process of its own, and
//! the tests of all programs in parallel. A run ends with the time of each program, the slowest tests, and a line with
//! the numbers of passed, failed and skipped tests.
#![expect(clippy::print_stdout, reason = "the command prints to the terminal")]

mod debian;
mod dependencies;
mod memory;
mod node;
pub(super) mod python;
mod runner;
mod rust;
mod test_counts;

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;

use self::dependencies::{DEPENDENCIES, ExternalDependency, SearchPaths, TestVariable};
use crate::environment;
use crate::workspace::Workspace;

/// Arguments of `cargo xtask test`.
#[derive(Debug, clap::Args)]
pub(crate) struct TestArguments {
    /// Further arguments of `cargo nextest run`, after `--`
    #[arg(last = true)]
    nextest: Vec<String>,
}

/// A missing part, and the reason if it is known.
#[derive(Debug)]
struct MissingDependency {
    dependency: &'static ExternalDependency,
    reason: Option<String>,
}

/// Runs the tests.
///
/// # Errors
/// When cargo cannot be started.
pub(crate) fn run(workspace: &Workspace, arguments: &TestArguments) -> Result<ExitCode> {
    let paths = SearchPaths {
        system: PathBuf::from("/"),
        outside: workspace.outside()?,
        lists: workspace.root().join("xtask/outside"),
        rust_clients: workspace
            .root()
            .join("apps/gatehouse/tests/peers/rust-clients"),
    };
    let is_whole = arguments.nextest.is_empty();
    let compiling = is_whole.then(|| runner::start_compiling(workspace));
    let failed_install = install_missing_packages(&paths);
    let (variables, missing) = prepare_dependencies(&paths, failed_install.as_deref());
    if let Some(compiling) = compiling {
        // The run below compiles failed packages again, and reports their errors.
        compiling?.wait()?;
    }
    if environment::is_ci() && !missing.is_empty() {
        println!(
            "{}",
            missing_report(
                &missing,
                "No tests ran, because these dependencies are missing:"
            )
        );
        return Ok(ExitCode::FAILURE);
    }
    let mut outcome = runner::run(workspace, &arguments.nextest, &variables)?;
    if is_whole {
        outcome.add(runner::run_doc_tests(workspace, &variables)?);
    }
    println!("{}", outcome.counts.slowest());
    if !missing.is_empty() {
        println!(
            "\n{}",
            missing_report(&missing, "Skipped, because these dependencies are missing:")
        );
    }
    println!("\n{}", outcome.counts.summary());
    Ok(if outcome.is_success {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Installs the packages of missing parts where that is possible. Returns the error message if it fails.
fn install_missing_packages(paths: &SearchPaths) -> Option<String> {
    let is_needed = |dependency: &&ExternalDependency| {
        !dependency.is_named() && !(dependency.is_installed)(paths)
    };
    let needed = DEPENDENCIES.iter().filter(is_needed);
    let packages: Vec<_> = needed
        .flat_map(|dependency| dependency.packages)
        .copied()
        .collect();
    if packages.is_empty() || !dependencies::is_debian(&paths.system) || !is_root(&paths.system) {
        return None;
    }
    println!(
        "installing {} and their dependencies: up to 620 packages, 1.2 GB",
        packages.join(", ")
    );
    let outcome = debian::install(&packages);
    outcome.err().map(|error| error.to_string())
}

fn is_root(system: &Path) -> bool {
    fs::metadata(system.join("proc/self")).is_ok_and(|own| own.uid() == 0)
}

/// The variables for the tests, and the parts that are still missing.
fn prepare_dependencies(
    paths: &SearchPaths,
    failed_install: Option<&str>,
) -> (Vec<TestVariable>, Vec<MissingDependency>) {
    let mut variables = Vec::new();
    let mut missing = Vec::new();
    for dependency in DEPENDENCIES
        .iter()
        .filter(|dependency| !dependency.is_named())
    {
        if !(dependency.is_installed)(paths) {
            let reason = failed_install.map(str::to_owned);
            missing.push(MissingDependency { dependency, reason });
            continue;
        }
        match (dependency.prepare)(paths) {
            Ok(found) => variables.extend(found.into_iter().filter(is_unset)),
            Err(error) => missing.push(MissingDependency {
                dependency,
                reason: Some(format!("{error:#}")),
            }),
        }
    }
    (variables, missing)
}

/// True if the caller has not set the variable.
fn is_unset((name, _): &TestVariable) -> bool {
    environment::value(name).is_none()
}

/// The list of missing parts, and the command that installs them.
fn missing_report(missing: &[MissingDependency], heading: &str) -> String {
    let mut lines = vec![heading.to_owned()];
    for MissingDependency { dependency, reason } in missing {
        let reason = reason.as_ref().map(|reason| format!(" ({reason})"));
        let reason = reason.unwrap_or_default();
        lines.push(format!(
            "  {}: {}{reason}",
            dependency.name, dependency.tests
        ));
    }
    let packages: Vec<_> = missing
        .iter()
        .flat_map(|missing| missing.dependency.packages.iter().copied())
        .collect();
    if !packages.is_empty() {
        lines.push("On Debian, install them with:".to_owned());
        lines.push(format!("  {}", dependencies::install_line(&packages)));
    }
    let variables: Vec<_> = missing
        .iter()
        .flat_map(|missing| missing.dependency.variables.iter().copied())
        .collect();
    lines.push(format!(
        "On other systems, set their paths in: {}",
        variables.join(", ")
    ));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_dependencies_are_reported_with_the_install_command() {
        let missing: Vec<_> = DEPENDENCIES
            .iter()
            .take(2)
            .map(|dependency| MissingDependency {
                dependency,
                reason: None,
            })
            .collect();
        assert_eq!(
            missing_report(&missing, "Skipped:"),
            "Skipped:\n  PostgreSQL server: the storage engine and the server on PostgreSQL\n  \
             Alertmanager: delivery by a real Alertmanager\nOn Debian, install them with:\n  \
             sudo apt-get install --yes --no-install-recommends postgresql prometheus-alertmanager\n\
             On other systems, set their paths in: GATEHOUSE_TEST_POSTGRES, \
             GATEHOUSE_TEST_ALERTMANAGER, GATEHOUSE_TEST_AMTOOL"
        );
    }

    #[test]
    fn a_known_reason_is_reported() {
        let dependency = DEPENDENCIES.last().unwrap();
        let missing = [MissingDependency {
            dependency,
            reason: Some("no network".to_owned()),
        }];
        let text = missing_report(&missing, "Skipped:");
        assert!(text.contains("two OAuth clients (no network)"), "{text}");
    }
}
