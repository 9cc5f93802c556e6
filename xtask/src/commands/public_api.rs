//! `cargo xtask public-api`: the public API of the crates that hosts embed, compared with its snapshots.
//!
//! A snapshot lists one item per line, with all features of the crate, so that a review shows the changes for hosts.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::tidy::outcomes::CRATES;
use crate::invoke;
use crate::report::CheckReport;
use crate::workspace::Workspace;

/// The directory of the snapshots.
const SNAPSHOTS: &str = "docs/public-api";
/// Manifest of the package that reads rustdoc's output.
pub(crate) const TOOL: &str = "xtask/public-api/Cargo.toml";
/// Maximum number of printed lines of a difference.
const MAX_LINES: usize = 20;

/// Arguments of `cargo xtask public-api`.
#[derive(Debug, clap::Args)]
pub(crate) struct PublicApiArguments {
    /// Write the snapshots instead of comparing them
    #[arg(long)]
    bless: bool,
}

/// Compares the snapshots, or writes them.
///
/// # Errors
/// When a crate cannot be documented, or a snapshot cannot be read or written.
pub(crate) fn run(workspace: &Workspace, arguments: &PublicApiArguments) -> Result<CheckReport> {
    if !arguments.bless {
        return check(workspace);
    }
    for (name, api) in apis(workspace)? {
        fs::write(snapshot(workspace, name), api)?;
    }
    Ok(CheckReport {
        summary: format!("{} snapshots written", CRATES.len()),
        ..CheckReport::default()
    })
}

/// Compares the snapshots.
///
/// # Errors
/// When a crate cannot be documented, or a snapshot cannot be read.
pub(crate) fn check(workspace: &Workspace) -> Result<CheckReport> {
    let mut report = CheckReport::default();
    let mut lines = 0;
    for (name, api) in apis(workspace)? {
        let path = snapshot(workspace, name);
        let before =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        lines += before.lines().count();
        report.faults.extend(fault(name, &before, &api));
    }
    report.summary = format!("{lines} public items of {} crates", CRATES.len());
    Ok(report)
}

fn snapshot(workspace: &Workspace, name: &str) -> PathBuf {
    let directory = workspace.root().join(SNAPSHOTS);
    directory.join(format!("{name}.txt"))
}

/// The public API of each crate.
fn apis(workspace: &Workspace) -> Result<Vec<(&'static str, String)>> {
    let target = workspace.target_directory()?;
    let tools = target.join("outside/public-api");
    let mut build = workspace.cargo(&["build", "--quiet", "--locked", "--manifest-path", TOOL]);
    invoke::capture(build.arg("--target-dir").arg(&tools))?;
    let tool = |name: &str| tools.join("debug").join(name);
    let mut document = workspace.cargo(&["doc", "--quiet", "--locked", "--no-deps"]);
    document.arg("--all-features");
    for name in CRATES {
        document.args(["--package", name]);
    }
    document.env("RUSTDOC", tool("rustdoc-json")).env(
        "RUSTDOCFLAGS",
        "-Z unstable-options --output-format json --cap-lints allow",
    );
    invoke::capture(&mut document)?;
    let api = |name: &'static str| {
        let json = Path::new("doc").join(format!("{}.json", name.replace('-', "_")));
        let mut lines = Command::new(tool("public-api-lines"));
        let printed = invoke::capture(lines.arg(target.join(json)))?;
        Ok((name, String::from_utf8(printed)?))
    };
    CRATES.into_iter().map(api).collect()
}

/// The differences from a snapshot, and the fix.
fn fault(name: &str, before: &str, after: &str) -> Option<String> {
    let (before, after): (BTreeSet<_>, BTreeSet<_>) =
        (before.lines().collect(), after.lines().collect());
    let removed = before
        .difference(&after)
        .map(|line| format!("  - {line}\n"));
    let added = after
        .difference(&before)
        .map(|line| format!("  + {line}\n"));
    let mut lines: Vec<String> = removed.chain(added).collect();
    if lines.is_empty() {
        return None;
    }
    let more = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    if more > 0 {
        lines.push(format!("  and {more} more\n"));
    }
    Some(format!(
        "the public API of {name} differs from {SNAPSHOTS}/{name}.txt:\n{}\
         a removed line breaks hosts: note it in crates/{name}/CHANGELOG.md; then run `cargo xtask public-api --bless`",
        lines.concat()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_difference_lists_removals_additions_and_next_steps() {
        let before = "pub fn lamps::dim(u8)\npub fn lamps::off()\n";
        assert_eq!(fault("lamps", before, before), None);
        let after = "pub fn lamps::dim(u16)\npub fn lamps::off()\n";
        assert_eq!(
            fault("lamps", before, after).unwrap(),
            "the public API of lamps differs from docs/public-api/lamps.txt:\n  - pub fn lamps::dim(u8)\n  \
             + pub fn lamps::dim(u16)\na removed line breaks hosts: note it in crates/lamps/CHANGELOG.md; then run \
             `cargo xtask public-api --bless`"
        );
        let many: Vec<String> = (0..30).map(|number: u8| number.to_string()).collect();
        let text = fault("lamps", "", &many.join("\n")).unwrap();
        assert!(text.contains("  and 10 more\n"), "{text}");
    }
}
