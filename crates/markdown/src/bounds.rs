//! What a text may be to be read as Markdown.

/// The longest text, in characters. It is the bound of a description in the API. A longer one is shown as it is written.
pub const MAX_CHARACTERS: usize = 1_048_576;

/// How many different references of a text are looked up. Those that come later stay text.
pub const MAX_REFERENCES: usize = 100;

/// How many links a text has for its references, however often it names them: a link is far longer than what it stands for.
pub(crate) const MAX_LINKS: usize = 1000;

/// The last column in which a quotation, a list or a footnote may begin, so that nothing is nested deeper than that. A
/// text that goes further is shown as it is written: each line of it would cost as much as it is deep.
pub const MAX_MARKER_COLUMN: usize = 128;

/// Whether a text is read as Markdown.
pub(crate) fn allow(text: &str) -> bool {
    // No character has more than four bytes, so a short text need not be counted.
    let is_short = text.len() <= MAX_CHARACTERS || text.chars().count() <= MAX_CHARACTERS;
    is_short
        && text
            .split(['\n', '\r'])
            .all(|line| last_marker(line) <= MAX_MARKER_COLUMN)
}

/// The column after the last marker of a container at the beginning of a line; 0 where it has none.
fn last_marker(line: &str) -> usize {
    let mut rest = line;
    let mut column = 0;
    let mut last = 0;
    loop {
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let (skipped, after) = rest.split_at(blank);
        // A tab counts as the widest that it can be.
        column += skipped
            .chars()
            .map(|c| if c == '\t' { 4 } else { 1 })
            .sum::<usize>();
        let Some(length) = marker(after) else {
            return last;
        };
        column += length;
        last = column;
        rest = after.get(length..).unwrap_or_default();
    }
}

/// How long the marker is with which a text begins.
fn marker(text: &str) -> Option<usize> {
    let is_followed_by_blank = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    if text.starts_with('>') {
        return Some(1);
    }
    if let Some(rest) = text.strip_prefix(['-', '*', '+']) {
        return is_followed_by_blank(rest).then_some(1);
    }
    if let Some(label) = text.strip_prefix("[^") {
        let end = label.find(']')?;
        return label.get(end..)?.starts_with("]:").then_some(end + 4);
    }
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = text.get(digits..)?.strip_prefix(['.', ')'])?;
    ((1..=9).contains(&digits) && is_followed_by_blank(rest)).then_some(digits + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_counted_by_their_columns() {
        for (line, expected) in [
            ("", 0),
            ("text - of > no 1. list", 0),
            ("    code", 0),
            ("-----------", 0),
            ("> > text", 3),
            (">>text", 2),
            ("- * + text", 5),
            ("10. 2) text", 6),
            ("1234567890. text", 0),
            ("\t- text", 5),
            ("[^note]: - text", 10),
            ("[^note] text", 0),
        ] {
            assert_eq!(last_marker(line), expected, "{line:?}");
        }
    }

    #[test]
    fn what_is_too_long_or_too_deep_is_not_read() {
        assert!(allow(&"ä".repeat(MAX_CHARACTERS)));
        assert!(!allow(&"a".repeat(MAX_CHARACTERS + 1)));
        assert!(allow(&">".repeat(MAX_MARKER_COLUMN)));
        assert!(!allow(&">".repeat(MAX_MARKER_COLUMN + 1)));
    }
}
