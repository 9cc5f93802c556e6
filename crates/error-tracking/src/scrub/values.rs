//! Detection of secrets in texts.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::FILTERED;
use super::names::Rule;

/// The patterns, in the order of the rules below.
const PATTERNS: [&str; 6] = [
    r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
    r"\b(?<scheme>[a-zA-Z][a-zA-Z0-9+.-]{1,20}://)[^\s/@:]*:[^\s/@]+@",
    r"(?<sign>[?&;]|^)(?<name>[A-Za-z0-9_.\[\]-]{1,80})=(?<value>[^&;\s]+)",
    r"(?i)\b(?<kind>bearer|basic|token)\s+[a-z0-9._~+/=-]{8,}",
    r"\b(?:\d[ -]?){12,18}\d\b",
    r"\b\d{3}-\d{2}-\d{4}\b",
];

#[expect(
    clippy::expect_used,
    reason = "the patterns are constants, and tests cover all of them"
)]
static COMPILED: LazyLock<[Regex; 6]> = LazyLock::new(|| {
    PATTERNS.map(|pattern| Regex::new(pattern).expect("the pattern is well-formed"))
});

/// Removes what looks like a secret, and returns the text and the first rule that applied; `None` if none did.
/// `is_secret` returns true for the name of a secret parameter.
pub(super) fn scrubbed(text: &str, is_secret: impl Fn(&str) -> bool) -> Option<(String, Rule)> {
    let [key, address, parameter, token, card, social] = &*COMPILED;
    let signs = TextFeatures::of(text);
    let mut clean = Cow::Borrowed(text);
    let mut first = None;
    let mut apply =
        |pattern: &Regex, rule: Rule, write: &dyn Fn(&Captures<'_>) -> Option<String>| {
            let replaced = pattern.replace_all(&clean, |found: &Captures<'_>| {
                let whole = found.get(0).map_or("", |whole| whole.as_str());
                write(found).unwrap_or_else(|| whole.to_owned())
            });
            if let Cow::Owned(replaced) = replaced
                && replaced != *clean
            {
                clean = Cow::Owned(replaced);
                first.get_or_insert(rule);
            }
        };
    let part = |found: &Captures<'_>, name: &str| {
        found
            .name(name)
            .map_or_else(String::new, |part| part.as_str().to_owned())
    };
    let filtered = |_: &Captures<'_>| Some(FILTERED.to_owned());
    if signs.dashes >= KEY_DASHES {
        apply(key, Rule::PrivateKey, &filtered);
    }
    if signs.has_at {
        apply(address, Rule::Password, &|found| {
            Some(format!("{}{FILTERED}@", part(found, "scheme")))
        });
    }
    if signs.has_equals {
        apply(parameter, Rule::Parameter, &|found| {
            let name = part(found, "name");
            let is_filtered = is_secret(&name) && part(found, "value") != FILTERED;
            is_filtered.then(|| format!("{}{name}={FILTERED}", part(found, "sign")))
        });
    }
    if text.len() >= MIN_TOKEN_LENGTH {
        apply(token, Rule::Token, &|found| {
            Some(format!("{} {FILTERED}", part(found, "kind")))
        });
    }
    if signs.digits >= CARD_DIGITS {
        apply(card, Rule::Card, &|found| {
            let digits = found.get(0).map_or("", |digits| digits.as_str());
            is_card(digits).then(|| FILTERED.to_owned())
        });
    }
    if signs.digits >= SOCIAL_DIGITS {
        apply(social, Rule::SocialSecurity, &filtered);
    }
    first.map(|rule| (clean.into_owned(), rule))
}

/// Dashes before the first word of a private key.
const KEY_DASHES: usize = 5;
/// Length of the shortest token with its scheme and a space, in bytes.
const MIN_TOKEN_LENGTH: usize = "basic".len() + 1 + 8;
/// Digits of the shortest card number, and of a social security number.
const CARD_DIGITS: usize = 13;
const SOCIAL_DIGITS: usize = 9;

/// Counts of the characters that the patterns need.
/// Most texts have too few of them, so that the patterns are skipped.
#[derive(Default)]
struct TextFeatures {
    dashes: usize,
    digits: usize,
    has_at: bool,
    has_equals: bool,
}

impl TextFeatures {
    fn of(text: &str) -> Self {
        let mut signs = Self::default();
        for byte in text.bytes() {
            signs.dashes += usize::from(byte == b'-');
            signs.has_at |= byte == b'@';
            signs.has_equals |= byte == b'=';
            // The patterns match the digits of every script.
            signs.digits += usize::from(byte.is_ascii_digit() || !byte.is_ascii());
        }
        signs
    }
}

/// True if digits, with spaces or dashes between them, are a card number.
/// Card numbers have 13 to 19 digits, pass Luhn's check and begin like those of the known kinds.
pub(super) fn is_card(text: &str) -> bool {
    let digits: Option<Vec<u32>> = text
        .chars()
        .filter(|c| !matches!(c, ' ' | '-'))
        .map(|c| c.to_digit(10))
        .collect();
    let Some(digits) = digits else {
        return false;
    };
    let is_known = digits.first().is_some_and(|first| (2..=6).contains(first));
    is_known && (13..=19).contains(&digits.len()) && luhn(&digits)
}

fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match (place % 2, digit * 2) {
            (0, _) => *digit,
            (_, doubled) if doubled > 9 => doubled - 9,
            (_, doubled) => doubled,
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn clean(text: &str) -> String {
        scrubbed(text, |name| name == "token").map_or_else(|| text.to_owned(), |(clean, _)| clean)
    }

    #[test]
    fn secrets_are_known_by_their_looks() {
        for (text, expected) in [
            (
                "pay with 4111 1111 1111 1111 now",
                "pay with [Filtered] now",
            ),
            ("card 5500-0000-0000-0004", "card [Filtered]"),
            (
                "at postgres://shop:hunter2@db:5432/x",
                "at postgres://[Filtered]@db:5432/x",
            ),
            (
                "https://x.example/?a=1&token=abc&b=2",
                "https://x.example/?a=1&token=[Filtered]&b=2",
            ),
            ("token=abc&a=1", "token=[Filtered]&a=1"),
            (
                "sent Bearer abc.def-ghi_jkl here",
                "sent Bearer [Filtered] here",
            ),
            ("ssn 123-45-6789", "ssn [Filtered]"),
            (
                "key -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- end",
                "key [Filtered] end",
            ),
            ("-----BEGIN PRIVATE KEY-----\ncut off", "[Filtered]"),
        ] {
            assert_eq!(clean(text), expected, "{text}");
        }
    }

    #[test]
    fn other_texts_stay() {
        for text in [
            "order 4111111111111112",
            "id 1234567890123",
            "https://x.example/?page=2&a=b",
            "at 2026-11-20 10:00",
            "the token is missing",
            "user@shop.example",
            "phone 555-12-345",
        ] {
            assert_eq!(clean(text), text);
        }
    }

    proptest! {
        #[test]
        fn scrubbing_text_is_idempotent(text in "\\PC{0,100}") {
            let once = clean(&text);
            prop_assert_eq!(clean(&once), once);
        }
    }
}
