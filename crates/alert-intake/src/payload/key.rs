//! Idempotency keys of POSTs, by which retries are recognized.

use crate::model::ContentDigest;

/// The value of an `Idempotency-Key` header (`draft-ietf-httpapi-idempotency-key-header`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Longest key, in characters.
    pub const MAX_LENGTH: usize = 255;

    /// Parses the value of the header: a quoted string as the draft requires, or a bare one as most clients send it.
    /// Both spellings are the same key. Returns `None` for a value that is empty, too long, or has anything but visible
    /// ASCII.
    pub fn parse(value: &str) -> Option<Self> {
        let value = value.trim();
        let key = match value.strip_prefix('"') {
            Some(rest) => unquoted(rest.strip_suffix('"')?)?,
            None => value.to_owned(),
        };
        let is_visible = key.bytes().all(|byte| byte.is_ascii_graphic());
        let is_bounded = (1..=Self::MAX_LENGTH).contains(&key.len());
        (is_visible && is_bounded).then_some(Self(key))
    }

    /// Returns the digest under which a response is kept.
    pub fn digest(&self) -> ContentDigest {
        ContentDigest::of(self.0.as_bytes())
    }
}

/// Parses a quoted string (RFC 9651, section 3.3.3), in which a backslash may only escape a quote or a backslash.
fn unquoted(quoted: &str) -> Option<String> {
    let mut text = String::with_capacity(quoted.len());
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => characters
                .next()
                .filter(|next| matches!(next, '"' | '\\'))?,
            '"' => return None,
            other => other,
        });
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> IdempotencyKey {
        IdempotencyKey(text.to_owned())
    }

    #[test]
    fn keys_are_accepted_quoted_or_bare() {
        for (value, expected) in [
            (
                "8e03978e-40d5-43dd-bc93-6894a57f9324",
                "8e03978e-40d5-43dd-bc93-6894a57f9324",
            ),
            ("\"8e03978e\"", "8e03978e"),
            ("  a ", "a"),
            (r#""a\"b\\c""#, r#"a"b\c"#),
            ("a=b;c", "a=b;c"),
        ] {
            assert_eq!(IdempotencyKey::parse(value), Some(key(expected)), "{value}");
        }
        let longest = "k".repeat(255);
        assert_eq!(IdempotencyKey::parse(&longest), Some(key(&longest)));
    }

    #[test]
    fn malformed_keys_are_rejected() {
        for value in [
            "",
            " ",
            "\"\"",
            "\"",
            "\"a",
            r#""a\b""#,
            "\"a\"b\"",
            "\"a\";x=1",
            "a b",
            "ä",
            "a\u{7f}",
        ] {
            assert_eq!(IdempotencyKey::parse(value), None, "{value:?}");
        }
        assert_eq!(IdempotencyKey::parse(&"k".repeat(256)), None);
    }
}
