//! Lists of fields for the help pages, derived from the JSON Schemas of bodies.

use std::collections::BTreeSet;

use serde_json::Value;

/// Field of a body, or a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SchemaField {
    pub(super) name: String,
    /// Short name of its type.
    pub(super) kind: String,
    /// Description.
    pub(super) about: String,
    /// True if requests without it are rejected.
    pub(super) is_required: bool,
}

/// Named shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    /// Name by which other shapes refer to it.
    pub(super) name: String,
    /// Description.
    pub(super) about: String,
    pub(super) fields: Vec<SchemaField>,
}

/// Shapes of a document that have fields, ordered by name.
pub(super) fn shapes(document: &Value) -> Vec<Shape> {
    let defined = document
        .pointer("/components/schemas")
        .and_then(Value::as_object);
    let shapes = defined.into_iter().flatten().map(|(name, schema)| Shape {
        name: name.clone(),
        about: text(schema, "description"),
        fields: fields(schema),
    });
    shapes.filter(|shape| !shape.fields.is_empty()).collect()
}

/// Adds the names of the shapes that a value of the document refers to, directly or through other shapes.
pub(super) fn mentioned(document: &Value, value: &Value, known: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items
            .iter()
            .for_each(|item| mentioned(document, item, known)),
        Value::Object(members) => {
            for (name, member) in members {
                match (name.as_str(), member.as_str()) {
                    ("$ref", Some(reference)) => follow(document, reference, known),
                    _ => mentioned(document, member, known),
                }
            }
        }
        _ => {}
    }
}

/// Follows a reference to a shape not visited yet, or to any other part of the document.
fn follow(document: &Value, reference: &str, known: &mut BTreeSet<String>) {
    let name = reference.strip_prefix("#/components/schemas/");
    let is_new = name.is_none_or(|name| known.insert(name.to_owned()));
    let target = document.pointer(reference.trim_start_matches('#'));
    if let Some(target) = target.filter(|_| is_new) {
        mentioned(document, target, known);
    }
}

/// Fields of an object schema.
pub(super) fn fields(schema: &Value) -> Vec<SchemaField> {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let fields = properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| SchemaField {
            name: name.clone(),
            kind: kind(schema),
            about: text(schema, "description"),
            is_required: required.contains(&name.as_str()),
        });
    fields.collect()
}

/// Short name of the type that a schema allows.
pub(super) fn kind(schema: &Value) -> String {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return reference.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<String> = choices.iter().map(word).collect();
        return words.join(", ");
    }
    for any in ["anyOf", "oneOf"] {
        if let Some(choices) = schema.get(any).and_then(Value::as_array) {
            let kinds: Vec<String> = choices.iter().map(kind).collect();
            return kinds.join(" or ");
        }
    }
    let Some(declared) = schema.get("type") else {
        return "any JSON".to_owned();
    };
    let names: Vec<&str> = match declared {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    };
    let kinds: Vec<String> = names.iter().map(|name| simple(name, schema)).collect();
    kinds.join(" or ")
}

fn simple(name: &str, schema: &Value) -> String {
    match (name, schema.get("format").and_then(Value::as_str)) {
        ("array", _) => match schema.get("items") {
            Some(items) => format!("list of {}", kind(items)),
            None => "list".to_owned(),
        },
        ("string", Some("date-time")) => "time".to_owned(),
        ("string", Some("date")) => "date".to_owned(),
        ("string", _) => "text".to_owned(),
        ("integer", _) => "whole number".to_owned(),
        (other, _) => other.to_owned(),
    }
}

fn word(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Text of a member; empty if it is missing.
pub(super) fn text(value: &Value, name: &str) -> String {
    let found = value.get(name).and_then(Value::as_str);
    found.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_reported_in_a_few_words() {
        for (schema, expected) in [
            (json!({"type": "string", "format": "date-time"}), "time"),
            (json!({"type": ["string", "null"]}), "text or null"),
            (
                json!({"$ref": "#/components/schemas/AlertJson"}),
                "AlertJson",
            ),
            (
                json!({"type": "array", "items": {"type": "integer"}}),
                "list of whole number",
            ),
            (
                json!({"type": "string", "enum": ["asc", "desc"]}),
                "asc, desc",
            ),
            (
                json!({"anyOf": [{"$ref": "#/a/B"}, {"type": "null"}]}),
                "B or null",
            ),
            (json!({}), "any JSON"),
        ] {
            assert_eq!(kind(&schema), expected);
        }
    }

    #[test]
    fn fields_say_whether_they_must_be_there() {
        let schema = json!({
            "required": ["name"],
            "properties": {"name": {"type": "string", "description": "The name."}, "size": {"type": "integer"}},
        });
        let found = fields(&schema);
        assert_eq!(found.len(), 2);
        assert!(found[0].is_required && found[0].about == "The name.");
        assert!(!found[1].is_required);
    }
}
