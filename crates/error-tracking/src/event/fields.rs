//! Extraction of fields of any type: a value that does not fit is left out with a note, and the event stays.

use serde_json::{Map, Value};

use super::bounded::{Budget, cut, cut_owned};
use super::model::FieldNote;

/// Notes that are kept per event.
const MAX_NOTES: usize = 50;

/// Notes on an event that is being parsed.
#[derive(Debug, Default)]
pub(super) struct Notes(pub(super) Vec<FieldNote>);

impl Notes {
    /// Adds a note, while there is room.
    pub(super) fn add(&mut self, field: &str, text: &str) {
        if self.0.len() < MAX_NOTES {
            self.0.push(FieldNote {
                field: cut(field, 200),
                text: text.to_owned(),
            });
        }
    }

    /// Takes a text of at most `max` characters from an object.
    /// Numbers and booleans count as texts; a blank text counts as none.
    pub(super) fn text(
        &mut self,
        object: &mut Map<String, Value>,
        name: &str,
        max: usize,
    ) -> Option<String> {
        let text = match object.remove(name)? {
            Value::Null => return None,
            Value::String(text) => text,
            other => scalar(&other).or_else(|| {
                self.add(name, "is not a string");
                None
            })?,
        };
        let kept = text.trim();
        if kept.is_empty() {
            return None;
        }
        if kept.len() > max && kept.chars().count() > max {
            self.add(name, "was truncated");
        }
        Some(if kept.len() == text.len() {
            cut_owned(text, max)
        } else {
            cut(kept, max)
        })
    }

    /// Takes a number from an object; digits in a text count as a number.
    pub(super) fn number(&mut self, object: &mut Map<String, Value>, name: &str) -> Option<i64> {
        let value = object.remove(name)?;
        let number = match &value {
            Value::Null => return None,
            Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        if number.is_none() {
            self.add(name, "is not a number");
        }
        number
    }

    /// Takes a boolean from an object.
    pub(super) fn flag(&mut self, object: &mut Map<String, Value>, name: &str) -> Option<bool> {
        match object.remove(name)? {
            Value::Null => None,
            Value::Bool(flag) => Some(flag),
            Value::String(text) if matches!(text.as_str(), "true" | "false") => {
                Some(text == "true")
            }
            _ => {
                self.add(name, "is not a boolean");
                None
            }
        }
    }

    /// Takes an object from an object.
    pub(super) fn object(
        &mut self,
        object: &mut Map<String, Value>,
        name: &str,
    ) -> Option<Map<String, Value>> {
        match object.remove(name)? {
            Value::Null => None,
            Value::Object(inner) => Some(inner),
            _ => {
                self.add(name, "is not an object");
                None
            }
        }
    }

    /// Takes a list of objects from an object: a list, one under `values`, or a single object.
    /// Skips nulls in it.
    pub(super) fn objects(
        &mut self,
        object: &mut Map<String, Value>,
        name: &str,
    ) -> Vec<Map<String, Value>> {
        let Some(value) = object.remove(name) else {
            return Vec::new();
        };
        let items = match value {
            Value::Object(mut inner) => match inner.remove("values") {
                Some(Value::Array(items)) => items,
                Some(Value::Object(single)) => vec![Value::Object(single)],
                Some(Value::Null) => Vec::new(),
                _ => vec![Value::Object(inner)],
            },
            Value::Array(items) => items,
            Value::Null => Vec::new(),
            _ => {
                self.add(name, "is not a list");
                Vec::new()
            }
        };
        let mut objects = Vec::new();
        for item in items {
            match item {
                Value::Object(object) => objects.push(object),
                Value::Null => {}
                _ => self.add(name, "contains a value that is not an object"),
            }
        }
        objects
    }

    /// Takes a free-form value from an object, truncated to `bytes`.
    pub(super) fn free(
        &mut self,
        object: &mut Map<String, Value>,
        name: &str,
        bytes: usize,
    ) -> Value {
        let Some(value) = object.remove(name) else {
            return Value::Null;
        };
        let mut budget = Budget::new(bytes);
        let kept = budget.value(value);
        if budget.is_spent {
            self.add(name, "was truncated");
        }
        kept
    }

    /// Takes a free-form object from an object, truncated to `bytes`.
    pub(super) fn free_object(
        &mut self,
        object: &mut Map<String, Value>,
        name: &str,
        bytes: usize,
    ) -> Map<String, Value> {
        let Some(inner) = self.object(object, name) else {
            return Map::new();
        };
        self.bounded(inner, name, bytes)
    }

    /// Truncates an object to `bytes`.
    pub(super) fn bounded(
        &mut self,
        object: Map<String, Value>,
        name: &str,
        bytes: usize,
    ) -> Map<String, Value> {
        let mut budget = Budget::new(bytes);
        let kept = budget.object(object);
        if budget.is_spent {
            self.add(name, "was truncated");
        }
        kept
    }

    /// Takes pairs of texts from an object: an object, a list of pairs, or a list of objects with `key` and `value`.
    pub(super) fn pairs(
        &mut self,
        object: &mut Map<String, Value>,
        name: &str,
        most: usize,
        longest: usize,
    ) -> Vec<(String, String)> {
        let Some(value) = object.remove(name) else {
            return Vec::new();
        };
        let found = pairs_of(value);
        if found.is_none() {
            self.add(name, "is not a list of pairs");
        }
        let found = found.unwrap_or_default();
        if found.len() > most {
            self.add(name, "was truncated");
        }
        let kept = found.into_iter().take(most);
        kept.map(|(name, value)| (cut_owned(name, 200), cut_owned(value, longest)))
            .collect()
    }
}

/// Converts a float to the whole number that it equals; `None` for any other float.
fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the number is whole and at most 2^53"
    )]
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

/// Converts a scalar to text.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Converts any value to text: a scalar as it is, a list of one like its entry, anything else as JSON.
pub(super) fn any_text(value: &Value) -> String {
    if let Value::Array(items) = value
        && let [single] = items.as_slice()
    {
        return any_text(single);
    }
    match value {
        Value::Null => String::new(),
        _ => scalar(value).unwrap_or_else(|| value.to_string()),
    }
}

/// Pairs of a value; `None` for a form that no SDK sends.
fn pairs_of(value: Value) -> Option<Vec<(String, String)>> {
    match value {
        Value::Null => Some(Vec::new()),
        Value::Object(object) => {
            let pairs = object.into_iter().filter(|(_, value)| !value.is_null());
            Some(
                pairs
                    .map(|(name, value)| (name, any_text(&value)))
                    .collect(),
            )
        }
        Value::Array(items) => Some(items.iter().filter_map(pair_of).collect()),
        _ => None,
    }
}

fn pair_of(item: &Value) -> Option<(String, String)> {
    let (name, value) = match item {
        Value::Array(pair) => (pair.first()?, pair.get(1)?),
        Value::Object(pair) => (pair.get("key")?, pair.get("value")?),
        _ => return None,
    };
    if value.is_null() {
        return None;
    }
    Some((scalar(name)?, any_text(value)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(object) => object,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn texts_are_read_from_whatever_is_like_one() {
        let mut notes = Notes::default();
        let mut sent = object(json!({"a": " x ", "b": 7, "c": true, "d": [], "e": "", "f": null}));
        let mut text = |name: &str| notes.text(&mut sent, name, 10);
        assert_eq!(text("a").as_deref(), Some("x"));
        assert_eq!(text("b").as_deref(), Some("7"));
        assert_eq!(text("c").as_deref(), Some("true"));
        for name in ["d", "e", "f", "g"] {
            assert_eq!(text(name), None, "{name}");
        }
        let fields: Vec<&str> = notes.0.iter().map(|note| note.field.as_str()).collect();
        assert_eq!(fields, ["d"]);
    }

    #[test]
    fn lists_come_wrapped_bare_and_alone() {
        for sent in [
            json!({"x": {"values": [{"a": 1}, null]}}),
            json!({"x": [{"a": 1}]}),
            json!({"x": {"a": 1}}),
            json!({"x": {"values": {"a": 1}}}),
        ] {
            let mut notes = Notes::default();
            let found = notes.objects(&mut object(sent.clone()), "x");
            assert_eq!(found, [object(json!({"a": 1}))], "{sent}");
            assert!(notes.0.is_empty(), "{sent}");
        }
        let mut notes = Notes::default();
        let found = notes.objects(&mut object(json!({"x": [1, {"a": 1}]})), "x");
        assert_eq!((found.len(), notes.0.len()), (1, 1));
    }

    #[test]
    fn pairs_come_in_three_forms() {
        let expected = [
            ("a".to_owned(), "1".to_owned()),
            ("b".to_owned(), "x".to_owned()),
        ];
        for sent in [
            json!({"x": {"a": 1, "b": "x", "c": null}}),
            json!({"x": [["a", 1], ["b", ["x"]], ["c", null], ["d"], 7]}),
            json!({"x": [{"key": "a", "value": 1}, {"key": "b", "value": "x"}]}),
        ] {
            let found = Notes::default().pairs(&mut object(sent.clone()), "x", 9, 9);
            assert_eq!(found, expected, "{sent}");
        }
    }

    #[test]
    fn numbers_come_as_texts_and_floats() {
        let mut notes = Notes::default();
        let mut sent = object(json!({"a": 7, "b": "8", "c": 9.0, "d": 1.5, "e": "x"}));
        let mut number = |name: &str| notes.number(&mut sent, name);
        assert_eq!(
            (number("a"), number("b"), number("c")),
            (Some(7), Some(8), Some(9))
        );
        assert_eq!((number("d"), number("e")), (None, None));
        assert_eq!(notes.0.len(), 2);
    }

    #[test]
    fn notes_have_an_end() {
        let mut notes = Notes::default();
        for _ in 0..1000 {
            notes.add("x", "is not a string");
        }
        assert_eq!(notes.0.len(), MAX_NOTES);
    }
}
