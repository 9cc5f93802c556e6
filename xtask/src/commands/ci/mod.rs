//! `cargo xtask ci`: the static gate. It runs every step, even after one has failed, and then lists the failed ones.
#![expect(clippy::print_stdout, reason = "the command prints to the terminal")]

mod deny;
mod features;
mod second_target;
mod steps;

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};

use self::steps::{CheckStep, STEPS};
use crate::report::CheckReport;
use crate::workspace::Workspace;

/// Arguments of `cargo xtask ci`.
#[derive(Debug, clap::Args)]
pub(crate) struct CiArguments {
    /// List the steps without running them
    #[arg(long)]
    list: bool,
    /// Leave out a step
    #[arg(long, value_name = "STEP")]
    without: Vec<String>,
    /// Steps to run (default: all that need no network)
    #[arg(value_name = "STEP")]
    steps: Vec<String>,
}

/// Runs the chosen steps and prints a line for each.
///
/// # Errors
/// When a named step does not exist.
pub(crate) fn run(workspace: &Workspace, arguments: &CiArguments) -> Result<ExitCode> {
    if arguments.list {
        for step in STEPS {
            let note = if step.is_default {
                ""
            } else {
                " (only if named)"
            };
            println!("{:<11} {}{note}", step.name, step.description);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut failed = Vec::new();
    for step in select_steps(&arguments.steps, &arguments.without)? {
        if !has_passed(step, workspace) {
            failed.push(step.name);
        }
    }
    if failed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("failed: {}", failed.join(", "));
    Ok(ExitCode::FAILURE)
}

/// The named steps in the order of the table, or the default ones when none is named, without those to leave out.
fn select_steps(names: &[String], without: &[String]) -> Result<Vec<&'static CheckStep>> {
    let is_known = |name: &&String| STEPS.iter().any(|step| step.name == **name);
    if let Some(unknown) = names.iter().chain(without).find(|name| !is_known(name)) {
        bail!("unknown step `{unknown}`; run `cargo xtask ci --list` for all steps");
    }
    let is_among = |step: &CheckStep, names: &[String]| names.iter().any(|name| name == step.name);
    let is_chosen = |step: &&CheckStep| {
        let is_named = is_among(step, names) || (names.is_empty() && step.is_default);
        is_named && !is_among(step, without)
    };
    Ok(STEPS.iter().filter(is_chosen).collect())
}

/// Runs a step and prints its line, followed by its report when it failed.
fn has_passed(step: &CheckStep, workspace: &Workspace) -> bool {
    let start = Instant::now();
    let report =
        (step.run)(workspace).unwrap_or_else(|error| CheckReport::fault(format!("{error:#}")));
    let word = if report.has_passed() { "ok" } else { "failed" };
    let seconds = start.elapsed().as_secs_f32();
    let note = match report.warnings.len() {
        0 => String::new(),
        count => format!(", {count} warnings"),
    };
    println!("{:<11} {word:<6} {seconds:6.1} s{note}", step.name);
    for warning in &report.warnings {
        println!("    warning: {warning}");
    }
    for fault in &report.faults {
        println!("    {}", fault.replace('\n', "\n    "));
    }
    // Shows the progress of a long run. A failure to flush does not matter.
    _ = std::io::stdout().flush();
    report.has_passed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(requested: &[&str]) -> Result<Vec<&'static str>> {
        names_without(requested, &[])
    }

    fn names_without(requested: &[&str], without: &[&str]) -> Result<Vec<&'static str>> {
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        Ok(select_steps(&owned(requested), &owned(without))?
            .iter()
            .map(|step| step.name)
            .collect())
    }

    #[test]
    fn without_names_all_usual_steps_run() {
        let usual = names(&[]).unwrap();
        assert!(usual.contains(&"clippy"), "{usual:?}");
        assert!(!usual.contains(&"advisories"), "{usual:?}");
        let without = names_without(&[], &["clippy"]).unwrap();
        assert_eq!(without.len(), usual.len() - 1);
        assert!(!without.contains(&"clippy"), "{without:?}");
    }

    #[test]
    fn named_steps_run_and_unknown_ones_are_refused() {
        assert_eq!(names(&["tidy", "fmt"]).unwrap(), ["fmt", "tidy"]);
        assert_eq!(names(&["advisories"]).unwrap(), ["advisories"]);
        let error = names(&["tidy", "tests"]).unwrap_err().to_string();
        assert!(error.contains("`tests`"), "{error}");
        assert!(names_without(&[], &["clipy"]).is_err());
    }
}
