//! Access to the values of a parsed body by the names of fields.

use std::borrow::Cow;

use api_conventions::time::Timestamp;
use serde_json::Value;

use crate::rules::datetime;

/// Returns the value at a path of names.
pub(super) fn at<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, name| value.get(name))
}

/// Returns a value as text: a string that is not blank, a number, or `true`. The one item of a list counts as the list.
pub(super) fn text_of(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        // Integers of more than 64 bits are strings that begin with a NUL.
        Value::String(text) => Some(text.trim_start_matches('\0').trim())
            .filter(|text| !text.is_empty())
            .map(Cow::Borrowed),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        Value::Bool(true) => Some(Cow::Borrowed("true")),
        Value::Array(items) => match items.as_slice() {
            [one] if !one.is_array() => text_of(one),
            _ => None,
        },
        Value::Bool(false) | Value::Null | Value::Object(_) => None,
    }
}

/// Returns the text at a path of names.
pub(super) fn text<'v>(value: &'v Value, path: &[&str]) -> Option<Cow<'v, str>> {
    at(value, path).and_then(text_of)
}

/// Returns the first text among these fields of an object.
pub(super) fn first<'v>(value: &'v Value, names: &[&str]) -> Option<Cow<'v, str>> {
    names.iter().find_map(|name| text(value, &[name]))
}

/// Returns the first text among these fields as an owned one; empty if there is none.
pub(super) fn owned(value: &Value, names: &[&str]) -> String {
    first(value, names).map(Cow::into_owned).unwrap_or_default()
}

/// Returns all texts of a value: of a list, those of its items, and of objects in it their names.
pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => {
            let named = |item: &Value| {
                text_of(item)
                    .or_else(|| first(item, &["name", "id"]))
                    .map(Cow::into_owned)
            };
            items.iter().filter_map(named).collect()
        }
        Some(other) => text_of(other).map(Cow::into_owned).into_iter().collect(),
        None => Vec::new(),
    }
}

/// Returns the time at a path of names.
pub(super) fn time(value: &Value, path: &[&str]) -> Option<Timestamp> {
    text(value, path).and_then(|text| datetime::parse(&text))
}

/// True if an object has all of these fields, whatever their values are.
pub(super) fn has(value: &Value, names: &[&str]) -> bool {
    names.iter().all(|name| value.get(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_that_can_be_shown_are_texts() {
        for (value, expected) in [
            (json!(" a "), Some("a")),
            (
                json!("\u{0}99999999999999999999"),
                Some("99999999999999999999"),
            ),
            (json!(1.5), Some("1.5")),
            (json!(true), Some("true")),
            (json!(["a"]), Some("a")),
            (json!(["a", "b"]), None),
            (json!([["a"]]), None),
            (json!(false), None),
            (json!(" "), None),
            (json!({"a": 1}), None),
            (json!(null), None),
        ] {
            assert_eq!(text_of(&value).as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn lists_are_the_texts_of_their_items() {
        let value = json!({"a": ["x", 7, {"name": "n"}, {"id": "i"}, {}, null], "b": "y"});
        assert_eq!(texts(value.get("a")), ["x", "7", "n", "i"]);
        assert_eq!(texts(value.get("b")), ["y"]);
        assert!(texts(None).is_empty());
        assert_eq!(owned(&value, &["c", "b"]), "y");
        assert!(has(&value, &["a", "b"]) && !has(&value, &["a", "c"]));
    }
}
