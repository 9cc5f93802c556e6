//! Text of strangers, made fit to be shown to users.

use std::borrow::Cow;

use notifications::model::{AttemptReport, shortened};
use url::Url;

/// Shortest part of a secret URL that is hidden, in characters. Shorter ones are words such as `services`.
const MIN_SECRET_PART: usize = 12;

/// Returns the beginning of a response as one line without control characters, at most `max` characters.
pub(super) fn readable(body: &[u8], max: usize) -> String {
    let body = String::from_utf8_lossy(body);
    let shown: String = body
        .chars()
        .map(|c| if is_hidden(c) { ' ' } else { c })
        .collect();
    let words: Vec<&str> = shown.split_whitespace().collect();
    shortened(words.join(" "), max)
}

/// True for control characters, and for those that reverse the direction of the text that follows.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// Texts that no detail may contain: receivers repeat the path or the token of a request in error messages.
#[derive(Debug)]
pub(super) struct Redaction(Vec<String>);

impl Redaction {
    /// Creates the redaction of a secret: a token, or a URL whose path or query is a credential.
    pub(super) fn new(secret: Option<&str>) -> Self {
        let Some(secret) = secret.filter(|secret| !secret.is_empty()) else {
            return Self(Vec::new());
        };
        let mut hidden = vec![secret.to_owned()];
        if let Ok(url) = Url::parse(secret)
            && url.has_host()
        {
            let path = url.path();
            let query = url.query().map(|query| format!("{path}?{query}"));
            let values = url.query_pairs().map(|(_, value)| value.into_owned());
            let segments = path.split('/').map(str::to_owned);
            let parts = segments.chain(values);
            let parts = parts.filter(|part| part.chars().count() >= MIN_SECRET_PART);
            hidden.push(url.to_string());
            hidden.extend(query);
            hidden.extend(Some(path.to_owned()).filter(|path| path.len() > 1));
            hidden.extend(parts);
        }
        // The longest first, so that none leaves the rest of another behind.
        hidden.sort_by_key(|text| std::cmp::Reverse(text.len()));
        Self(hidden)
    }

    /// Returns a detail without the secret, at most [`AttemptReport::MAX_DETAIL`] characters.
    pub(super) fn apply(&self, detail: &str) -> String {
        let mut shown = Cow::Borrowed(detail);
        for hidden in &self.0 {
            if shown.contains(hidden.as_str()) {
                shown = Cow::Owned(shown.replace(hidden.as_str(), "[secret]"));
            }
        }
        shortened(shown.into_owned(), AttemptReport::MAX_DETAIL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_becomes_one_readable_line() {
        for (body, expected) in [
            (&b"no such\r\n\thook"[..], "no such hook"),
            (b"\x1b[31mred\x00", "[31mred"),
            (b"caf\xc3\xa9 \xff", "caf\u{e9} \u{fffd}"),
            ("\u{202e}evil".as_bytes(), "evil"),
            (b"0123456789x", "012345678\u{2026}"),
            (b"", ""),
        ] {
            assert_eq!(readable(body, 10), shortened(expected.to_owned(), 10));
        }
    }

    #[test]
    fn secrets_are_not_repeated() {
        let url = "https://chat.example/services/T1/hunter2hunter2hunter2?key=YYYYYYYYYYYYYYYY";
        let redaction = Redaction::new(Some(url));
        for (detail, expected) in [
            (
                "Cannot POST /services/T1/hunter2hunter2hunter2",
                "Cannot POST [secret]",
            ),
            (
                r#"{"path":"\/services\/T1\/hunter2hunter2hunter2"}"#,
                r#"{"path":"\/services\/T1\/[secret]"}"#,
            ),
            ("key YYYYYYYYYYYYYYYY", "key [secret]"),
            (url, "[secret]"),
            ("services are down", "services are down"),
        ] {
            assert_eq!(redaction.apply(detail), expected);
        }
        let token = Redaction::new(Some("tk_1"));
        assert_eq!(token.apply("bad token tk_1"), "bad token [secret]");
        assert_eq!(Redaction::new(None).apply("x"), "x");
    }
}
