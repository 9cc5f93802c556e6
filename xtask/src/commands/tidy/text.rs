//! Rules for every text file.

use std::path::Path;

/// Extensions of files that people write. Captured bodies and seeds keep their original bytes.
const TEXT_EXTENSIONS: [&str; 11] = [
    "css", "html", "js", "md", "py", "rs", "sh", "sql", "toml", "txt", "yml",
];
/// Words that reveal where the work was done. The second is a match only with a number behind it.
const FORBIDDEN_WORDS: [&str; 2] = [concat!("/wo", "rk/"), concat!("iss", "ue #")];

/// True if the file's extension is in [`TEXT_EXTENSIONS`].
pub(crate) fn is_text_file(path: &Path) -> bool {
    let has_extension = |extension| TEXT_EXTENSIONS.iter().any(|known| extension == *known);
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
            fault("trailing white space");
        }
        for word in FORBIDDEN_WORDS.iter().filter(|word| has_word(line, word)) {
            fault(&format!("`{word}` refers to the development environment"));
        }
    }
    let last = text.lines().count();
    if !text.is_empty() && (!text.ends_with('\n') || text.ends_with("\n\n")) {
        faults.push((last, "does not end in exactly one newline".to_owned()));
    }
    faults
}

/// True if the line contains the word. A word that ends in `#` needs a digit after it.
fn has_word(line: &str, word: &str) -> bool {
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
        check("a\nb \n", &[(2, "trailing white space")]);
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
        assert!(is_text_file(Path::new("crates/events/src/lib.rs")));
        assert!(!is_text_file(Path::new("tests/data/firing.json")));
        assert!(!is_text_file(Path::new("fuzz/seeds/form_params/1")));
    }
}
