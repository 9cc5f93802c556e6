//! `cargo xtask test`: fetches what the tests need from outside, then runs all tests.
//!
//! As root on Debian it installs the packages that are missing. Elsewhere it runs what can be run, and ends with a
//! list of what was passed over and the line that installs it. In CI nothing is passed over: a missing part is a
//! failure before the first test. The last line of a run counts what passed, failed and was skipped.
#![expect(
    clippy::print_stdout,
    reason = "the command speaks to the person who ran it"
)]

mod debian;
mod node;
mod parts;
mod python;
mod rust;
mod tally;

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;

use self::parts::{PARTS, Part, Places, Setting};
use self::tally::Tally;
use crate::workspace::Workspace;
use crate::{environment, invoke};

/// What `cargo xtask test` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Further arguments of `cargo test`, after `--`
    #[arg(last = true)]
    cargo: Vec<String>,
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
    let failed_install = install_missing_packages(&places);
    let (settings, missing) = gather(&places, failed_install.as_deref());
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
    let mut command = workspace.cargo(&["test"]);
    command.args(selection(&arguments.cargo));
    command.args(telling(&arguments.cargo)).envs(settings);
    let mut tally = Tally::default();
    let is_success = invoke::line_by_line(&mut command, |line| {
        if tally.takes(line) {
            println!("{line}");
        }
    })?;
    if !missing.is_empty() {
        println!(
            "\n{}",
            response(&missing, "Skipped, because these parts are missing:")
        );
    }
    println!("\n{}", tally.response());
    Ok(if is_success {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The caller's arguments, with the one for the test programs that makes them tell what was skipped.
fn telling(extra: &[String]) -> Vec<String> {
    let mut arguments = extra.to_vec();
    let end = extra.iter().position(|argument| argument == "--");
    let end = end.unwrap_or_else(|| {
        arguments.push("--".to_owned());
        extra.len()
    });
    arguments.insert(end + 1, "--show-output".to_owned());
    arguments
}

/// What is tested: everything, also after a failure, unless the caller names packages. The database behind a
/// feature is named, so that its tests are never left out because no other package asks for it.
fn selection(extra: &[String]) -> &'static [&'static str] {
    let is_package = |argument: &String| {
        argument == "-p" || argument == "--package" || argument.starts_with("--package=")
    };
    if extra.iter().any(is_package) {
        &["--no-fail-fast"]
    } else {
        &[
            "--no-fail-fast",
            "--workspace",
            "--features",
            "storage-diesel/postgres",
        ]
    }
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

    #[test]
    fn test_programs_are_asked_to_tell_what_they_skipped() {
        let given = |words: &str| {
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            telling(&words).join(" ")
        };
        assert_eq!(given(""), "-- --show-output");
        assert_eq!(given("-p events some"), "-p events some -- --show-output");
        assert_eq!(
            given("some -- --test-threads 1"),
            "some -- --show-output --test-threads 1"
        );
    }

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
