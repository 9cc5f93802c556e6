//! Words that are refused, each with what to use instead.

use anyhow::{Context as _, Result};

use super::super::rust::LineFault;

/// The refused words.
pub(super) struct Words {
    entries: Vec<(String, String)>,
}

impl Words {
    /// Parses lines of `word => instead`; lines that begin with `#` are comments.
    ///
    /// # Errors
    /// When a line has no arrow.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let lines = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let entry = |line: &str| {
            let (word, instead) = line
                .split_once(" => ")
                .with_context(|| format!("no `=>`: {line}"))?;
            Ok((word.to_owned(), instead.to_owned()))
        };
        let entries = lines.map(entry).collect::<Result<_>>()?;
        Ok(Self { entries })
    }

    /// The refused words of a text.
    pub(super) fn faults(&self, text: &str) -> Vec<LineFault> {
        let mut faults = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            for (word, instead) in &self.entries {
                if has_word(line, word) {
                    faults.push((number, format!("`{word}`: say {instead}")));
                }
            }
        }
        faults
    }
}

/// True if the line has the word with no letter, digit or underscore on either side.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let behind = line
            .get(at + word.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !behind.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_and_phrases_are_found() {
        let words =
            Words::parse("# comment\nWanted => by what it is\nto be had => available\n").unwrap();
        let found = words
            .faults("struct Wanted;\nstruct Unwanted;\nThe errors are not to be had.\nWanted_\n");
        let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [1, 3]);
        assert_eq!(found[0].1, "`Wanted`: say by what it is");
    }

    #[test]
    fn a_line_without_an_arrow_is_refused() {
        assert!(Words::parse("Wanted\n").is_err());
    }
}
