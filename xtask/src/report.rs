//! Findings of a check.
#![expect(clippy::print_stdout, reason = "a check prints to the terminal")]

use std::process::ExitCode;

/// The findings of one check. It has passed when there are no faults.
#[derive(Debug, Default)]
pub(crate) struct CheckReport {
    /// Problems that must be fixed.
    pub(crate) faults: Vec<String>,
    /// Problems that deserve a look and do not fail the check.
    pub(crate) warnings: Vec<String>,
    /// Summary in one line.
    pub(crate) summary: String,
}

impl CheckReport {
    /// The report of a check with one fault.
    pub(crate) fn fault(text: impl Into<String>) -> Self {
        Self {
            faults: vec![text.into()],
            ..Self::default()
        }
    }

    /// True if there are no faults.
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
