//! Length of sentences and of lines in documents.

use super::super::rust::LineFault;

/// Most words of a sentence.
const MAX_WORDS: usize = 40;
/// Most characters of a line of prose.
const MAX_LINE: usize = 160;

/// Long sentences and long lines of prose in a Markdown text. Code blocks, tables and headings are not prose.
pub(super) fn faults(text: &str) -> Vec<LineFault> {
    let mut faults = Vec::new();
    for (line, paragraph) in paragraphs(text) {
        for sentence in sentences(&paragraph) {
            let words = sentence.split_whitespace().count();
            if words > MAX_WORDS {
                let start: String = sentence.chars().take(60).collect();
                let fault = format!("a sentence of {words} words, more than {MAX_WORDS}: {start}");
                faults.push((line, fault));
            }
        }
    }
    for (line, text) in prose(text) {
        let length = text.chars().count();
        if length > MAX_LINE {
            let fault = format!("a line of {length} characters, more than {MAX_LINE}");
            faults.push((line, fault));
        }
    }
    faults
}

/// The numbered lines of prose; empty ones end a paragraph.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    (1..).zip(text.lines()).map(move |(number, line)| {
        let start = line.trim_start();
        let is_fence = start.starts_with("```");
        is_code ^= is_fence;
        let is_prose = !is_code && !is_fence && !start.starts_with(['|', '#', '<']);
        (number, if is_prose { line } else { "" })
    })
}

/// Paragraphs and items of lists, each with the number of its first line.
fn paragraphs(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (number, line) in prose(text) {
        let line = line.trim();
        let is_item = line.starts_with("* ") || line.starts_with("- ");
        match found.last_mut() {
            _ if line.is_empty() => is_open = false,
            Some((_, paragraph)) if is_open && !is_item => {
                paragraph.push(' ');
                paragraph.push_str(line);
            }
            _ => {
                found.push((number, line.to_owned()));
                is_open = true;
            }
        }
    }
    found
}

/// Parts of a paragraph that end with a stop, a colon or a semicolon before a blank.
fn sentences(paragraph: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, _) in paragraph.match_indices(' ') {
        let sentence = paragraph.get(start..at).unwrap_or_default();
        if sentence
            .trim_end_matches(')')
            .ends_with(['.', '?', '!', ':', ';'])
        {
            found.push(sentence);
            start = at + 1;
        }
    }
    found.push(paragraph.get(start..).unwrap_or_default());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_of_more_than_40_words_is_found_across_lines() {
        let long = "word ".repeat(30);
        let text = format!("Short.\n\nShort. {long}\n{long}\n");
        let found = faults(&text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, 3);
        assert!(
            found[0].1.starts_with("a sentence of 60 words"),
            "{found:?}"
        );
    }

    #[test]
    fn items_and_sentences_are_counted_alone() {
        let part = "word ".repeat(25);
        for text in [
            format!("* {part}\n* {part}\n"),
            format!("{}.\n{part}\n", part.trim_end()),
            format!("{}:\n{part}\n", part.trim_end()),
            format!("{part}\n\n{part}\n"),
        ] {
            assert_eq!(faults(&text), [], "{text}");
        }
    }

    #[test]
    fn long_lines_of_prose_are_found_and_tables_and_code_are_not() {
        let line = "a".repeat(161);
        assert_eq!(faults(&line).len(), 1);
        for text in [format!("| {line} |"), format!("```\n{line}\n```\n")] {
            assert_eq!(faults(&text), [], "{text}");
        }
    }
}
