//! What a check found.
#![expect(
    clippy::print_stdout,
    reason = "a check speaks to the person who ran it"
)]

use std::process::ExitCode;

/// The findings of one check. It has passed when there are no faults.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// What must be mended.
    pub(crate) faults: Vec<String>,
    /// What deserves a look and stops nobody.
    pub(crate) warnings: Vec<String>,
    /// What was looked at, in one line.
    pub(crate) summary: String,
}

impl Report {
    /// The report of a check with one fault.
    pub(crate) fn fault(text: impl Into<String>) -> Self {
        Self {
            faults: vec![text.into()],
            ..Self::default()
        }
    }

    /// Whether nothing must be mended.
    pub(crate) fn has_passed(&self) -> bool {
        self.faults.is_empty()
    }

    /// Prints everything.
    pub(crate) fn print(&self) -> ExitCode {
        for warning in &self.warnings {
            println!("warning: {warning}");
        }
        for fault in &self.faults {
            println!("fault: {fault}");
        }
        if !self.summary.is_empty() {
            println!("{}", self.summary);
        }
        if self.has_passed() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}
