//! First lines of doc comments.

use std::fmt;

use super::super::rust::LineFault;

/// Words that no summary begins with: it names the item.
const PRONOUNS: [&str; 15] = [
    "How", "It", "Its", "One", "That", "These", "They", "Those", "What", "Which", "Who", "Whom",
    "Whose", "Whether", "Why",
];

/// The number of doc comments, and of those that begin with a pronoun.
#[derive(Debug, Default)]
pub(super) struct SummaryCount {
    all: usize,
    pronouns: usize,
}

impl fmt::Display for SummaryCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { all, pronouns } = self;
        write!(f, "{all} doc comments, {pronouns} begin with a pronoun")
    }
}

/// Summaries that begin with a pronoun.
pub(super) fn faults(source: &str, count: &mut SummaryCount) -> Vec<LineFault> {
    let mut faults = Vec::new();
    let mut is_inside = false;
    for (number, line) in (1..).zip(source.lines()) {
        let line = line.trim_start();
        let comment = line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"));
        if let Some(text) = comment.filter(|_| !is_inside) {
            count.all += 1;
            let is_letter = |letter: char| letter.is_alphabetic();
            let first = text.trim_start().split(|letter| !is_letter(letter)).next();
            if let Some(word) = first.filter(|word| PRONOUNS.contains(word)) {
                count.pronouns += 1;
                let fault = format!("a summary begins with `{word}`: name the item");
                faults.push((number, fault));
            }
        }
        is_inside = comment.is_some();
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_first_lines_of_doc_comments_are_summaries() {
        let source = "//! What a module is.\n\n/// Limits of an integration.\n/// What follows is text.\n// What is no summary.\n\
                      struct A;\n    /// It is\n    field: u8,\n    /// Itself.\n";
        let mut count = SummaryCount::default();
        let lines: Vec<usize> = faults(source, &mut count)
            .into_iter()
            .map(|(line, _)| line)
            .collect();
        assert_eq!(lines, [1, 7]);
        assert_eq!(count.to_string(), "4 doc comments, 2 begin with a pronoun");
    }
}
