//! Records, prepared for the pages.

use chrono::NaiveDate;
use deprecations::{Edition, Life, Milestone, Record, RecordStatus, calendar};

use crate::frame::page::pill::Pill;

/// Part of a line: plain text or code.
pub(super) struct TitlePiece {
    pub(super) text: String,
    pub(super) is_code: bool,
}

/// Splits a line of Markdown, in which only code is marked up, into its parts.
pub(super) fn pieces(line: &str) -> Vec<TitlePiece> {
    let pieces = line.split('`').enumerate();
    let pieces = pieces.filter(|(_, text)| !text.is_empty());
    pieces
        .map(|(at, text)| TitlePiece {
            text: text.to_owned(),
            is_code: at % 2 == 1,
        })
        .collect()
}

/// Record in a list.
pub(super) struct RecordRow {
    pub(super) path: String,
    pub(super) title: Vec<TitlePiece>,
    pub(super) second: String,
    pub(super) replacement: Vec<TitlePiece>,
    pub(super) status: Pill,
    pub(super) breaking: Option<Pill>,
}

impl RecordRow {
    pub(super) fn new(record: &Record, at: Edition) -> Self {
        let kind = record.kind.as_str();
        let second = match record.life {
            Life::Deprecated { announced, .. } => {
                format!("{} · {kind} · announced in {announced}", record.area)
            }
            Life::Introduced(release) => format!("{} · {kind} · since {release}", record.area),
        };
        Self {
            path: path_of(record),
            title: pieces(&record.title),
            second,
            replacement: record
                .replacement
                .as_deref()
                .map(pieces)
                .unwrap_or_default(),
            status: record.status(at).into(),
            breaking: record.breaking.then_some(Pill::BREAKING),
        }
    }
}

/// Path of a record's page.
pub(super) fn path_of(record: &Record) -> String {
    format!("{}/{}", super::LIST, record.id)
}

/// Time of a removal in words, with the day if it is known.
pub(super) fn when(milestone: Milestone) -> String {
    match milestone {
        Milestone::Release(release) => {
            let day = calendar::day_of(release).map(day);
            day.map_or_else(|| release.to_string(), |day| format!("{release}, {day}"))
        }
        Milestone::Api(version) => format!("With version {version} of the API"),
        Milestone::Undated => "In a later release".to_owned(),
    }
}

/// Formats a day for display.
pub(super) fn day(day: NaiveDate) -> String {
    day.format("%-d %b %Y").to_string()
}

impl From<RecordStatus> for Pill {
    fn from(status: RecordStatus) -> Self {
        match status {
            RecordStatus::Current => Self::AVAILABLE,
            RecordStatus::Deprecated => Self::DEPRECATED,
            RecordStatus::Removed => Self::REMOVED,
            RecordStatus::Absent => Self::UPCOMING,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_spans_in_a_line_are_distinguished_from_text() {
        let shown = |line| {
            let pieces = pieces(line).into_iter();
            let marked = pieces.map(|piece| {
                if piece.is_code {
                    format!("<{}>", piece.text)
                } else {
                    piece.text
                }
            });
            marked.collect::<String>()
        };
        assert_eq!(shown("Users: `a` and `b`"), "Users: <a> and <b>");
        assert_eq!(shown("`a`"), "<a>");
        assert_eq!(shown("plain"), "plain");
    }
}
