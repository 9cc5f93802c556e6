//! JSON that preserves all digits of integers.
//!
//! The parser stores numbers in 64 bits and rounds longer integers. Ids and counters are such integers, and a rounded
//! id is a different id, so long integers travel through the tree as strings that begin with a NUL, which no kept
//! payload contains.

use std::borrow::Cow;
use std::fmt;

use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// Marker before the digits of a long integer.
const MARK: char = '\0';

/// Integers of at most this many characters always fit in 64 bits.
const SAFE_LENGTH: usize = 18;

/// A JSON value. Serialized again, its integers have all their original digits.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExactJson(Value);

impl ExactJson {
    /// Parses a JSON text.
    ///
    /// # Errors
    /// Fails if the text is not JSON.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        match marked(text) {
            Cow::Borrowed(text) => serde_json::from_str(text),
            // Marking must not turn invalid JSON into valid JSON, and errors must report positions in the original
            // text.
            Cow::Owned(marked) => {
                serde_json::from_str::<serde::de::IgnoredAny>(text)?;
                serde_json::from_str(&marked)
            }
        }
        .map(Self)
    }

    /// JSON tree. An integer too long for it is a string that differs from every other value.
    pub fn tree(&self) -> &Value {
        &self.0
    }
}

impl From<Value> for ExactJson {
    fn from(value: Value) -> Self {
        Self(value)
    }
}

impl fmt::Display for ExactJson {
    /// Writes the value as JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string(self).map_err(|_| fmt::Error)?;
        f.write_str(&text)
    }
}

impl Serialize for ExactJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ExactSerializer(&self.0).serialize(serializer)
    }
}

struct ExactSerializer<'v>(&'v Value);

impl Serialize for ExactSerializer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::String(text) => match long_integer(text) {
                Some(integer) => integer.serialize(serializer),
                None => serializer.serialize_str(text),
            },
            Value::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&ExactSerializer(item))?;
                }
                list.end()
            }
            Value::Object(fields) => {
                let mut object = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    object.serialize_entry(name, &ExactSerializer(value))?;
                }
                object.end()
            }
            other => other.serialize(serializer),
        }
    }
}

/// Returns the integer that a marked string encodes.
fn long_integer(text: &str) -> Option<Box<RawValue>> {
    let digits = text.strip_prefix(MARK)?;
    RawValue::from_string(digits.to_owned())
        .ok()
        .filter(|_| is_integer(digits))
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// True if the parser would round the number.
fn is_rounded(number: &str) -> bool {
    number.len() > SAFE_LENGTH
        && is_integer(number)
        && number.parse::<i64>().is_err()
        && number.parse::<u64>().is_err()
}

/// Returns the text with its long integers as marked strings.
fn marked(text: &str) -> Cow<'_, str> {
    let mut marked = String::new();
    let mut done = 0;
    let mut rest = text;
    let is_number = |byte: u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    while let Some(start) = rest.find(|next: char| matches!(next, '"' | '-' | '0'..='9')) {
        let from_start = rest.split_at(start).1;
        if let Some(string) = from_start.strip_prefix('"') {
            rest = after_string(string);
            continue;
        }
        let end = from_start.bytes().position(|byte| !is_number(byte));
        let (number, after) = from_start.split_at(end.unwrap_or(from_start.len()));
        if is_rounded(number) {
            let place = text.len() - from_start.len();
            marked.push_str(part(text, done..place));
            marked.extend(["\"\\u0000", number, "\""]);
            done = text.len() - after.len();
        }
        rest = after;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    marked.push_str(part(text, done..text.len()));
    Cow::Owned(marked)
}

#[expect(
    clippy::expect_used,
    reason = "a number begins and ends at an ASCII character that was just read"
)]
fn part(text: &str, place: std::ops::Range<usize>) -> &str {
    text.get(place)
        .expect("a number lies on character boundaries of the text")
}

/// Returns the text after a string, given the text after its opening quote.
fn after_string(mut rest: &str) -> &str {
    loop {
        let Some((_, special)) = rest
            .find(['"', '\\'])
            .and_then(|at| rest.split_at_checked(at))
        else {
            return "";
        };
        let mut characters = special.chars();
        if characters.next() == Some('"') {
            return characters.as_str();
        }
        // The character after a backslash is escaped.
        characters.next();
        rest = characters.as_str();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(text: &str) -> String {
        serde_json::to_string(&ExactJson::parse(text).unwrap()).unwrap()
    }

    #[test]
    fn integers_keep_their_digits_however_long_they_are() {
        for text in [
            "123456789012345678901234567890",
            "-123456789012345678901234567890",
            "18446744073709551615",
            "18446744073709551616",
            "-9223372036854775808",
            "-9223372036854775809",
            r#"{"a":[1,{"b":99999999999999999999}],"c":"99999999999999999999"}"#,
            r#"["\"99999999999999999999\\",99999999999999999999]"#,
            "[0.5,1,true,null,{}]",
        ] {
            assert_eq!(written(text), text);
        }
    }

    #[test]
    fn integers_that_differ_are_different_values() {
        let tree = |text| ExactJson::parse(text).unwrap();
        assert_ne!(tree("99999999999999999998"), tree("99999999999999999999"));
        assert_ne!(
            tree("99999999999999999999"),
            tree("\"99999999999999999999\"")
        );
    }

    #[test]
    fn malformed_json_is_rejected() {
        for text in [
            "{99999999999999999999:1}",
            "[99999999999999999999",
            "\"",
            "00000000000000000000000",
        ] {
            assert!(ExactJson::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn values_that_fit_the_parser_are_read_unchanged(number in any::<i64>(), text in "[\"\\\\0-9a]{0,30}") {
            let sent = serde_json::json!({"n": number, "t": text});
            let exact = ExactJson::parse(&sent.to_string()).unwrap();
            prop_assert_eq!(exact.tree(), &sent);
        }

        #[test]
        fn any_text_is_read_as_the_parser_reads_it(text in "[\\[\\]{}:,\"\\\\0-9e.\\-]{0,60}") {
            prop_assert_eq!(ExactJson::parse(&text).is_ok(), serde_json::from_str::<Value>(&text).is_ok());
        }
    }
}
