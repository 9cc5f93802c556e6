//! Normalisation of texts: removes what differs from one event to the next, such as numbers, ids, addresses and times.

use core::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Longest part of a text that is used, in bytes.
const MAX_LENGTH: usize = 8 * 1024;

/// Patterns to replace: the name of the placeholder, and the pattern.
/// If two match at the same character, the first in this list wins, so longer ones come first.
const PATTERNS: [(&str, &str); 18] = [
    (
        "email",
        r"[a-zA-Z0-9.!#$%&*/=?^_`{|}~+-]+@[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+",
    ),
    (
        "url",
        r#"\b(?:https?|wss?|ftp|file|postgres(?:ql)?|mysql|redis|mongodb(?:\+srv)?|amqps?|s3)://[^\s"'<>()\[\]{}]+"#,
    ),
    (
        "hostname",
        r"\b(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?\.)+(?:com|net|org|edu|gov|info|biz|io|dev|app|ai|cloud|internal|intranet|local|localdomain|lan|example|test|invalid|eu|de|fr|uk|us|nl|ch|at|jp|cn|in|br)\b",
    ),
    (
        "ip",
        r"\b\d{1,3}(?:\.\d{1,3}){3}\b|(?:[0-9a-fA-F]{0,4}:){2,7}(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F]{0,4})",
    ),
    (
        "traceparent",
        r"\b00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}\b",
    ),
    (
        "uuid",
        r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b",
    ),
    ("sha256", r"\b[0-9a-fA-F]{64}\b"),
    ("sha1", r"\b[0-9a-fA-F]{40}\b"),
    ("md5", r"\b[0-9a-fA-F]{32}\b"),
    (
        "date",
        concat!(
            r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[ ]?[+-]\d{2}:?\d{2}|[ ]UTC)?)?\b",
            r"|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?[ ]+(?:\d{1,2}[ ]+)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*[ ]+",
            r"(?:\d{1,2}[ ]+)?(?:\d{4}[ ]+)?\d{2}:\d{2}(?::\d{2})?(?:[ ]+(?:\d{4}|GMT|UTC|[+-]\d{4}))*\b",
            r"|\b\d{1,2}/\d{1,2}/\d{4}\b|\b\d{2}:\d{2}:\d{2}(?:[.,]\d+)?\b"
        ),
    ),
    (
        "duration",
        r"\b\d+(?:\.\d+)?[ ]?(?:ns|µs|us|ms|s|secs?|seconds?|milliseconds?|mins?|minutes?|hours?|hrs?|days?)\b",
    ),
    ("hex", r"\b0[xX][0-9a-fA-F]+\b"),
    ("hex", r"\b[0-9a-fA-F]{8,}\b"),
    ("git_sha", r"\b[0-9a-f]{7}\b"),
    ("float", r"[+-]?\b\d+\.\d+(?:[eE][+-]?\d+)?\b"),
    ("int", r"[+-]?\b\d+\b"),
    ("quoted", r#"=(?:'[^']{1,200}'|"[^"]{1,200}")"#),
    ("bool", r"=(?:[Tt]rue|[Ff]alse)\b"),
];

#[expect(
    clippy::expect_used,
    reason = "the patterns are constants, and tests cover all of them"
)]
static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    let all = PATTERNS.iter().map(|(_, pattern)| format!("({pattern})"));
    let all: Vec<String> = all.collect();
    Regex::new(&all.join("|")).expect("the patterns are well-formed")
});

/// Normalises a text: its first two lines that are not blank, with placeholders.
/// A placeholder such as `<int>` replaces each number, id, address and time.
pub fn normalised(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let text: Vec<&str> = lines.take(2).collect();
    let text = text.join("\n");
    let text = text
        .get(..text.floor_char_boundary(MAX_LENGTH))
        .unwrap_or_default();
    let replaced = PATTERN.replace_all(text, |found: &Captures<'_>| replacement(text, found));
    replaced.into_owned()
}

/// Replacement for a match; the match itself if it only resembles what the pattern is for.
fn replacement(text: &str, found: &Captures<'_>) -> String {
    let names = PATTERNS.iter().zip(found.iter().skip(1));
    let mut matched = names.filter_map(|((name, _), group)| group.map(|group| (*name, group)));
    let Some((name, group)) = matched.next() else {
        return String::new();
    };
    let here = group.as_str();
    let before = text
        .get(..group.start())
        .and_then(|text| text.chars().next_back());
    let after = text.get(group.end()..).unwrap_or_default();
    let is_it = match name {
        // Names of packages and files have dots, too: `java.io.IOException`.
        "hostname" => {
            let mut next = after.chars();
            let goes_on =
                next.next() == Some('.') && next.next().is_some_and(char::is_alphanumeric);
            !goes_on && before != Some('.')
        }
        "ip" => {
            let stands_alone =
                |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let is_address = here.parse::<Ipv4Addr>().is_ok()
                || (here.parse::<Ipv6Addr>().is_ok() && here.chars().any(|c| c != ':'));
            is_address && stands_alone(before) && stands_alone(after.chars().next())
        }
        // Words consist of these letters, too, and numbers of these digits.
        "hex" | "git_sha" if !here.starts_with("0x") && !here.starts_with("0X") => {
            let has_digit = here.bytes().any(|byte| byte.is_ascii_digit());
            let has_letter = here.bytes().any(|byte| byte.is_ascii_alphabetic());
            if has_digit && !has_letter {
                return "<int>".to_owned();
            }
            has_digit
        }
        _ => true,
    };
    match name {
        _ if !is_it
            && name == "ip"
            && here
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.') =>
        {
            "<float>".to_owned()
        }
        _ if !is_it => here.to_owned(),
        "quoted" | "bool" => format!("=<{name}>"),
        _ => format!("<{name}>"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn variable_parts_are_replaced_by_named_placeholders() {
        for (text, expected) in [
            ("user 42 not found", "user <int> not found"),
            ("-7 or +8 or 1.5e-3", "<int> or <int> or <float>"),
            (
                "mail to jane.doe@shop.example failed",
                "mail to <email> failed",
            ),
            (
                "GET https://shop.example/cart?id=7 failed",
                "GET <url> failed",
            ),
            (
                "cannot reach db-1.prod.internal:5432",
                "cannot reach <hostname>:<int>",
            ),
            ("connect to 10.0.0.1:80", "connect to <ip>:<int>"),
            (
                "connect to [::1]:80 and fe80::1ff:fe23:4567:890a",
                "connect to [<ip>]:<int> and <ip>",
            ),
            ("id fc6d8c0c-43fc-4630-ad85-0ee518f1b9d0", "id <uuid>"),
            (
                "blob 2aae6c35c94fcfb415dbe95f408b9ce91ee846ed",
                "blob <sha1>",
            ),
            ("key 5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a", "key <md5>"),
            ("at 2026-11-20T10:00:00.5Z", "at <date>"),
            ("at 2026-11-20 10:00:00 +0000 it", "at <date> it"),
            ("Fri, 20 Nov 2026 10:00:00 GMT", "<date>"),
            (
                "took 12 ms, 3.5s and 2 minutes",
                "took <duration>, <duration> and <duration>",
            ),
            ("at 0xDEADbeef", "at <hex>"),
            ("object 7f3a9c1b2d", "object <hex>"),
            ("commit 1a2b3c4", "commit <git_sha>"),
            ("order 1234567890123", "order <int>"),
            ("name='Jane' flag=true", "name=<quoted> flag=<bool>"),
        ] {
            assert_eq!(normalised(text), expected, "{text}");
        }
    }

    #[test]
    fn words_stay() {
        for text in [
            "java.io.IOException: closed",
            "com.example.shop.Cart is missing",
            "std::io::Error",
            "decade facade defaced",
            "utf8 and x86_64",
            "column user_id does not exist",
            "a::b::c",
            "cannot read properties of undefined (reading 'id')",
        ] {
            assert_eq!(normalised(text), text);
        }
    }

    #[test]
    fn two_lines_are_looked_at() {
        assert_eq!(normalised("\n\n a 1 \n\nb 2\nc 3"), "a <int>\nb <int>");
        assert!(normalised(&"ä 7 ".repeat(10_000)).len() < 20_000);
        assert_eq!(normalised(""), "");
    }

    proptest! {
        #[test]
        fn no_text_is_a_panic(text in "\\PC{0,200}") {
            let _ = normalised(&text);
        }

        #[test]
        fn numbers_do_not_affect_normalised_text(first in any::<u32>(), second in any::<u32>()) {
            let of = |number: u32| normalised(&format!("user {number} has no cart"));
            prop_assert_eq!(of(first), of(second));
        }
    }
}
