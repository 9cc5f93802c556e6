//! A report as text for a terminal.

use std::fmt;

use crate::model::{Milestone, RecordStatus};

use super::report::{Certainty, Finding, InspectionReport};

/// Writes a three-line summary, then each record with the calls it affects, then the unknown calls, then the records
/// that were not checked.
impl fmt::Display for InspectionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_summary(f)?;
        let mut record = None;
        for (at, finding) in self.findings.iter().enumerate() {
            if record != Some(&finding.record) {
                record = Some(&finding.record);
                let own = self.findings.get(at..).unwrap_or_default();
                let own = own
                    .iter()
                    .take_while(|other| other.record == finding.record);
                let is_certain = own.clone().any(|it| it.certainty == Certainty::Certain);
                write_record(f, finding, is_certain)?;
            }
            self.write_call(f, finding)?;
        }
        if self.left_off > 0 {
            let left_off = count(self.left_off, "more use", "more uses");
            writeln!(f, "\n{left_off} not listed; the report is full.")?;
        }
        if !self.unknown.is_empty() {
            writeln!(
                f,
                "\nUNKNOWN: no record and no known operation matches these calls"
            )?;
        }
        for unknown in &self.unknown {
            let place = self.place(unknown.occurrences, unknown.first);
            writeln!(f, "  {} ({place})", unknown.call)?;
        }
        if !self.not_shown.is_empty() {
            let source = self.source;
            writeln!(
                f,
                "\nNOT CHECKED: {source} does not show uses of these records"
            )?;
        }
        for record in &self.not_shown {
            writeln!(f, "  {record}")?;
        }
        Ok(())
    }
}

impl InspectionReport {
    fn write_summary(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.source {
            super::FileFormat::OpenApi => ("operation", "operations"),
            _ => ("call", "calls"),
        };
        writeln!(
            f,
            "Checked {} of {} against {}: {} breaking, {} deprecated, {} unclear.",
            count(self.calls, what.0, what.1),
            self.source,
            self.checked_as,
            self.breaking_uses,
            self.deprecated_uses,
            self.unclear_uses,
        )?;
        write!(
            f,
            "{} unknown, {} outside the API",
            count(self.unknown_calls, what.0, what.1),
            self.outside_calls
        )?;
        match self.first_unread {
            Some(first) => writeln!(
                f,
                "; {} unreadable, first at {} {first}.",
                self.unread,
                self.source.unit(),
            )?,
            None => writeln!(f, ".")?,
        }
        match self.not_shown.len() {
            0 => writeln!(f, "All records were checked."),
            1 => writeln!(f, "1 record was not checked; it is listed at the end."),
            many => writeln!(
                f,
                "{many} records were not checked; they are listed at the end."
            ),
        }
    }

    fn write_call(&self, f: &mut fmt::Formatter<'_>, finding: &Finding) -> fmt::Result {
        let certainty = match finding.certainty {
            Certainty::Certain => "",
            Certainty::CannotTell => "unclear: ",
        };
        let place = self.place(finding.occurrences, finding.first);
        writeln!(
            f,
            "  {}: {certainty}{} ({place})",
            finding.call, finding.detail
        )
    }

    fn place(&self, occurrences: u64, first: u64) -> String {
        let unit = self.source.unit();
        if occurrences == 1 {
            format!("{unit} {first}")
        } else {
            format!("{occurrences} times, first at {unit} {first}")
        }
    }
}

/// Writes the heading of a record, above the calls it affects.
fn write_record(f: &mut fmt::Formatter<'_>, finding: &Finding, is_certain: bool) -> fmt::Result {
    let word = match (is_certain, finding.breaks()) {
        (true, true) => "BREAKS",
        (true, false) => "DEPRECATED",
        (false, true) => "MAY BREAK",
        (false, false) => "MAY BE DEPRECATED",
    };
    let when = match (finding.status, finding.removal, &finding.introduced) {
        (RecordStatus::Removed, Some(Milestone::Undated), _) => "removed".to_owned(),
        (RecordStatus::Removed, Some(removal), _) => format!("removed in {removal}"),
        (_, Some(Milestone::Undated), _) => "will be removed, no date yet".to_owned(),
        (_, Some(removal), _) => format!("will be removed in {removal}"),
        (_, None, Some(introduced)) => format!("introduced in {introduced}"),
        (_, None, None) => finding.status.as_str().to_owned(),
    };
    writeln!(f, "\n{word} {}: {} ({when})", finding.record, finding.title)?;
    match &finding.replacement {
        Some(replacement) => writeln!(f, "  Instead: {replacement}"),
        None => Ok(()),
    }
}

fn count(number: u64, one: &str, many: &str) -> String {
    let word = if number == 1 { one } else { many };
    format!("{number} {word}")
}
