//! The wording of code, documents, pages and commits.
//!
//! Refused words are in `xtask/wording/words.txt`, exceptions with their reasons in `xtask/wording/exceptions.txt`.

mod commits;
mod exceptions;
mod sentences;
mod summaries;
mod type_names;
mod words;

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use self::exceptions::Exceptions;
use self::type_names::TypeNames;
use self::words::Words;
use super::rust::LineFault;

/// Refused words, a line each: the word, `=>`, the word to use instead.
const WORDS: &str = "xtask/wording/words.txt";
/// Accepted findings, a line each: the file, the finding, the reason.
const EXCEPTIONS: &str = "xtask/wording/exceptions.txt";

/// The check of all files, one after the other.
pub(crate) struct Wording {
    words: Words,
    exceptions: Exceptions,
    type_names: TypeNames,
    faults: Vec<String>,
    summaries: summaries::SummaryCount,
}

impl Wording {
    /// Reads the list of words and the exceptions.
    ///
    /// # Errors
    /// When a list cannot be read or parsed.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let text = |path: &str| {
            fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))
        };
        Ok(Self {
            words: Words::parse(&text(WORDS)?)?,
            exceptions: Exceptions::parse(&text(EXCEPTIONS)?)?,
            type_names: TypeNames::default(),
            faults: Vec::new(),
            summaries: summaries::SummaryCount::default(),
        })
    }

    /// Checks a text file. `path` is relative to the root.
    pub(crate) fn check(&mut self, path: &Path, text: &str) {
        let name = path.display().to_string();
        if name.starts_with("xtask/wording/") {
            return;
        }
        let extension = path.extension().and_then(|extension| extension.to_str());
        let mut found: Vec<LineFault> = Vec::new();
        match extension {
            Some("rs") => {
                found.extend(self.words.faults(text));
                found.extend(summaries::faults(text, &mut self.summaries));
                self.type_names.add(&name, text);
            }
            Some("md") => {
                found.extend(self.words.faults(text));
                found.extend(sentences::faults(text));
            }
            Some("html") => found.extend(self.words.faults(text)),
            _ => {}
        }
        for (line, fault) in found {
            if !self.exceptions.accept(&name, &fault) {
                self.faults.push(format!("{name}:{line}: {fault}"));
            }
        }
    }

    /// Returns the faults of all files and of the newest commits, and a summary.
    pub(crate) fn finish(mut self, root: &Path) -> (Vec<String>, String) {
        for (name, fault) in self.type_names.faults() {
            if !self.exceptions.accept(&name, &fault) {
                self.faults.push(format!("{name}: {fault}"));
            }
        }
        self.faults.extend(commits::check(root));
        let unused = self.exceptions.unused();
        let unused = unused.map(|line| format!("{EXCEPTIONS}: nothing matches `{line}`"));
        self.faults.extend(unused);
        (self.faults, self.summaries.to_string())
    }
}
