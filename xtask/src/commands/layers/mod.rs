//! `cargo xtask layers`: which crate imports which.
//!
//! The rules are checked on the graph that cargo resolves, once for each set of features, so that an import
//! behind a feature counts as well. Development dependencies are exempt: tests may use any crate. Inside the program its
//! rooms are checked alike.

mod graph;
mod rooms;
mod rules;
mod sources;

use anyhow::Result;

use self::graph::Graph;
use self::rules::TABLE;
use crate::report::Report;
use crate::workspace::{Metadata, Workspace};

/// The sets of features that are looked at, as cargo's own options.
const FEATURE_SETS: [&[&str]; 3] = [&["--no-default-features"], &[], &["--all-features"]];

/// Checks the graph and the sources of the crates that must work in any host.
///
/// # Errors
/// When cargo fails or a file cannot be read.
pub(crate) fn check(workspace: &Workspace) -> Result<Report> {
    let mut report = Report::default();
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
    report.faults.extend(rooms::faults(workspace.root())?);
    // What is wrong for every set of features is told once.
    let mut response = std::collections::BTreeSet::new();
    report.faults.retain(|fault| response.insert(fault.clone()));
    report.summary = format!(
        "{} crates, {portable} of them portable, under {} sets of features",
        TABLE.len(),
        FEATURE_SETS.len()
    );
    Ok(report)
}

/// How many crates are portable, and what their sources must not call and do.
fn source_faults(metadata: &Metadata, workspace: &Workspace) -> Result<(usize, Vec<String>)> {
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
