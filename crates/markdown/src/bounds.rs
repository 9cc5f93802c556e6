//! Limits for texts that are parsed as Markdown.

/// Longest text, in characters: the limit for descriptions in the API.
/// A longer text is shown as it is written.
pub const MAX_CHARACTERS: usize = 1_048_576;

/// Maximum number of distinct references that are looked up per text.
/// Later ones stay text.
pub const MAX_REFERENCES: usize = 100;

/// Maximum number of reference links per text, counting repeated references.
/// A link is far longer than the reference that it replaces.
pub(crate) const MAX_LINKS: usize = 1000;

/// Last column at which a block quote, a list or a footnote may begin, which limits the nesting depth.
/// A text that goes further is shown as it is written, because each of its lines would cost as much as its depth.
pub const MAX_MARKER_COLUMN: usize = 128;

/// Cells that the tables of a text may have beyond one for each byte of the text.
/// A row may leave out cells, which are then rendered empty, so that a short text could become a page of megabytes.
/// A text with more cells has no tables.
const FREE_CELLS: usize = 10_000;

/// True if a text is within the limits for Markdown.
pub(crate) fn allow(text: &str) -> bool {
    // A character has at least one byte, so a text that is short in bytes need not be counted.
    let is_short = text.len() <= MAX_CHARACTERS || text.chars().count() <= MAX_CHARACTERS;
    is_short
        && text
            .split(['\n', '\r'])
            .all(|line| last_marker(line).0 <= MAX_MARKER_COLUMN)
}

/// True if the tables of a text have no more cells than its length allows.
pub(crate) fn allow_tables(text: &str) -> bool {
    let limit = text.len().saturating_add(FREE_CELLS);
    let (mut cells, mut columns) = (0_usize, 0);
    for line in text.split(['\n', '\r']) {
        let (_, content) = last_marker(line);
        if content.trim().is_empty() {
            columns = 0;
        } else if let Some(count) = delimited_columns(content) {
            columns = columns.max(count);
        }
        cells = cells.saturating_add(columns);
        if cells > limit {
            return false;
        }
    }
    true
}

/// Number of columns that a line declares, if it may be the delimiter row of a table.
fn delimited_columns(content: &str) -> Option<usize> {
    let is_delimiter = |c: char| matches!(c, '|' | '-' | ':') || c.is_ascii_whitespace();
    (content.contains('-') && content.chars().all(is_delimiter))
        .then(|| content.matches('|').count() + 1)
}

/// Column after the last container marker at the beginning of a line (0 if there is none), and the rest of the line.
fn last_marker(line: &str) -> (usize, &str) {
    let mut rest = line;
    let mut column = 0;
    let mut last = (0, line);
    loop {
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let (skipped, after) = rest.split_at(blank);
        // A tab counts with its maximum width.
        column += skipped
            .chars()
            .map(|c| if c == '\t' { 4 } else { 1 })
            .sum::<usize>();
        let Some(length) = marker(after) else {
            return last;
        };
        column += length;
        rest = after.get(length..).unwrap_or_default();
        last = (column, rest);
    }
}

/// Length of the container marker at the beginning of a text.
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
            assert_eq!(last_marker(line).0, expected, "{line:?}");
        }
    }

    #[test]
    fn texts_beyond_the_length_or_nesting_limit_are_not_allowed() {
        assert!(allow(&"ä".repeat(MAX_CHARACTERS)));
        assert!(!allow(&"a".repeat(MAX_CHARACTERS + 1)));
        assert!(allow(&">".repeat(MAX_MARKER_COLUMN)));
        assert!(!allow(&">".repeat(MAX_MARKER_COLUMN + 1)));
    }

    #[test]
    fn rows_with_cells_left_out_are_limited_and_complete_tables_are_not() {
        let table = |columns: usize, row: &str, rows: usize| {
            let (head, delimiter) = ("|a".repeat(columns), "|-".repeat(columns));
            format!("{head}\n{delimiter}\n{}", row.repeat(rows))
        };
        assert!(allow_tables(&table(100, &("|a".repeat(100) + "\n"), 5_000)));
        assert!(allow_tables(&table(9, "|a\n", 1_000)));
        assert!(!allow_tables(&table(100, "|a\n", 1_000)));
        for container in ["> ", "- ", "1. > ", "[^note]: "] {
            let text = table(100, &format!("{container}|a\n"), 1_000);
            let text = text.replace("\n|-", &format!("\n{container}|-"));
            assert!(!allow_tables(&text), "{container}");
        }
        let separate = (table(100, "|a\n", 10) + "\n").repeat(7) + &"text\n".repeat(1_000);
        assert!(allow_tables(&separate));
    }
}
