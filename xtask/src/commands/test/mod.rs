//! `cargo xtask test`: fetches what the tests need from outside, then runs all tests.
//!
//! As root on Debian it installs the packages that are missing. Elsewhere it runs what can be run, and ends with a
//! list of what was skipped and the line that installs it. In CI nothing is skipped: a missing part is a failure
//! before the first test. The tests are compiled meanwhile. cargo-nextest runs each test in a process of its own, those
//! of all programs beside each other. A run ends with the time of each program, the slowest tests, and a line that
//! counts what passed, failed and was skipped.
#![expect(
    clippy::print_stdout,
    reason = "the command speaks to the person who ran it"
)]

mod debian;
mod node;
mod parts;
mod python;
mod runner;
mod rust;
mod tally;

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;

use self::parts::{PARTS, Part, Places, Setting};
use crate::environment;
use crate::workspace::Workspace;

/// What `cargo xtask test` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Further arguments of `cargo nextest run`, after `--`
    #[arg(last = true)]
    nextest: Vec<String>,
}

/// A part that is not there, and why if that is known.
#[derive(Debug)]
struct Missing {
    part: &'static Part,
    reason: Option<String>,
}

/// Runs the tests.
///
/// # Errors
/// When cargo cannot be started.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<ExitCode> {
    let places = Places {
        system: PathBuf::from("/"),
        outside: workspace.outside()?,
        lists: workspace.root().join("xtask/outside"),
        rust_clients: workspace
            .root()
            .join("apps/gatehouse/tests/peers/rust-clients"),
    };
    let is_whole = arguments.nextest.is_empty();
    let compiling = is_whole.then(|| runner::start_compiling(workspace));
    let failed_install = install_missing_packages(&places);
    let (settings, missing) = gather(&places, failed_install.as_deref());
    if let Some(compiling) = compiling {
        // The run compiles again what failed, and reports it.
        compiling?.wait()?;
    }
    if environment::is_ci() && !missing.is_empty() {
        println!(
            "{}",
            response(
                &missing,
                "Nothing was tested, because these parts are missing:"
            )
        );
        return Ok(ExitCode::FAILURE);
    }
    let mut outcome = runner::run(workspace, &arguments.nextest, &settings)?;
    if is_whole {
        outcome.add(runner::run_doc_tests(workspace, &settings)?);
    }
    println!("{}", outcome.tally.slowest());
    if !missing.is_empty() {
        println!(
            "\n{}",
            response(&missing, "Skipped, because these parts are missing:")
        );
    }
    println!("\n{}", outcome.tally.response());
    Ok(if outcome.is_success {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Installs the packages of missing parts where that is possible. Gives what went wrong.
fn install_missing_packages(places: &Places) -> Option<String> {
    let is_needed = |part: &&Part| !part.is_named() && !(part.is_installed)(places);
    let needed = PARTS.iter().filter(is_needed);
    let packages: Vec<_> = needed.flat_map(|part| part.packages).copied().collect();
    if packages.is_empty() || !parts::is_debian(&places.system) || !is_root(&places.system) {
        return None;
    }
    println!(
        "installing {}, with what they need: up to 620 packages, 1.2 GB",
        packages.join(", ")
    );
    let outcome = debian::install(&packages);
    outcome.err().map(|error| error.to_string())
}

fn is_root(system: &Path) -> bool {
    fs::metadata(system.join("proc/self")).is_ok_and(|own| own.uid() == 0)
}

/// The variables for the tests, and what is missing in the end.
fn gather(places: &Places, failed_install: Option<&str>) -> (Vec<Setting>, Vec<Missing>) {
    let mut settings = Vec::new();
    let mut missing = Vec::new();
    for part in PARTS.iter().filter(|part| !part.is_named()) {
        if !(part.is_installed)(places) {
            let reason = failed_install.map(str::to_owned);
            missing.push(Missing { part, reason });
            continue;
        }
        match (part.prepare)(places) {
            Ok(found) => settings.extend(found.into_iter().filter(is_ours_to_set)),
            Err(error) => missing.push(Missing {
                part,
                reason: Some(format!("{error:#}")),
            }),
        }
    }
    (settings, missing)
}

/// Whether the caller has not said it otherwise.
fn is_ours_to_set((name, _): &Setting) -> bool {
    environment::value(name).is_none()
}

/// The list of what is missing, and the line that installs it.
fn response(missing: &[Missing], heading: &str) -> String {
    let mut lines = vec![heading.to_owned()];
    for Missing { part, reason } in missing {
        let reason = reason.as_ref().map(|reason| format!(" ({reason})"));
        let reason = reason.unwrap_or_default();
        lines.push(format!("  {}: {}{reason}", part.name, part.tests));
    }
    let packages: Vec<_> = missing
        .iter()
        .flat_map(|missing| missing.part.packages.iter().copied())
        .collect();
    if !packages.is_empty() {
        lines.push("On Debian this line installs them:".to_owned());
        lines.push(format!("  {}", parts::install_line(&packages)));
    }
    let variables: Vec<_> = missing
        .iter()
        .flat_map(|missing| missing.part.variables.iter().copied())
        .collect();
    lines.push(format!(
        "Elsewhere these variables name them: {}",
        variables.join(", ")
    ));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_reported_with_the_line_that_installs_it() {
        let missing: Vec<_> = PARTS
            .iter()
            .take(2)
            .map(|part| Missing { part, reason: None })
            .collect();
        assert_eq!(
            response(&missing, "Skipped:"),
            "Skipped:\n  PostgreSQL server: the storage engine and the server on PostgreSQL\n  \
             Alertmanager: delivery by a real Alertmanager\nOn Debian this line installs them:\n  \
             sudo apt-get install --yes --no-install-recommends postgresql prometheus-alertmanager\n\
             Elsewhere these variables name them: GATEHOUSE_TEST_POSTGRES, \
             GATEHOUSE_TEST_ALERTMANAGER, GATEHOUSE_TEST_AMTOOL"
        );
    }

    #[test]
    fn a_known_reason_is_reported() {
        let part = PARTS.last().unwrap();
        let missing = [Missing {
            part,
            reason: Some("no network".to_owned()),
        }];
        let text = response(&missing, "Skipped:");
        assert!(text.contains("two OAuth clients (no network)"), "{text}");
    }
}
