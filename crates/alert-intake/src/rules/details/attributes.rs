//! Labels, annotations and links of a payload, for people.

use serde_json::Value;

use super::is_web_link;
use crate::rules::text::cut;

/// Largest number of labels, of annotations and of links.
const MAX_SHOWN: usize = 50;

/// Longest value, in characters.
const MAX_VALUE: usize = 1_000;

/// Deepest object in which links are looked for; the payload itself is 0.
const MAX_DEPTH: usize = 4;

/// Returns the fields of the object `name` that have a value, sorted by name. The fields of nested objects have the names of
/// all objects around them, separated by dots; a list is its JSON.
pub(super) fn of(payload: &Value, name: &str) -> Vec<(String, String)> {
    let mut shown = Vec::new();
    let fields = payload.get(name).and_then(Value::as_object);
    for (name, value) in fields.into_iter().flatten() {
        flatten(name, value, &mut shown);
    }
    shown
}

fn flatten(name: &str, value: &Value, shown: &mut Vec<(String, String)>) {
    if shown.len() >= MAX_SHOWN {
        return;
    }
    if let Value::Object(fields) = value {
        for (inner, value) in fields {
            flatten(&format!("{name}.{inner}"), value, shown);
        }
    } else if let Some(text) = text(value) {
        shown.push((cut(name, MAX_VALUE), text));
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => {
            Some(cut(text.trim_start_matches('\0'), MAX_VALUE))
        }
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(true) => Some("true".to_owned()),
        Value::Array(items) if !items.is_empty() => Some(cut(&value.to_string(), MAX_VALUE)),
        _ => None,
    }
}

/// Returns the web links of a payload with the names of their fields. Each link appears once.
pub(super) fn links(payload: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    collect(payload, "", 0, &mut found);
    found
}

fn collect(value: &Value, name: &str, depth: usize, found: &mut Vec<(String, String)>) {
    if found.len() >= MAX_SHOWN || depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                collect(value, name, depth + 1, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect(item, name, depth + 1, found);
            }
        }
        Value::String(text)
            if text.len() <= 2 * MAX_VALUE
                && is_web_link(text)
                && !found.iter().any(|(_, link)| link == text) =>
        {
            found.push((cut(name, 100), text.clone()));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn labels_are_the_values_of_an_object_and_of_those_in_it() {
        let payload = json!({"labels": {
            "b": "x", "a": 7, "c": true, "d": null, "e": {}, "f": " ", "g": {"h": {"i": "deep"}}, "j": [1, "two"], "k": [],
        }});
        let expected = [
            ("a", "7"),
            ("b", "x"),
            ("c", "true"),
            ("g.h.i", "deep"),
            ("j", "[1,\"two\"]"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(of(&payload, "labels"), expected);
        assert!(
            of(&payload, "annotations").is_empty()
                && of(&json!({"labels": [1]}), "labels").is_empty()
        );
    }

    #[test]
    fn links_are_web_links_alone_and_once() {
        let payload = json!({
            "url": "https://a/1", "again": "https://a/1", "x": {"links": [{"href": "http://b/2"}, "https://c/3"]},
            "script": "javascript:alert(1)", "data": "data:text/html,x", "text": "see https://d/4", "relative": "/e/5",
        });
        let found: Vec<String> = links(&payload)
            .into_iter()
            .map(|(name, link)| format!("{name} {link}"))
            .collect();
        assert_eq!(
            found,
            ["again https://a/1", "href http://b/2", "links https://c/3"]
        );
        let many: Vec<String> = (0..200).map(|n| format!("https://a/{n}")).collect();
        assert_eq!(links(&json!({ "a": many })).len(), MAX_SHOWN);
    }
}
