//! Payloads flattened to one level.

use std::collections::{HashMap, HashSet};

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value};

use crate::rules::exact::ExactJson;

/// A payload flattened to one level: nested names are joined by `.`; lists and empty objects stay as they are.
///
/// Names in the payload may look like paths: `{"a.b": 1, "a": {"b": 2}}` has two values at `a.b`. Nothing is lost: the
/// second one is named `a.b (2)`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FlattenedPayload(Vec<(String, ExactJson)>);

impl FlattenedPayload {
    /// Flattens an object. Any other value has no names and yields nothing.
    pub(super) fn of(payload: &Value) -> Self {
        let mut found = Vec::new();
        if let Value::Object(object) = payload {
            collect(object, "", &mut found);
        }
        Self(with_own_names(found))
    }

    /// Returns the value at a joined name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let mut named = self.0.iter().filter(|(candidate, _)| candidate == name);
        named.next().map(|(_, value)| value.tree())
    }
}

impl Serialize for FlattenedPayload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            object.serialize_entry(name, value)?;
        }
        object.end()
    }
}

fn collect(object: &Map<String, Value>, prefix: &str, found: &mut Vec<(String, ExactJson)>) {
    for (name, value) in object {
        let path = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}.{name}")
        };
        match value {
            Value::Object(inner) if !inner.is_empty() => collect(inner, &path, found),
            other => found.push((path, ExactJson::from(other.clone()))),
        }
    }
}

/// Gives each value a unique name: the first one keeps its path, and later ones at the same path are numbered.
fn with_own_names(found: Vec<(String, ExactJson)>) -> Vec<(String, ExactJson)> {
    let paths: HashSet<String> = found.iter().map(|(path, _)| path.clone()).collect();
    if paths.len() == found.len() {
        return found;
    }
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut given = HashSet::new();
    let mut named = Vec::with_capacity(found.len());
    for (path, value) in found {
        let number = seen.entry(path.clone()).or_insert(0);
        *number += 1;
        let mut name = path.clone();
        if *number > 1 {
            name = format!("{path} ({number})");
            while paths.contains(&name) || given.contains(&name) {
                *number += 1;
                name = format!("{path} ({number})");
            }
        }
        given.insert(name.clone());
        named.push((name, value));
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(payload: &str, expected: &str) {
        let payload = ExactJson::parse(payload).unwrap();
        let flattened = FlattenedPayload::of(payload.tree());
        assert_eq!(serde_json::to_string(&flattened).unwrap(), expected);
    }

    #[test]
    fn empty_objects_are_values() {
        check(
            r#"{"a":{},"b":{"c":{}},"d":[{}]}"#,
            r#"{"a":{},"b.c":{},"d":[{}]}"#,
        );
    }

    #[test]
    fn long_integers_keep_their_digits() {
        let text = r#"{"a.b":123456789012345678901,"c":[123456789012345678901]}"#;
        check(text, text);
        check(
            r#"{"a":{"b":123456789012345678901}}"#,
            r#"{"a.b":123456789012345678901}"#,
        );
    }

    #[test]
    fn two_values_at_one_path_are_both_shown() {
        check(r#"{"a":{"b":1},"a.b":2}"#, r#"{"a.b":1,"a.b (2)":2}"#);
        check(
            r#"{"a":{"b":{"c":1},"b.c":2},"a.b":{"c":3},"a.b.c":4,"a.b.c (2)":5}"#,
            r#"{"a.b.c":1,"a.b.c (3)":2,"a.b.c (4)":3,"a.b.c (5)":4,"a.b.c (2)":5}"#,
        );
    }

    #[test]
    fn payloads_without_fields_flatten_to_an_empty_object() {
        for payload in ["[1]", "7", "{}"] {
            check(payload, "{}");
        }
    }
}
