//! `cargo xtask mutants`: do the tests notice when a line is wrong?
//!
//! cargo-mutants changes files of `storage-diesel` in one place after the other, as `.cargo/mutants.toml` says, and runs the
//! conformance suite on SQLite against each change; files of other crates are run against the tests of their crate. A mutant that
//! passes is one that a test should catch, or one that does the same as the code. The latter are listed with their reasons in
//! `xtask/mutants-accepted.txt`, without the line, which moves.

#![expect(
    clippy::print_stdout,
    reason = "a chore that takes long says what it does"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};
use clap::Args;

use crate::invoke;
use crate::report::Report;
use crate::workspace::Workspace;

/// The survivors that were looked at, with the reason why each may survive.
const ACCEPTED: &str = "xtask/mutants-accepted.txt";

/// Where cargo-mutants leaves what it found, below the target directory.
const FOUND: &str = "target/mutants";

/// The adapter, and the arguments of its tests: the suite alone, on files of SQLite. A mutant is in the body that both databases
/// have.
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

/// The command's arguments.
///
/// cargo-mutants 27 is needed, and installed from crates.io when it is missing, with
/// `cargo install cargo-mutants --version ^27 --locked`. Each mutant is built and tested alone, which takes about a minute in the
/// adapter and some seconds in other crates.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The files to change, such as crates/storage-diesel/src/accounts/audit.rs
    #[arg(required_unless_present = "since")]
    files: Vec<PathBuf>,
    /// Also the files that differ from this commit, in `src` of the adapter and of the libraries
    #[arg(long)]
    since: Option<String>,
    /// How many mutants are tested at once; each builds in a copy of its own
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    jobs: u8,
}

impl Arguments {
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
            ensure!(path.is_file(), "there is no file {}", path.display());
            let mut owners = members
                .iter()
                .filter(|member| path.starts_with(member.directory()));
            let owner = owners.next();
            let owner = owner.with_context(|| format!("{} is in no package", file.display()))?;
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
        command.args(["--output", FOUND, "--jobs", &self.jobs.to_string()]);
        for file in files {
            command.args(["--file", file]);
        }
        if package == ADAPTER.0 {
            command.args(ADAPTER.1);
        } else {
            command.arg("--all-features");
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
    let packages = arguments.files(workspace)?;
    install(workspace)?;
    let accepted = workspace.root().join(ACCEPTED);
    let accepted = fs::read_to_string(accepted).context("cannot read the accepted mutants")?;
    let accepted = read_accepted(&accepted)?;
    let found = workspace.root().join(FOUND).join("mutants.out");
    let (mut survivors, mut caught, mut timeouts) = (Vec::new(), 0, 0);
    for (package, files) in &packages {
        // It fails when a mutant survives, which is judged here.
        invoke::openly(&mut arguments.command(workspace, package, files))?;
        survivors.extend(read_lines(&found.join("missed.txt"))?);
        caught += read_lines(&found.join("caught.txt"))?.len();
        timeouts += read_lines(&found.join("timeout.txt"))?.len();
    }
    ensure!(caught > 0, "no mutant was caught, so none was tested");
    let files = packages.values().flatten().map(String::as_str).collect();
    let mut report = compare(&survivors, &accepted, &files);
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

/// The survivors that nobody accepted, and what was accepted in the tested `files` and does not survive.
fn compare(
    survivors: &[String],
    accepted: &BTreeMap<String, usize>,
    files: &BTreeSet<&str>,
) -> Report {
    let mut report = Report::default();
    let mut left = accepted.clone();
    for survivor in survivors {
        match left.get_mut(&without_place(survivor)) {
            Some(count) if *count > 0 => *count -= 1,
            _ => report.faults.push(format!("no test notices: {survivor}")),
        }
    }
    let is_tested = |name: &str| {
        name.split_once(": ")
            .is_some_and(|(file, _)| files.contains(file))
    };
    let gone = left
        .into_iter()
        .filter(|(name, count)| *count > 0 && is_tested(name));
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

    fn all() -> BTreeSet<&'static str> {
        BTreeSet::from(["a.rs", "b.rs"])
    }

    #[test]
    fn a_survivor_is_accepted_wherever_it_stands_and_as_often_as_it_is_listed() {
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
        let fault = "no test notices: a.rs:12:1: replace x";
        assert_eq!(report.faults, [fault]);
    }

    #[test]
    fn what_survives_no_more_is_reported_for_the_files_that_were_tested() {
        let accepted = read_accepted(LIST).unwrap();
        let survivors = ["a.rs:1:2: replace x".to_owned()];
        assert_eq!(compare(&survivors, &accepted, &all()).warnings.len(), 2);
        let others = BTreeSet::from(["c.rs"]);
        assert!(compare(&survivors, &accepted, &others).warnings.is_empty());
    }

    #[test]
    fn nothing_is_accepted_without_a_reason() {
        assert!(read_accepted("a.rs: replace x\n").is_err());
        assert!(read_accepted("# Why.\n\na.rs: replace x\n").is_err());
    }
}
