//! Accepted findings.

use anyhow::{Context as _, Result};

/// The accepted findings. Each must match something.
pub(super) struct Exceptions {
    entries: Vec<AcceptedFinding>,
}

struct AcceptedFinding {
    line: String,
    file: String,
    text: String,
    is_used: bool,
}

impl Exceptions {
    /// Parses lines of `file: text: reason`; lines that begin with `#` are comments.
    ///
    /// # Errors
    /// When a line has no file, no text or no reason.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let lines = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let entry = |line: &str| {
            let (file, rest) = line
                .split_once(": ")
                .with_context(|| format!("no file: {line}"))?;
            let (text, _) = rest
                .split_once(" | ")
                .with_context(|| format!("no reason: {line}"))?;
            Ok(AcceptedFinding {
                line: line.to_owned(),
                file: file.to_owned(),
                text: text.to_owned(),
                is_used: false,
            })
        };
        let entries = lines.map(entry).collect::<Result<_>>()?;
        Ok(Self { entries })
    }

    /// True if an entry accepts the fault in the file.
    pub(super) fn accept(&mut self, file: &str, fault: &str) -> bool {
        let mut is_accepted = false;
        for entry in &mut self.entries {
            if file.starts_with(&entry.file) && fault.contains(&entry.text) {
                entry.is_used = true;
                is_accepted = true;
            }
        }
        is_accepted
    }

    /// The lines of entries that accepted nothing.
    pub(super) fn unused(&self) -> impl Iterator<Item = &str> {
        let unused = self.entries.iter().filter(|entry| !entry.is_used);
        unused.map(|entry| entry.line.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_accepts_its_text_in_its_file_and_is_reported_when_unused() {
        let text = "# comment\nsrc/a.rs: `Row` | the database's word\nsrc/b.rs: `Kind` | unused\n";
        let mut exceptions = Exceptions::parse(text).unwrap();
        assert!(exceptions.accept("src/a.rs", "`Row` is declared twice"));
        assert!(!exceptions.accept("src/c.rs", "`Row` is declared twice"));
        assert!(!exceptions.accept("src/a.rs", "`Kind` is declared twice"));
        let unused: Vec<_> = exceptions.unused().collect();
        assert_eq!(unused, ["src/b.rs: `Kind` | unused"]);
    }

    #[test]
    fn an_exception_without_a_reason_is_refused() {
        assert!(Exceptions::parse("src/a.rs: `Row`\n").is_err());
        assert!(Exceptions::parse("`Row`\n").is_err());
    }
}
