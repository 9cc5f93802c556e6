//! `cargo xtask mutants`: do the tests notice when a line is wrong?
//!
//! cargo-mutants changes files of `storage-diesel` in one place after the other, as `.cargo/mutants.toml` says, and
//! runs the conformance suite on SQLite against each change; for files of other crates it runs the tests of their
//! crate. A surviving mutant is one that a test should catch, or one that does the same as the code. The latter are
//! listed with their reasons in `xtask/mutants-accepted.txt`, without the line, which moves.

#![expect(clippy::print_stdout, reason = "a long task reports its progress")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};
use clap::Args;

use crate::invoke;
use crate::report::CheckReport;
use crate::workspace::Workspace;

/// Reviewed survivors, with the reason why each may survive.
const ACCEPTED: &str = "xtask/mutants-accepted.txt";

/// Output directory of cargo-mutants, below the target directory.
const OUTPUT_DIRECTORY: &str = "target/mutants";

/// The adapter, and the arguments of its tests: the suite alone, on files of SQLite. Mutants are in code that both
/// databases share.
const ADAPTER: (&str, &[&str]) = (
    "storage-diesel",
    &[
        "--features",
        "postgres",
        "--",
        "--test",
        "conformance",
        "sqlite::",
    ],
);

/// Arguments of `cargo xtask mutants`.
///
/// Needs cargo-mutants 27. If it is missing, it is installed from crates.io with
/// `cargo install cargo-mutants --version ^27 --locked`. Each mutant is built and tested separately, which takes about a
/// minute in the adapter and a few seconds in other crates.
#[derive(Debug, Args)]
pub(crate) struct MutantsArguments {
    /// Files to mutate, such as crates/storage-diesel/src/accounts/audit.rs
    #[arg(required_unless_present = "since")]
    files: Vec<PathBuf>,
    /// Also mutate the files that differ from this commit, in `src` of the adapter and of the libraries
    #[arg(long)]
    since: Option<String>,
    /// Number of mutants to test in parallel; each is built in its own copy
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    jobs: u8,
}

impl MutantsArguments {
    /// The files to change, by the names of their packages.
    fn files(&self, workspace: &Workspace) -> Result<BTreeMap<String, BTreeSet<String>>> {
        let mut files: Vec<PathBuf> = self.files.clone();
        if let Some(commit) = &self.since {
            let mut changed = Command::new("git");
            changed.current_dir(workspace.root());
            changed.args(["diff", "--name-only", "--diff-filter=d", commit, "--"]);
            changed.arg(":(glob)crates/*/src/**/*.rs");
            let changed = String::from_utf8(invoke::capture(&mut changed)?)?;
            files.extend(changed.lines().map(PathBuf::from));
        }
        let metadata = workspace.metadata(&["--no-deps"])?;
        let members = metadata.members();
        let mut by_package = BTreeMap::<_, BTreeSet<_>>::new();
        for file in files {
            let path = workspace.root().join(&file);
            ensure!(path.is_file(), "file {} does not exist", path.display());
            let mut owners = members
                .iter()
                .filter(|member| path.starts_with(member.directory()));
            let owner = owners.next();
            let owner =
                owner.with_context(|| format!("{} belongs to no package", file.display()))?;
            let shown = path.strip_prefix(workspace.root()).unwrap_or(&path);
            let files = by_package.entry(owner.name.clone()).or_default();
            files.insert(shown.display().to_string());
        }
        Ok(by_package)
    }

    fn command(&self, workspace: &Workspace, package: &str, files: &BTreeSet<String>) -> Command {
        let mut command = Command::new("cargo");
        command.current_dir(workspace.root());
        command.args(["mutants", "--package", package, "--no-shuffle"]);
        command.args([
            "--output",
            OUTPUT_DIRECTORY,
            "--jobs",
            &self.jobs.to_string(),
        ]);
        for file in files {
            command.args(["--file", file]);
        }
        if package == ADAPTER.0 {
            command.args(ADAPTER.1);
        } else {
            command.arg("--all-features");
        }
        // Mutants are not debugged, and each is linked.
        command.env("CARGO_PROFILE_DEV_DEBUG", "0");
        command.env("RUST_BACKTRACE", "0");
        command
    }
}

/// Tests the mutants and compares the survivors with those that were accepted.
///
/// # Errors
/// When cargo-mutants cannot be installed, or tests nothing.
pub(crate) fn run(workspace: &Workspace, arguments: &MutantsArguments) -> Result<ExitCode> {
    let packages = arguments.files(workspace)?;
    install(workspace)?;
    let accepted = workspace.root().join(ACCEPTED);
    let accepted = fs::read_to_string(accepted).context("cannot read the accepted mutants")?;
    let accepted = read_accepted(&accepted)?;
    let found = workspace.root().join(OUTPUT_DIRECTORY).join("mutants.out");
    let (mut survivors, mut caught, mut timeouts) = (Vec::new(), 0, 0);
    for (package, files) in &packages {
        // The command fails when a mutant survives; survivors are judged here.
        invoke::run_visible(&mut arguments.command(workspace, package, files))?;
        survivors.extend(read_lines(&found.join("missed.txt"))?);
        caught += read_lines(&found.join("caught.txt"))?.len();
        timeouts += read_lines(&found.join("timeout.txt"))?.len();
    }
    ensure!(caught > 0, "no mutant was caught, so the tests did not run");
    let files = packages.values().flatten().map(String::as_str).collect();
    let mut report = compare(&survivors, &accepted, &files);
    report.summary = format!(
        "{caught} mutants caught, {timeouts} timed out, {} survived",
        survivors.len()
    );
    Ok(report.print())
}

/// Installs cargo-mutants if it is missing.
fn install(workspace: &Workspace) -> Result<()> {
    let mut probe = Command::new("cargo");
    probe.args(["mutants", "--version"]);
    if invoke::run_quiet(&mut probe).is_ok_and(|outcome| outcome.is_success) {
        return Ok(());
    }
    println!("installing cargo-mutants");
    let mut install = Command::new("cargo");
    install.current_dir(workspace.root());
    install.args(["install", "cargo-mutants", "--version", "^27", "--locked"]);
    ensure!(
        invoke::run_visible(&mut install)?,
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

/// The accepted mutants, with the number of each name. Lines that begin with `#` are the reason for those below them,
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
            ensure!(has_reason, "{ACCEPTED}: no reason above: {line}");
            *accepted.entry(line.to_owned()).or_default() += 1;
        }
    }
    Ok(accepted)
}

/// The name of a mutant without the line and the column of its place.
fn without_position(mutant: &str) -> String {
    let Some((position, change)) = mutant.split_once(": ") else {
        return mutant.to_owned();
    };
    let file = position.split(':').next().unwrap_or(position);
    format!("{file}: {change}")
}

/// Survivors that are not accepted, and accepted mutants of the tested `files` that did not survive.
fn compare(
    survivors: &[String],
    accepted: &BTreeMap<String, usize>,
    files: &BTreeSet<&str>,
) -> CheckReport {
    let mut report = CheckReport::default();
    let mut remaining = accepted.clone();
    for survivor in survivors {
        match remaining.get_mut(&without_position(survivor)) {
            Some(count) if *count > 0 => *count -= 1,
            _ => report.faults.push(format!("no test detects: {survivor}")),
        }
    }
    let is_tested = |name: &str| {
        name.split_once(": ")
            .is_some_and(|(file, _)| files.contains(file))
    };
    let not_survived = remaining
        .into_iter()
        .filter(|(name, count)| *count > 0 && is_tested(name));
    report.warnings.extend(
        not_survived
            .map(|(name, count)| format!("{ACCEPTED} lists {count} more than survived: {name}")),
    );
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str =
        "# It is the same.\na.rs: replace x\na.rs: replace x\n\n# So is this.\nb.rs: delete y\n";

    fn all() -> BTreeSet<&'static str> {
        BTreeSet::from(["a.rs", "b.rs"])
    }

    #[test]
    fn accepted_survivors_match_at_any_line_up_to_their_listed_count() {
        let accepted = read_accepted(LIST).unwrap();
        let survivors = [
            "a.rs:1:2: replace x",
            "a.rs:9:9: replace x",
            "b.rs:3:4: delete y",
        ];
        let survivors = survivors.map(str::to_owned);
        assert!(compare(&survivors, &accepted, &all()).has_passed());
        let once_more = [&survivors[..], &["a.rs:12:1: replace x".to_owned()]].concat();
        let report = compare(&once_more, &accepted, &all());
        let fault = "no test detects: a.rs:12:1: replace x";
        assert_eq!(report.faults, [fault]);
    }

    #[test]
    fn accepted_mutants_no_longer_surviving_are_reported_for_tested_files() {
        let accepted = read_accepted(LIST).unwrap();
        let survivors = ["a.rs:1:2: replace x".to_owned()];
        assert_eq!(compare(&survivors, &accepted, &all()).warnings.len(), 2);
        let others = BTreeSet::from(["c.rs"]);
        assert!(compare(&survivors, &accepted, &others).warnings.is_empty());
    }

    #[test]
    fn accepted_mutants_require_a_reason() {
        assert!(read_accepted("a.rs: replace x\n").is_err());
        assert!(read_accepted("# Why.\n\na.rs: replace x\n").is_err());
    }
}
