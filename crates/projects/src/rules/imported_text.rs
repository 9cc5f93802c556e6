//! Attribution of imported text to its author.
//! Behind the feature `archive`.

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;

use crate::archive::Author;

/// Maximum length of a name in the attribution, in characters.
const MAX_NAME: usize = 100;

/// User who imports, and the current time.
/// The importer becomes the author of everything that is imported.
#[derive(Debug, Clone, Copy)]
pub struct Importer<'a> {
    /// The user.
    pub user: UserId,
    /// Username.
    pub username: &'a str,
    /// Display name.
    pub name: &'a str,
    /// Current time.
    pub now: Timestamp,
}

/// Appends a line with the author and the time to a text, unless the archive names no author or names the importer.
/// Somebody else may have the same name on another server, which this server cannot detect.
pub fn imported_text(
    text: String,
    author: Option<&Author>,
    written_at: Timestamp,
    by: Importer<'_>,
) -> String {
    let other = author.filter(|author| !is_importer(author, by));
    let Some(name) = other.and_then(shown) else {
        return text;
    };
    let line = format!("*Written by {name} at {written_at} and imported later.*");
    match text.trim_end() {
        "" => line,
        text => format!("{text}\n\n{line}"),
    }
}

/// True if the archive names the importer: by username, or by name if there is no username.
fn is_importer(author: &Author, by: Importer<'_>) -> bool {
    match (&author.username, &author.name) {
        (Some(username), _) => username.eq_ignore_ascii_case(by.username),
        (None, Some(name)) => name == by.name,
        (None, None) => true,
    }
}

/// Names of an author as Markdown text without any markup, so that no user here is mentioned.
fn shown(author: &Author) -> Option<String> {
    match (&author.name, &author.username) {
        (Some(name), Some(username)) => Some(format!("{} ({})", plain(name), plain(username))),
        (Some(one), None) | (None, Some(one)) => Some(plain(one)),
        (None, None) => None,
    }
}

/// A name on one line, with escaped Markdown characters.
fn plain(name: &str) -> String {
    let mut text = String::new();
    let words = name.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    for letter in words.join(" ").chars().take(MAX_NAME) {
        if letter.is_ascii_punctuation() && !matches!(letter, '.' | '-' | ',' | '\'') {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: Importer<'_> = Importer {
        user: UserId::new(1),
        username: "ann",
        name: "Ann",
        now: Timestamp::MIN,
    };

    fn check(text: &str, name: Option<&str>, username: Option<&str>, expected: &str) {
        let author = Author {
            name: name.map(str::to_owned),
            username: username.map(str::to_owned),
        };
        let at = Timestamp::parse_rfc3339("2024-02-29T12:00:00.5Z").unwrap();
        let found = imported_text(text.to_owned(), Some(&author), at, ANN);
        let line = expected.replace("AT", "at 2024-02-29T12:00:00.500Z and imported later.*");
        assert_eq!(found, line);
    }

    #[test]
    fn a_last_line_names_who_wrote_a_text() {
        check(
            "Text\n",
            Some("Ben"),
            Some("ben"),
            "Text\n\n*Written by Ben (ben) AT",
        );
        check("", None, Some("ben"), "*Written by ben AT");
        check("Text", Some("Ben"), None, "Text\n\n*Written by Ben AT");
    }

    #[test]
    fn text_by_the_importer_or_without_an_author_gets_no_attribution() {
        check("Text\n", Some("Anna"), Some("ANN"), "Text\n");
        check("Text", Some("Ann"), None, "Text");
        check("Text", None, None, "Text");
        let text = imported_text("Text".to_owned(), None, Timestamp::MIN, ANN);
        assert_eq!(text, "Text");
    }

    #[test]
    fn a_name_marks_nothing() {
        check(
            "",
            Some("*x*\n# @ann [a](b)"),
            None,
            "*Written by \\*x\\* \\# \\@ann \\[a\\]\\(b\\) AT",
        );
        let long = "n".repeat(MAX_NAME + 1);
        let shown = format!("*Written by {} AT", "n".repeat(MAX_NAME));
        check("", Some(&long), None, &shown);
    }
}
