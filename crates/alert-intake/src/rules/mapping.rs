//! Places of values in a payload: look-up by path, and the places that a sample payload has (`ALRT-09`).

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::{PathStep, folded};
use crate::rules::datetime;
use crate::rules::text::cut;

/// Largest number of places of one sample.
pub const MAX_FIELDS: usize = 500;

/// Longest shown value, in characters.
const MAX_VALUE: usize = 200;

/// Kind of a value in a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleKind {
    /// Text, number or boolean.
    Text,
    /// Text that is a time.
    Time,
    /// List.
    List,
}

impl SampleKind {
    /// Names of all kinds, for documentation.
    pub const NAMES: [&str; 3] = ["string", "datetime", "array"];

    /// Name in bodies.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Time => "datetime",
            Self::List => "array",
        }
    }
}

/// Value of a sample that a mapping can use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleField {
    /// Steps to the value.
    pub path: Vec<PathStep>,
    /// Kind of the value.
    pub kind: SampleKind,
    /// The value as text, truncated to 200 characters.
    pub value: String,
}

/// Returns the value at a path.
pub fn value_at<'v>(body: &'v Value, path: &[PathStep]) -> Option<&'v Value> {
    path.iter().try_fold(body, |value, step| match step {
        PathStep::Name(name) => value.get(name),
        PathStep::Item(number) => value.get(number),
    })
}

/// Returns the values of a sample, depth first, at most [`MAX_FIELDS`]: texts, numbers, booleans, and lists as a whole and
/// by their items. Objects have only the values inside them.
pub fn fields_of(sample: &Value) -> Vec<SampleField> {
    let mut found = Vec::new();
    walk(sample, &mut Vec::new(), &mut found);
    found
}

fn walk(value: &Value, path: &mut Vec<PathStep>, found: &mut Vec<SampleField>) {
    if found.len() >= MAX_FIELDS {
        return;
    }
    let mut add = |kind, text: &str| {
        if !path.is_empty() {
            found.push(SampleField {
                path: path.clone(),
                kind,
                value: cut(text, MAX_VALUE),
            });
        }
    };
    match value {
        Value::String(text) => {
            let text = text.trim_start_matches('\0');
            let is_dated = text.bytes().take(4).filter(u8::is_ascii_digit).count() == 4;
            let is_time = is_dated && datetime::parse(text).is_some();
            add(
                if is_time {
                    SampleKind::Time
                } else {
                    SampleKind::Text
                },
                text,
            );
        }
        Value::Number(number) => add(SampleKind::Text, &number.to_string()),
        Value::Bool(flag) => add(SampleKind::Text, &flag.to_string()),
        Value::Array(items) => {
            add(SampleKind::List, &value.to_string());
            for (number, item) in items.iter().enumerate() {
                path.push(PathStep::Item(number));
                walk(item, path, found);
                path.pop();
            }
        }
        Value::Object(fields) => {
            for (name, inner) in fields {
                path.push(PathStep::Name(name.clone()));
                walk(inner, path, found);
                path.pop();
            }
        }
        Value::Null => {}
    }
}

/// Returns a path as people write it: names separated by `.`, and items in brackets. A name that has one of these
/// characters, white space, or none at all, is quoted as in JSON.
pub fn path_text(path: &[PathStep]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            PathStep::Item(number) => text.extend(["[", &number.to_string(), "]"]),
            PathStep::Name(name) => {
                if !text.is_empty() {
                    text.push('.');
                }
                if is_plain(name) && !name.contains(['.', '[']) {
                    text.push_str(name);
                } else {
                    text.push_str(&Value::String(name.clone()).to_string());
                }
            }
        }
    }
    text
}

/// Parses a path as [`path_text`] writes it. Returns `None` for any other text.
pub fn parse_path(text: &str) -> Option<Vec<PathStep>> {
    let mut rest = text.trim();
    let mut path = Vec::new();
    while !rest.is_empty() {
        if let Some(item) = rest.strip_prefix('[') {
            let (number, after) = item.split_once(']')?;
            path.push(PathStep::Item(number.parse().ok()?));
            rest = after;
        } else {
            let name_and_rest = if path.is_empty() {
                rest
            } else {
                rest.strip_prefix('.')?
            };
            let (name, after) = first_name(name_and_rest)?;
            path.push(PathStep::Name(name));
            rest = after;
        }
    }
    (!path.is_empty()).then_some(path)
}

/// Returns a table of values as people write it: a line `word=value` for each word.
pub fn table_text(table: &BTreeMap<String, String>) -> String {
    let lines: Vec<String> = table
        .iter()
        .map(|(word, value)| format!("{word}={value}"))
        .collect();
    lines.join("\n")
}

/// Parses a table of values: `word=value`, separated by commas or line breaks. Returns `None` if one has no `=`, or
/// nothing on a side of it.
pub fn parse_table(text: &str) -> Option<BTreeMap<String, String>> {
    let entries = text
        .split([',', '\n'])
        .map(str::trim)
        .filter(|entry| !entry.is_empty());
    let pair = |entry: &str| {
        let (word, value) = entry.split_once('=')?;
        let (word, value) = (folded(word), value.trim().to_owned());
        (!word.is_empty() && !value.is_empty()).then_some((word, value))
    };
    entries.map(pair).collect()
}

fn first_name(text: &str) -> Option<(String, &str)> {
    if text.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
        let name = values.next()?.ok()?;
        return Some((name, text.get(values.byte_offset()..)?));
    }
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let (name, after) = text.split_at_checked(end)?;
    is_plain(name).then(|| (name.to_owned(), after))
}

/// True for a name that needs no quotes where it ends at the next `.` or `[`.
fn is_plain(name: &str) -> bool {
    let is_odd = |c: char| c.is_whitespace() || matches!(c, ']' | '"');
    !name.is_empty() && !name.contains(is_odd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_sample_has_texts_times_and_lists() {
        let sample = json!({
            "a": {"at": "2026-01-01T00:00:00Z", "n": 7, "none": null},
            "hosts": ["h1", "h2"],
            "on": true,
        });
        let found: Vec<(String, &str, String)> = fields_of(&sample)
            .into_iter()
            .map(|field| (path_text(&field.path), field.kind.as_str(), field.value))
            .collect();
        let expected = [
            ("a.at", "datetime", "2026-01-01T00:00:00Z"),
            ("a.n", "string", "7"),
            ("hosts", "array", "[\"h1\",\"h2\"]"),
            ("hosts[0]", "string", "h1"),
            ("hosts[1]", "string", "h2"),
            ("on", "string", "true"),
        ];
        let expected =
            expected.map(|(path, kind, value)| (path.to_owned(), kind, value.to_owned()));
        assert_eq!(found, expected);
        for field in fields_of(&sample) {
            assert!(value_at(&sample, &field.path).is_some(), "{field:?}");
        }
        assert!(fields_of(&json!("text")).is_empty());
        let wide: Vec<u32> = (0..1000).collect();
        assert_eq!(fields_of(&json!(wide)).len(), MAX_FIELDS);
    }

    #[test]
    fn a_table_is_read_as_it_is_written() {
        let table = parse_table(" Rot = high,blau=low\r\n\ngelb=a=b ").unwrap();
        assert_eq!(table_text(&table), "blau=low\ngelb=a=b\nrot=high");
        assert_eq!(parse_table(&table_text(&table)), Some(table));
        assert_eq!(parse_table(""), Some(BTreeMap::new()));
        for text in ["rot", "=high", "rot=", "rot=high,blau"] {
            assert_eq!(parse_table(text), None, "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_paths() {
        for text in [
            "", ".", "a.", ".a", "a..b", "a[", "a[x]", "a[0]b", "a]", "\"a", "a b",
        ] {
            assert_eq!(parse_path(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_path_is_read_as_it_is_written(
            steps in proptest::collection::vec(
                prop_oneof![any::<u16>().prop_map(Ok), "\\PC{0,6}".prop_map(Err)],
                1..6,
            ),
        ) {
            let step = |step: &Result<u16, String>| match step {
                Ok(number) => PathStep::Item(usize::from(*number)),
                Err(name) => PathStep::Name(name.clone()),
            };
            let path: Vec<PathStep> = steps.iter().map(step).collect();
            prop_assert_eq!(parse_path(&path_text(&path)), Some(path));
        }
    }
}
