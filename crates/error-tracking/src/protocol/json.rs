//! Lenient parsing of JSON.
//! Old SDKs write `NaN`, half a surrogate pair, numbers out of range, raw control characters, or endless nesting; none
//! of that may cost an event.

use std::borrow::Cow;

use serde_json::Value;

/// Levels of lists and objects that are parsed.
/// Deeper values become null.
pub const MAX_DEPTH: usize = 100;

/// The body is not JSON, even when parsed leniently.
#[derive(Debug, thiserror::Error)]
#[error("the body is not valid JSON: {0}")]
pub struct JsonError(#[from] serde_json::Error);

/// Parsed value, and whether the text had to be repaired.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedJson {
    /// The value.
    pub value: Value,
    /// True if the value is not exactly what was sent.
    pub is_repaired: bool,
}

/// Parses a JSON text.
/// Bytes that are not UTF-8 become replacement characters.
///
/// # Errors
/// The text is not JSON.
pub fn read(bytes: &[u8]) -> Result<ParsedJson, JsonError> {
    let (value, is_repaired) = parse_with(bytes, |text| serde_json::from_str(text))?;
    Ok(ParsedJson { value, is_repaired })
}

/// Parses a text as it is, or else after repairing it, and returns true if it had to be repaired.
pub(super) fn parse_with<T>(
    bytes: &[u8],
    parse: impl Fn(&str) -> Result<T, serde_json::Error>,
) -> Result<(T, bool), JsonError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // Nearly all bodies are UTF-8, and this check is the faster one.
    let text =
        std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
    match parse(&text) {
        Ok(value) => Ok((value, matches!(text, Cow::Owned(_)))),
        Err(_) => Ok((parse(&Repair::of(&text))?, true)),
    }
}

/// Repair of a text into one that the parser accepts.
struct Repair<'t> {
    rest: &'t str,
    written: String,
    depth: usize,
    /// Opening brackets that were skipped, and whose closing ones must be skipped, too.
    skipped: usize,
}

impl<'t> Repair<'t> {
    fn of(text: &'t str) -> String {
        let mut repair = Self {
            rest: text,
            written: String::with_capacity(text.len()),
            depth: 0,
            skipped: 0,
        };
        while repair.step().is_some() {}
        repair.written
    }

    /// Takes `length` bytes, which must end between two characters.
    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    fn write(&mut self, text: &str) {
        if self.skipped == 0 {
            self.written.push_str(text);
        }
    }

    fn step(&mut self) -> Option<()> {
        let first = self.rest.chars().next()?;
        match first {
            '"' => self.string(),
            '[' | '{' => {
                let bracket = self.take(1);
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    if self.skipped == 0 {
                        self.write("null");
                    }
                    self.skipped += 1;
                } else {
                    self.write(bracket);
                }
            }
            ']' | '}' => {
                let bracket = self.take(1);
                self.depth = self.depth.saturating_sub(1);
                if self.skipped > 0 {
                    self.skipped -= 1;
                } else {
                    self.write(bracket);
                }
            }
            '-' | '0'..='9' | 'N' | 'I' => self.number(),
            other => {
                let text = self.take(other.len_utf8());
                self.write(text);
            }
        }
        Some(())
    }

    /// Copies a number.
    /// Replaces words such as `NaN`, and numbers out of range, with null.
    fn number(&mut self) {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.');
        let length = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let token = self.take(length);
        let is_word = matches!(token, "NaN" | "Infinity" | "-Infinity" | "-NaN");
        let is_beyond = token.parse::<f64>().is_ok_and(|number| !number.is_finite());
        self.write(if is_word || is_beyond { "null" } else { token });
    }

    /// Copies a text with its quotes.
    fn string(&mut self) {
        let quote = self.take(1);
        self.write(quote);
        loop {
            let plain = |c: char| c != '"' && c != '\\' && c >= ' ';
            let length = self.rest.find(|c| !plain(c)).unwrap_or(self.rest.len());
            let text = self.take(length);
            self.write(text);
            match self.rest.chars().next() {
                None => return,
                Some('"') => {
                    let quote = self.take(1);
                    self.write(quote);
                    return;
                }
                Some('\\') => self.escape(),
                Some(control) => {
                    self.take(control.len_utf8());
                    self.write(&format!("\\u{:04x}", u32::from(control)));
                }
            }
        }
    }

    /// Copies an escape; half a surrogate pair becomes the replacement character.
    fn escape(&mut self) {
        let Some(unit) = unit(self.rest) else {
            let length = self
                .rest
                .char_indices()
                .nth(2)
                .map_or(self.rest.len(), |(at, _)| at);
            let escape = self.take(length);
            self.write(escape);
            return;
        };
        let first = self.take(6);
        match unit {
            0xd800..=0xdbff if unit_is_low(self.rest) => {
                let second = self.take(6);
                self.write(first);
                self.write(second);
            }
            0xd800..=0xdfff => self.write("\\ufffd"),
            _ => self.write(first),
        }
    }
}

/// Code unit of the escape at the start of a text.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)
}

fn unit_is_low(text: &str) -> bool {
    unit(text).is_some_and(|unit| (0xdc00..=0xdfff).contains(&unit))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn value(text: &str) -> Value {
        read(text.as_bytes()).unwrap().value
    }

    #[test]
    fn non_finite_numbers_become_null() {
        let text = r#"{"a": NaN, "b": [Infinity, -Infinity, 1e999, -1], "c": 1.5e3}"#;
        let expected = json!({"a": null, "b": [null, null, null, -1], "c": 1500.0});
        assert_eq!(value(text), expected);
        assert!(read(text.as_bytes()).unwrap().is_repaired);
    }

    #[test]
    fn half_a_pair_is_the_replacement_character() {
        assert_eq!(
            value(r#"["\ud800", "\udc00x", "\ud83d\ude00", "\ud83d\ud83d\ude00", "\\ud800"]"#),
            json!(["\u{fffd}", "\u{fffd}x", "😀", "\u{fffd}😀", "\\ud800"])
        );
    }

    #[test]
    fn raw_control_characters_and_other_encodings_are_read() {
        assert_eq!(value("[\"a\nb\tc\"]"), json!(["a\nb\tc"]));
        let read = read(b"[\"caf\xe9\"]").unwrap();
        assert_eq!(
            (read.value, read.is_repaired),
            (json!(["caf\u{fffd}"]), true)
        );
        assert_eq!(value("\u{feff}[1]"), json!([1]));
    }

    #[test]
    fn values_beyond_the_maximum_depth_become_null() {
        let deep = |levels| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        let depth = |mut value: &Value| {
            let mut depth = 0;
            while let Some(inner) = value.get(0) {
                value = inner;
                depth += 1;
            }
            (depth, value.clone())
        };
        assert_eq!(depth(&value(&deep(MAX_DEPTH))), (MAX_DEPTH, json!(1)));
        // The parser itself accepts a few levels more.
        assert_eq!(depth(&value(&deep(5000))), (MAX_DEPTH, Value::Null));
        let twice = format!(r#"{{"a": {}, "b": "]{{", "c": 2}}"#, deep(200));
        assert_eq!(value(&twice)["c"], 2);
    }

    #[test]
    fn malformed_json_is_rejected() {
        for text in [
            "",
            "{",
            "[1,",
            "\"open",
            "nothing",
            "{\"a\" 1}",
            "\"\\u12\"",
            "[1] 2",
        ] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_are_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
        }

        #[test]
        fn valid_json_is_read_unchanged(text in "\\PC{0,40}", number in any::<i64>()) {
            let sent = json!({"text": text, "list": [number, {"x": null}]});
            let read = read(sent.to_string().as_bytes()).unwrap();
            prop_assert_eq!(read, ParsedJson { value: sent, is_repaired: false });
        }

        #[test]
        fn mending_changes_nothing_that_is_right(text in "\\PC{0,40}", number in any::<i64>()) {
            let sent = json!({"text": text, "list": [number, {"x": null}], "other": "\"\\\u{7}"});
            let mended = Repair::of(&sent.to_string());
            prop_assert_eq!(serde_json::from_str::<Value>(&mended).unwrap(), sent);
        }
    }
}
