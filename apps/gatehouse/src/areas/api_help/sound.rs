//! Checks of the document, for every release, for constructs that client generators trip over.

use std::collections::BTreeSet;

use deprecations::published::{NEWEST, OLDEST, PREVIEW, edition_named};
use serde_json::{Map, Value, json};

use super::{as_edition, whole_document};

/// Keywords of a schema that contain one schema.
const SCHEMAS: [&str; 4] = ["items", "not", "propertyNames", "contains"];
const LISTS: [&str; 3] = ["anyOf", "oneOf", "allOf"];
const NAMED: [&str; 2] = ["properties", "patternProperties"];

/// All editions for which a document exists.
fn editions() -> Vec<deprecations::Edition> {
    let releases =
        (OLDEST.0..=NEWEST.0).flat_map(|major| (0..=12).map(move |minor| (major, minor)));
    let named =
        releases.filter_map(|(major, minor)| edition_named(&format!("{major}.{minor}")).ok());
    named.chain([PREVIEW]).collect()
}

/// Collects the faults of a schema and its subschemas.
/// `is_choice` is true for one of several alternatives, where `null` may be the only type.
fn faults(schema: &Value, at: &str, is_choice: bool, found: &mut Vec<String>) {
    let Some(schema) = schema.as_object() else {
        found.push(format!("{at}: {schema} is not an object schema"));
        return;
    };
    if schema.get("type") == Some(&json!("null")) && !is_choice {
        found.push(format!("{at}: null is the only type"));
    }
    if schema.contains_key("prefixItems") {
        found.push(format!("{at}: few generators support prefixItems"));
    }
    if types(schema).any(|name| name == "array") && !schema.contains_key("items") {
        found.push(format!("{at}: an array without items"));
    }
    let is_choice = LISTS.iter().any(|name| schema.contains_key(*name));
    if is_choice && schema.contains_key("properties") {
        found.push(format!(
            "{at}: some generators drop properties next to anyOf, oneOf or allOf"
        ));
    }
    if types(schema).filter(|name| *name != "null").count() > 1 {
        found.push(format!(
            "{at}: some generators take the first of several types; use oneOf"
        ));
    }
    colliding(schema, at, found);
    for name in SCHEMAS {
        if let Some(inner) = schema.get(name) {
            faults(inner, &format!("{at}/{name}"), false, found);
        }
    }
    for name in LISTS {
        for (number, inner) in schema
            .get(name)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .enumerate()
        {
            faults(inner, &format!("{at}/{name}/{number}"), true, found);
        }
    }
    for name in NAMED {
        for (property, inner) in schema
            .get(name)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            faults(inner, &format!("{at}/{name}/{property}"), false, found);
        }
    }
    // Only a schema needs a check; a boolean is the usual form here.
    if let Some(inner @ Value::Object(_)) = schema.get("additionalProperties") {
        faults(inner, &format!("{at}/additionalProperties"), false, found);
    }
}

/// Names of the types that a schema itself allows.
fn types(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let named = schema.get("type");
    let several = named.and_then(Value::as_array).into_iter().flatten();
    named.into_iter().chain(several).filter_map(Value::as_str)
}

/// Reports words of an enumeration that differ in case alone: generators turn them into names and lose the case.
fn colliding(schema: &Map<String, Value>, at: &str, found: &mut Vec<String>) {
    let Some(words) = schema.get("enum").and_then(Value::as_array) else {
        return;
    };
    let folded: BTreeSet<String> = words
        .iter()
        .map(|word| word.to_string().to_lowercase())
        .collect();
    if folded.len() != words.len() {
        found.push(format!("{at}: words that differ only in case: {words:?}"));
    }
}

/// Checks every schema of a document, at any depth, and returns their number.
fn all_faults(part: &Value, at: &str, found: &mut Vec<String>) -> usize {
    let mut looked_at = 0;
    match part {
        Value::Object(members) => {
            for (name, inner) in members {
                let below = format!("{at}/{name}");
                if name == "schema" {
                    faults(inner, &below, false, found);
                    looked_at += 1;
                } else if at == "/components" && name == "schemas" {
                    for (name, inner) in inner.as_object().into_iter().flatten() {
                        faults(inner, &format!("{below}/{name}"), false, found);
                        looked_at += 1;
                    }
                } else {
                    looked_at += all_faults(inner, &below, found);
                }
            }
        }
        Value::Array(items) => {
            for (number, inner) in items.iter().enumerate() {
                looked_at += all_faults(inner, &format!("{at}/{number}"), found);
            }
        }
        _ => {}
    }
    looked_at
}

#[test]
fn the_document_of_every_release_is_read_by_generators() {
    let editions = editions();
    assert!(editions.len() > 40, "{} editions", editions.len());
    let whole = whole_document("");
    for edition in editions {
        let mut found = Vec::new();
        let document = as_edition(whole.clone(), edition);
        let looked_at = all_faults(&document, "", &mut found);
        assert!(looked_at > 400, "{edition}: {looked_at} schemas");
        assert!(found.is_empty(), "{edition}: {}", found.join("\n"));
    }
}

#[test]
fn schemas_refused_by_generators_are_detected() {
    for (schema, fault) in [
        (json!(true), "not an object schema"),
        (json!({"type": "null"}), "null is the only type"),
        (json!({"type": "array"}), "without items"),
        (
            json!({"type": ["array", "null"], "maxItems": 0}),
            "without items",
        ),
        (
            json!({"type": "array", "items": true}),
            "not an object schema",
        ),
        (json!({"enum": ["UNKNOWN", "unknown"]}), "only in case"),
        (
            json!({"properties": {"a": {"anyOf": [{"items": {"type": "null"}}]}}}),
            "null is the only type",
        ),
        (
            json!({"type": "array", "items": {}, "prefixItems": []}),
            "few generators",
        ),
        (
            json!({"properties": {}, "anyOf": [{"required": ["a"]}]}),
            "next to anyOf",
        ),
        (json!({"type": ["string", "object"]}), "use oneOf"),
    ] {
        let mut found = Vec::new();
        let document = json!({"paths": {"/": {"get": {"parameters": [{"schema": schema}]}}}});
        assert_eq!(all_faults(&document, "", &mut found), 1);
        assert!(
            found.iter().any(|text| text.contains(fault)),
            "{schema}: {found:?}"
        );
    }
    let mut found = Vec::new();
    let sound = json!({"components": {"schemas": {"A": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}});
    assert_eq!(
        (all_faults(&sound, "", &mut found), found),
        (1, Vec::<String>::new())
    );
}
