//! Rules for every text file.

use std::path::Path;

/// Kinds of files that people write. Captured bodies and seeds keep the bytes that they came with.
const WRITTEN: [&str; 11] = [
    "css", "html", "js", "md", "py", "rs", "sh", "sql", "toml", "txt", "yml",
];
/// Words that tell of the place where the work was done. The second is looked for with a number behind it.
const WORKPLACE: [&str; 2] = [concat!("/wo", "rk/"), concat!("iss", "ue #")];

/// Whether the file is one that people write.
pub(crate) fn is_written(path: &Path) -> bool {
    let has_extension = |extension| WRITTEN.iter().any(|written| extension == *written);
    path.extension().is_some_and(has_extension)
}

/// The faults of a text, each with the number of its line.
pub(crate) fn faults(text: &str) -> Vec<(usize, String)> {
    let mut faults = Vec::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        let mut fault = |what: &str| faults.push((number, what.to_owned()));
        if line.contains('\r') {
            fault("a carriage return");
        }
        if line.contains('\t') {
            fault("a tab");
        }
        if line.ends_with(' ') {
            fault("a blank at the end of the line");
        }
        for word in WORKPLACE.iter().filter(|word| tells_of(line, word)) {
            fault(&format!("`{word}` tells of the place where it was written"));
        }
    }
    let last = text.lines().count();
    if !text.is_empty() && (!text.ends_with('\n') || text.ends_with("\n\n")) {
        faults.push((last, "does not end in exactly one newline".to_owned()));
    }
    faults
}

/// Whether the line has the word; one that ends in `#` needs a digit behind it.
fn tells_of(line: &str, word: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    lower.match_indices(word).any(|(at, _)| {
        let behind = lower.get(at + word.len()..).unwrap_or_default();
        !word.ends_with('#') || behind.starts_with(|next: char| next.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(usize, &str)]) {
        let found = faults(text);
        let found: Vec<_> = found
            .iter()
            .map(|(line, what)| (*line, what.as_str()))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn clean_text_has_no_faults() {
        check("one\n\ntwo\n", &[]);
        check("", &[]);
        check("An issue of the product, its #5 and # alone.\n", &[]);
    }

    #[test]
    fn white_space_that_nobody_sees_is_found() {
        check("a\tb\n", &[(1, "a tab")]);
        check("a\nb \n", &[(2, "a blank at the end of the line")]);
        check("a\r\n", &[(1, "a carriage return")]);
        check("a", &[(1, "does not end in exactly one newline")]);
        check("a\n\n", &[(2, "does not end in exactly one newline")]);
    }

    #[test]
    fn words_of_the_workplace_are_found() {
        for text in [
            concat!("see /wo", "rk/x\n"),
            concat!("Mends Iss", "ue #12.\n"),
        ] {
            assert_eq!(faults(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn captured_bodies_are_not_written_by_people() {
        assert!(is_written(Path::new("crates/events/src/lib.rs")));
        assert!(!is_written(Path::new("tests/data/firing.json")));
        assert!(!is_written(Path::new("fuzz/seeds/form_params/1")));
    }
}
