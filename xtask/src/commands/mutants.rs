//! `cargo xtask mutants`: does the conformance suite notice when a store is wrong?
//!
//! cargo-mutants changes the store in memory in one place after the other, as `.cargo/mutants.toml` says, and runs the suite
//! on each. A mutant that passes is one that the suite should catch, or one that does the same as the store. The latter are
//! listed with their reasons in `crates/storage-memory/mutants-accepted.txt`, without the line, which moves.

#![expect(
    clippy::print_stdout,
    reason = "a chore that takes long says what it does"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};
use clap::Args;

use crate::invoke;
use crate::report::Report;
use crate::workspace::Workspace;

/// The survivors that were looked at, with the reason why each may survive.
const ACCEPTED: &str = "crates/storage-memory/mutants-accepted.txt";

/// Where cargo-mutants leaves what it found, below the target directory.
const FOUND: &str = "target/mutants";

/// The command's arguments.
///
/// cargo-mutants 27 is needed, and installed from crates.io when it is missing, with
/// `cargo install cargo-mutants --version ^27 --locked`. A whole run builds and tests some five hundred mutants, which takes
/// more than an hour on two cores.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How many mutants are tested at once; each builds in a copy of its own
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    jobs: u8,
    /// One part of so many, such as 0/8
    #[arg(long)]
    shard: Option<String>,
    /// Only the mutants of files that match
    #[arg(long)]
    file: Vec<String>,
}

impl Arguments {
    fn is_whole(&self) -> bool {
        self.shard.is_none() && self.file.is_empty()
    }

    fn command(&self, workspace: &Workspace) -> Command {
        let mut command = Command::new("cargo");
        command.current_dir(workspace.root());
        command.args(["mutants", "--package", "storage-memory", "--no-shuffle"]);
        command.args(["--output", FOUND, "--jobs", &self.jobs.to_string()]);
        if let Some(shard) = &self.shard {
            command.args(["--shard", shard]);
        }
        for file in &self.file {
            command.args(["--file", file]);
        }
        // Nobody looks at a mutant in a debugger, and each is linked.
        command.env("CARGO_PROFILE_DEV_DEBUG", "0");
        command.env("RUST_BACKTRACE", "0");
        command
    }
}

/// Tests the mutants and compares the survivors with those that were accepted.
///
/// # Errors
/// When cargo-mutants cannot be installed, or tests nothing.
pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<ExitCode> {
    install(workspace)?;
    let accepted = workspace.root().join(ACCEPTED);
    let accepted = fs::read_to_string(accepted).context("cannot read the accepted mutants")?;
    let accepted = read_accepted(&accepted)?;
    // It fails when a mutant survives, which is judged here.
    invoke::openly(&mut arguments.command(workspace))?;
    let found = workspace.root().join(FOUND).join("mutants.out");
    let survivors = read_lines(&found.join("missed.txt"))?;
    let caught = read_lines(&found.join("caught.txt"))?.len();
    let timeouts = read_lines(&found.join("timeout.txt"))?.len();
    ensure!(caught > 0, "no mutant was caught, so none was tested");
    let mut report = compare(&survivors, &accepted, arguments.is_whole());
    report.summary = format!(
        "{caught} mutants caught, {timeouts} stopped because they took too long, {} survived",
        survivors.len()
    );
    Ok(report.print())
}

/// Installs cargo-mutants unless it is there.
fn install(workspace: &Workspace) -> Result<()> {
    let mut ask = Command::new("cargo");
    ask.args(["mutants", "--version"]);
    if invoke::quietly(&mut ask).is_ok_and(|outcome| outcome.is_success) {
        return Ok(());
    }
    println!("installing cargo-mutants");
    let mut install = Command::new("cargo");
    install.current_dir(workspace.root());
    install.args(["install", "cargo-mutants", "--version", "^27", "--locked"]);
    ensure!(
        invoke::openly(&mut install)?,
        "cannot install cargo-mutants: `cargo install cargo-mutants --version ^27 --locked` failed"
    );
    Ok(())
}

fn read_lines(path: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(path).with_context(|| {
        format!(
            "cannot read {}, so cargo-mutants did not finish",
            path.display()
        )
    })?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// The accepted mutants and how many of the name there are. Lines that begin with `#` are the reason for those below them,
/// and each needs one.
fn read_accepted(text: &str) -> Result<BTreeMap<String, usize>> {
    let mut accepted = BTreeMap::new();
    let mut has_reason = false;
    for line in text.lines() {
        if line.is_empty() {
            has_reason = false;
        } else if line.starts_with('#') {
            has_reason = true;
        } else {
            ensure!(has_reason, "{ACCEPTED}: no reason stands above: {line}");
            *accepted.entry(line.to_owned()).or_default() += 1;
        }
    }
    Ok(accepted)
}

/// The name of a mutant without the line and the column of its place.
fn without_place(mutant: &str) -> String {
    let Some((place, change)) = mutant.split_once(": ") else {
        return mutant.to_owned();
    };
    let file = place.split(':').next().unwrap_or(place);
    format!("{file}: {change}")
}

fn compare(survivors: &[String], accepted: &BTreeMap<String, usize>, is_whole: bool) -> Report {
    let mut report = Report::default();
    let mut left = accepted.clone();
    for survivor in survivors {
        match left.get_mut(&without_place(survivor)) {
            Some(count) if *count > 0 => *count -= 1,
            _ => report
                .faults
                .push(format!("the suite does not notice: {survivor}")),
        }
    }
    let gone = left.into_iter().filter(|(_, count)| is_whole && *count > 0);
    report.warnings.extend(
        gone.map(|(name, count)| format!("{ACCEPTED} accepts {count} more than survived: {name}")),
    );
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str =
        "# It is the same.\na.rs: replace x\na.rs: replace x\n\n# So is this.\nb.rs: delete y\n";

    #[test]
    fn a_survivor_is_accepted_wherever_it_stands_and_as_often_as_it_is_listed() {
        let accepted = read_accepted(LIST).unwrap();
        let survivors = [
            "a.rs:1:2: replace x",
            "a.rs:9:9: replace x",
            "b.rs:3:4: delete y",
        ];
        let survivors = survivors.map(str::to_owned);
        assert!(compare(&survivors, &accepted, true).has_passed());
        let once_more = [&survivors[..], &["a.rs:12:1: replace x".to_owned()]].concat();
        let report = compare(&once_more, &accepted, true);
        let fault = "the suite does not notice: a.rs:12:1: replace x";
        assert_eq!(report.faults, [fault]);
    }

    #[test]
    fn what_survives_no_more_is_reported_after_a_whole_run() {
        let accepted = read_accepted(LIST).unwrap();
        let survivors = ["a.rs:1:2: replace x".to_owned()];
        assert_eq!(compare(&survivors, &accepted, true).warnings.len(), 2);
        assert!(compare(&survivors, &accepted, false).warnings.is_empty());
    }

    #[test]
    fn nothing_is_accepted_without_a_reason() {
        assert!(read_accepted("a.rs: replace x\n").is_err());
        assert!(read_accepted("# Why.\n\na.rs: replace x\n").is_err());
    }
}
