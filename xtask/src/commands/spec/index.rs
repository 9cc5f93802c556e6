//! All tests of the workspace, found by reading the sources.
//!
//! A test is named as the document names it: `package: module::path::name` for tests beside the code, and
//! `package/target: module::path::name` for those of a test target. A case of the conformance suite is named as
//! a function of its crate; it runs for every adapter.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::commands::tidy::files;

/// The crate whose functions over a harness are cases.
const SUITE: &str = "storage-conformance";

/// All tests by their names.
#[derive(Debug, Default)]
pub(crate) struct TestIndex {
    /// True for each test that normal runs leave out.
    is_ignored: BTreeMap<String, bool>,
}

/// Result of looking up a test by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    Found,
    Ignored,
    Missing,
}

impl TestIndex {
    /// Looks up a test by its name.
    pub(crate) fn look_up(&self, name: &str) -> Lookup {
        match self.is_ignored.get(name) {
            Some(false) => Lookup::Found,
            Some(true) => Lookup::Ignored,
            None => Lookup::Missing,
        }
    }

    /// Adds the tests of a package.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(crate) fn add_package(&mut self, package: &str, directory: &Path) -> Result<()> {
        let mut cases = BTreeSet::new();
        let mut listed = BTreeSet::new();
        for path in files::below(directory)? {
            let relative = path.strip_prefix(directory).unwrap_or(&path);
            let Some(prefix) = prefix(package, relative) else {
                continue;
            };
            let text = fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let mut scan = SourceScan::default();
            text.lines().for_each(|line| scan.read(line));
            let name = |inner: &str| join(&prefix, inner);
            if package == SUITE {
                cases.extend(scan.cases.iter().map(|case| (name(case), case.clone())));
                listed.extend(scan.listed);
            }
            let tests = scan
                .tests
                .iter()
                .map(|(test, ignored)| (name(test), *ignored));
            self.is_ignored.extend(tests);
        }
        // A case that no suite lists is never run.
        let run = cases.into_iter().filter(|(_, case)| listed.contains(case));
        self.is_ignored.extend(run.map(|(name, _)| (name, false)));
        Ok(())
    }
}

/// The beginning of the names of tests in a file: the target, and the module path that the file's path gives.
fn prefix(package: &str, relative: &Path) -> Option<String> {
    let is_source = relative.extension()? == "rs";
    let stemless = relative.with_extension("");
    let parts: Option<Vec<_>> = stemless.iter().map(|part| part.to_str()).collect();
    let parts = parts.filter(|_| is_source)?;
    let (target, modules) = match parts.as_slice() {
        ["src", modules @ ..] => (package.to_owned(), modules),
        ["tests", target, modules @ ..] => (format!("{package}/{target}"), modules),
        _ => return None,
    };
    let modules = match modules {
        ["lib" | "main"] => &[],
        [outer @ .., "mod"] => outer,
        all => all,
    };
    Some(join(&format!("{target}: "), &modules.join("::")))
}

/// Joins a beginning and the rest with `::`, unless the beginning is a bare target.
fn join(prefix: &str, inner: &str) -> String {
    let is_bare = prefix.ends_with(": ");
    let separator = if is_bare || inner.is_empty() {
        ""
    } else {
        "::"
    };
    format!("{prefix}{separator}{inner}")
}

/// A line-by-line scan of a source. The form that rustfmt gives it is predictable enough for that.
#[derive(Debug, Default)]
struct SourceScan {
    /// Inline modules that are open: their closing line and their name.
    modules: Vec<(String, String)>,
    is_test: bool,
    is_ignored: bool,
    tests: Vec<(String, bool)>,
    /// Functions over a harness.
    cases: Vec<String>,
    /// Names in a list of cases.
    listed: Vec<String>,
}

impl SourceScan {
    fn read(&mut self, line: &str) {
        let text = line.trim_start();
        let indentation = line.get(..line.len() - text.len()).unwrap_or_default();
        if self.modules.last().is_some_and(|(end, _)| end == line) {
            self.modules.pop();
        }
        if let Some(attribute) = text.strip_prefix("#[") {
            self.is_test |= is_test(attribute);
            self.is_ignored |= attribute.starts_with("ignore");
        } else if let Some(name) = module(text) {
            let end = format!("{indentation}}}");
            self.modules.push((end, name.to_owned()));
            self.forget_attributes();
        } else if let Some((name, rest)) = function(text) {
            if self.is_test {
                let modules = self.modules.iter().map(|(_, name)| name.as_str());
                let path: Vec<_> = modules.chain([name]).collect();
                self.tests.push((path.join("::"), self.is_ignored));
            }
            // With a long name, the harness is on the next line.
            if rest == "("
                || ["<H", "(harness: "]
                    .iter()
                    .any(|form| rest.starts_with(form))
            {
                self.cases.push(name.to_owned());
            }
            self.forget_attributes();
        } else if text.is_empty() {
            self.forget_attributes();
        }
        let word = text.split([',', ' ']).next().unwrap_or_default();
        // A standard clause that holds for an entity appears only in the list of its suite.
        if text.ends_with(',') && text.contains(" = clauses::") | text.contains(" = lists::") {
            self.cases.push(word.to_owned());
        }
        if text.ends_with(',') && is_name(word) {
            self.listed.push(word.to_owned());
        }
    }

    fn forget_attributes(&mut self) {
        self.is_test = false;
        self.is_ignored = false;
    }
}

/// True if an attribute marks a test: `test`, or the `test` of a runtime.
fn is_test(attribute: &str) -> bool {
    let path = attribute.split([']', '(']).next().unwrap_or_default();
    path.rsplit("::").next() == Some("test")
}

/// The name of an inline module that begins here.
fn module(text: &str) -> Option<&str> {
    let text = text.strip_prefix("pub(crate) ").unwrap_or(text);
    text.strip_prefix("mod ")?.strip_suffix(" {")
}

/// The name of a function that begins here, and what follows the name.
fn function(text: &str) -> Option<(&str, &str)> {
    let (before, after) = text.split_once("fn ")?;
    let is_head = ["", "pub ", "pub(crate) ", "pub(super) ", "async "].contains(&before);
    let end = after.find(|character: char| !is_name_character(character))?;
    let (name, rest) = after.split_at(end);
    (is_head && !name.is_empty()).then_some((name, rest))
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(is_name_character)
}

fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
