//! `cargo xtask spec`: each requirement names the tests that prove it, or says why it has none.
//!
//! `docs/requirements.tsv` lists the requirements, and `docs/conformance.md` explains the table that is checked.

mod index;
mod proofs;
mod table;

use std::fs;

use anyhow::{Context as _, Result};

use self::index::TestIndex;
use crate::report::CheckReport;
use crate::workspace::Workspace;

const REQUIREMENTS: &str = "docs/requirements.tsv";
const CONFORMANCE: &str = "docs/conformance.md";

/// Compares the table with the list of requirements and the tests.
///
/// # Errors
/// When a document or a source cannot be read.
pub(crate) fn check(workspace: &Workspace) -> Result<CheckReport> {
    let read = |path: &str| {
        fs::read_to_string(workspace.root().join(path))
            .with_context(|| format!("cannot read {path}"))
    };
    let required = table::requirement_ids(&read(REQUIREMENTS)?);
    let (rows, mut faults) = table::rows(&read(CONFORMANCE)?);
    let mut index = TestIndex::default();
    for package in workspace.metadata(&["--no-deps"])?.members() {
        index.add_package(&package.name, package.directory())?;
    }
    let (counts, claims) = proofs::check_rows(&required, &rows, &index);
    faults.extend(claims);
    let located = faults.iter().map(|fault| format!("{CONFORMANCE}: {fault}"));
    Ok(CheckReport {
        faults: located.collect(),
        warnings: Vec::new(),
        summary: format!(
            "{} requirements: {} proven, {} partly, {} open",
            required.len(),
            counts.proven,
            counts.partly,
            counts.open
        ),
    })
}
