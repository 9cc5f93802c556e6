//! `cargo xtask ci`: the static gate. It runs every step, even after one has failed, and then tells which failed.
#![expect(
    clippy::print_stdout,
    reason = "the command speaks to the person who ran it"
)]

mod deny;
mod features;
mod steps;

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};

use self::steps::{STEPS, Step};
use crate::report::Report;
use crate::workspace::Workspace;

/// What `cargo xtask ci` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Print the steps and run none
    #[arg(long)]
    list: bool,
    /// The steps to run; without any, all that need no network
    #[arg(value_name = "STEP")]
    steps: Vec<String>,
}

/// Runs the chosen steps and prints a line for each.
///
/// # Errors
/// When a step is named that does not exist.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<ExitCode> {
    if arguments.list {
        for step in STEPS {
            let note = if step.is_usual {
                ""
            } else {
                " (only when named)"
            };
            println!("{:<11} {}{note}", step.name, step.what);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut failed = Vec::new();
    for step in chosen(&arguments.steps)? {
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

/// The named steps in the order of the table, or the usual ones when none is named.
fn chosen(names: &[String]) -> Result<Vec<&'static Step>> {
    let is_known = |name: &&String| STEPS.iter().any(|step| step.name == **name);
    if let Some(unknown) = names.iter().find(|name| !is_known(name)) {
        bail!("there is no step `{unknown}`; `cargo xtask ci --list` names them");
    }
    let is_chosen = |step: &&Step| {
        if names.is_empty() {
            step.is_usual
        } else {
            names.iter().any(|name| name == step.name)
        }
    };
    Ok(STEPS.iter().filter(is_chosen).collect())
}

/// Runs a step and prints its line, and what it said when it failed.
fn has_passed(step: &Step, workspace: &Workspace) -> bool {
    let start = Instant::now();
    let report = (step.run)(workspace).unwrap_or_else(|error| Report::fault(format!("{error:#}")));
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
    // The lines of a long run are read while it goes on. Nobody is helped if that fails.
    _ = std::io::stdout().flush();
    report.has_passed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(wanted: &[&str]) -> Result<Vec<&'static str>> {
        let wanted: Vec<_> = wanted.iter().map(ToString::to_string).collect();
        Ok(chosen(&wanted)?.iter().map(|step| step.name).collect())
    }

    #[test]
    fn without_names_all_usual_steps_run() {
        let usual = names(&[]).unwrap();
        assert!(usual.contains(&"clippy"), "{usual:?}");
        assert!(!usual.contains(&"advisories"), "{usual:?}");
    }

    #[test]
    fn named_steps_run_and_unknown_ones_are_refused() {
        assert_eq!(names(&["tidy", "fmt"]).unwrap(), ["fmt", "tidy"]);
        assert_eq!(names(&["advisories"]).unwrap(), ["advisories"]);
        let error = names(&["tidy", "tests"]).unwrap_err().to_string();
        assert!(error.contains("`tests`"), "{error}");
    }
}
