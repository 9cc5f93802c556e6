//! `cargo xtask tidy`: the form of the files, as far as rustfmt and clippy leave it open.

pub(crate) mod files;
mod guides;
mod markdown;
pub(crate) mod outcomes;
mod readme;
pub(crate) mod rust;
mod text;
mod wording;

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::report::CheckReport;
use crate::workspace::Workspace;

/// Checks all text files of the project, the fuzz targets included.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn check(workspace: &Workspace) -> Result<CheckReport> {
    let mut report = CheckReport::default();
    let mut count = 0;
    let mut wording = wording::Wording::read(workspace.root())?;
    let mut identifiers = HashSet::new();
    let root = workspace.root();
    for path in files::below(root)? {
        if text::is_text_file(&path) {
            let text = fs::read_to_string(&path)
                .with_context(|| format!("cannot read {} as text", path.display()))?;
            check_file(&path, root, &text, &mut report);
            wording.check(path.strip_prefix(root).unwrap_or(&path), &text);
            if path.extension().is_some_and(|extension| extension == "rs") {
                identifiers.extend(guides::identifiers(&text).map(str::to_owned));
            }
            count += 1;
        }
    }
    check_readmes(workspace, &mut report)?;
    report.faults.extend(outcomes::check(root)?);
    for guide in guides::GUIDES {
        let text =
            fs::read_to_string(root.join(guide)).with_context(|| format!("cannot read {guide}"))?;
        let found = guides::faults(&text, &identifiers).into_iter();
        let at = |(line, what)| format!("{guide}:{line}: {what}");
        report.faults.extend(found.map(at));
    }
    let (faults, summaries) = wording.finish(root);
    report.faults.extend(faults);
    report.summary = format!("{count} text files, {summaries}");
    Ok(report)
}

/// Checks the features that the READMEs of packages list.
fn check_readmes(workspace: &Workspace, report: &mut CheckReport) -> Result<()> {
    let metadata = workspace.metadata(&["--no-deps"])?;
    for package in metadata.members() {
        let path = package.directory().join("README.md");
        if !path.is_file() {
            continue;
        }
        let readme = fs::read_to_string(&path)?;
        let features = package.features.keys().map(String::as_str);
        let found = readme::faults(&readme, features).into_iter();
        let at = |what| format!("{} (README.md): {what}", package.name);
        report.faults.extend(found.map(at));
    }
    Ok(())
}

fn check_file(path: &Path, root: &Path, text: &str, report: &mut CheckReport) {
    let path = path.strip_prefix(root).unwrap_or(path);
    let at = |(line, what): (usize, String)| format!("{}:{line}: {what}", path.display());
    report.faults.extend(text::faults(text).into_iter().map(at));
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension {
        Some("rs") => {
            report
                .faults
                .extend(rust::faults(path, text).into_iter().map(at));
            report
                .warnings
                .extend(rust::warnings(path, text).into_iter().map(at));
        }
        Some("md") => {
            let directory = root.join(path.parent().unwrap_or(Path::new("")));
            let broken = markdown::broken_links(text, &directory).into_iter();
            let fault = |(line, target)| at((line, format!("`{target}` leads to no file")));
            report.faults.extend(broken.map(fault));
        }
        _ => {}
    }
}
