//! `cargo xtask layers`: allowed imports between crates.
//!
//! The rules are checked on the graph that cargo resolves, once for each set of features, so that an import behind a
//! feature counts as well. Development dependencies are exempt: tests may use any crate. Inside the program, imports
//! between its modules are checked as well.

mod graph;
mod program_modules;
mod rules;
mod sources;

use anyhow::Result;

use self::graph::Graph;
use self::rules::TABLE;
use crate::report::CheckReport;
use crate::workspace::{CargoMetadata, Workspace};

/// Checked sets of features, as cargo's own options.
const FEATURE_SETS: [&[&str]; 3] = [&["--no-default-features"], &[], &["--all-features"]];

/// Checks the graph and the sources of the crates that must work in any host.
///
/// # Errors
/// When cargo fails or a file cannot be read.
pub(crate) fn check(workspace: &Workspace) -> Result<CheckReport> {
    let mut report = CheckReport::default();
    let mut graphs = Vec::new();
    let mut portable = 0;
    for features in FEATURE_SETS {
        let metadata = workspace.metadata(features)?;
        if graphs.is_empty() {
            (portable, report.faults) = source_faults(&metadata, workspace)?;
        }
        graphs.push(Graph::of(&metadata));
    }
    for graph in &graphs {
        report.faults.extend(graph.faults(TABLE));
    }
    report.faults.extend(Graph::stale(&graphs, TABLE));
    report
        .faults
        .extend(program_modules::faults(workspace.root())?);
    // A fault that appears with every set of features is reported once.
    let mut seen = std::collections::BTreeSet::new();
    report.faults.retain(|fault| seen.insert(fault.clone()));
    report.summary = format!(
        "{} crates, {portable} of them portable, with {} sets of features",
        TABLE.len(),
        FEATURE_SETS.len()
    );
    Ok(report)
}

/// The number of portable crates, and the banned calls in their sources.
fn source_faults(metadata: &CargoMetadata, workspace: &Workspace) -> Result<(usize, Vec<String>)> {
    let mut count = 0;
    let mut faults = Vec::new();
    for package in metadata.members() {
        let row = TABLE.iter().find(|row| row.name == package.name);
        if row.is_some_and(|row| row.layer.is_portable()) {
            count += 1;
            let sources = package.directory().join("src");
            faults.extend(sources::faults(&sources, workspace.root())?);
        }
    }
    Ok((count, faults))
}
