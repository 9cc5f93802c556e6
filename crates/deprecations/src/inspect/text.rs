//! A report as text for a terminal.

use std::fmt;

use crate::model::{Milestone, Status};

use super::report::{Certainty, Finding, Report};

/// Writes a three-line summary, then each record with the calls it affects, then the unknown calls, then the records
/// that were not checked.
impl fmt::Display for Report {
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
            let left_off = count(self.left_off, "more use is", "more uses are");
            writeln!(
                f,
                "\n{left_off} not listed: there are too many different ones."
            )?;
        }
        if !self.unknown.is_empty() {
            writeln!(
                f,
                "\nUNKNOWN: no record and no list of operations has these calls"
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
                "\nNOT LOOKED FOR: {source} does not show what these records are about"
            )?;
        }
        for record in &self.not_shown {
            writeln!(f, "  {record}")?;
        }
        Ok(())
    }
}

impl Report {
    fn write_summary(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.source {
            super::Source::OpenApi => ("operation", "operations"),
            _ => ("call", "calls"),
        };
        writeln!(
            f,
            "Checked {} of {} as {}: {} break, {} deprecated, {} cannot tell.",
            count(self.calls, what.0, what.1),
            self.source,
            self.checked_as,
            self.breaking_uses,
            self.deprecated_uses,
            self.unclear_uses,
        )?;
        write!(
            f,
            "{} unknown, {} not of the API",
            count(self.unknown_calls, what.0, what.1),
            self.outside_calls
        )?;
        match self.first_unread {
            Some(first) => writeln!(
                f,
                "; {} not readable, the first is {} {first}.",
                self.unread,
                self.source.unit(),
            )?,
            None => writeln!(f, ".")?,
        }
        match self.not_shown.len() {
            0 => writeln!(f, "All records that count were looked for."),
            1 => writeln!(f, "1 record was not looked for, see the end."),
            many => writeln!(f, "{many} records were not looked for, see the end."),
        }
    }

    fn write_call(&self, f: &mut fmt::Formatter<'_>, finding: &Finding) -> fmt::Result {
        let certainty = match finding.certainty {
            Certainty::Certain => "",
            Certainty::CannotTell => "cannot tell: ",
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
            format!("{occurrences} times, first in {unit} {first}")
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
        (Status::Removed, Some(Milestone::Undated), _) => "removed".to_owned(),
        (Status::Removed, Some(removal), _) => format!("removed in {removal}"),
        (_, Some(Milestone::Undated), _) => "will be removed, undated".to_owned(),
        (_, Some(removal), _) => format!("will be removed in {removal}"),
        (_, None, Some(introduced)) => format!("comes with {introduced}"),
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
