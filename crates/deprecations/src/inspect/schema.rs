//! Schemas of a document, with references resolved (`OpenAPI` 3.1, sections 4.8.23 and 4.8.24).

use std::cell::Cell;

use crate::model::is_sent_as;
use serde_json::Value;

/// Maximum number of schemas visited in one search, so that circular references terminate.
const MAX_STEPS: u32 = 5_000;

/// Maximum nesting depth of schemas.
const MAX_DEPTH: u32 = 64;

/// A document, for resolving references.
pub(super) struct Document<'d>(pub(super) &'d Value);

/// Relation of a schema to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FieldPresence {
    /// The schema excludes the value.
    No,
    /// The schema allows values of that type.
    Maybe,
    /// The schema names the value.
    Yes,
}

/// Remaining bounds of a search.
struct SearchLimits<'r> {
    steps: &'r Cell<u32>,
    depth: u32,
}

impl SearchLimits<'_> {
    /// Goes one level deeper; `None` if a bound is reached.
    fn further(&self) -> Option<SearchLimits<'_>> {
        let steps = self.steps.get().checked_sub(1)?;
        self.steps.set(steps);
        Some(SearchLimits {
            steps: self.steps,
            depth: self.depth.checked_sub(1)?,
        })
    }
}

impl<'d> Document<'d> {
    /// Resolves a part that is a reference. References out of the document resolve to nothing.
    pub(super) fn resolve(&self, part: &'d Value) -> Option<&'d Value> {
        let mut part = part;
        for _ in 0..MAX_DEPTH {
            let Some(reference) = part.get("$ref").and_then(Value::as_str) else {
                return Some(part);
            };
            part = self.0.pointer(reference.strip_prefix('#')?)?;
        }
        None
    }

    /// Finds the schemas at a path of names, from the outside in. Arrays and combined schemas are passed through.
    pub(super) fn find<S: AsRef<str>>(&self, schema: &'d Value, path: &[S]) -> Vec<&'d Value> {
        let steps = Cell::new(MAX_STEPS);
        let mut found = Vec::new();
        let reach = SearchLimits {
            steps: &steps,
            depth: MAX_DEPTH,
        };
        self.walk(schema, path, &reach, &mut found);
        found
    }

    fn walk<S: AsRef<str>>(
        &self,
        schema: &'d Value,
        path: &[S],
        reach: &SearchLimits<'_>,
        found: &mut Vec<&'d Value>,
    ) {
        let (Some(reach), Some(schema)) = (reach.further(), self.resolve(schema)) else {
            return;
        };
        let [name, inner @ ..] = path else {
            found.push(schema);
            return;
        };
        let properties = schema.get("properties");
        if let Some(property) = properties.and_then(|properties| properties.get(name.as_ref())) {
            self.walk(property, inner, &reach, found);
        }
        for part in parts(schema) {
            self.walk(part, path, &reach, found);
        }
    }

    /// Checks whether a schema allows a value.
    pub(super) fn has(&self, schema: &'d Value, value: &Value) -> FieldPresence {
        let steps = Cell::new(MAX_STEPS);
        let reach = SearchLimits {
            steps: &steps,
            depth: MAX_DEPTH,
        };
        self.looks_for(schema, value, &reach)
    }

    fn looks_for(
        &self,
        schema: &'d Value,
        value: &Value,
        reach: &SearchLimits<'_>,
    ) -> FieldPresence {
        let (Some(reach), Some(schema)) = (reach.further(), self.resolve(schema)) else {
            return FieldPresence::Maybe;
        };
        if let Some(only) = schema.get("const") {
            return if is_sent_as(only, value) {
                FieldPresence::Yes
            } else {
                FieldPresence::No
            };
        }
        let is_nullable = schema.get("nullable") == Some(&Value::Bool(true));
        if value.is_null() && (is_nullable || has_type(schema, "null")) {
            return FieldPresence::Yes;
        }
        if let Some(all) = schema.get("enum").and_then(Value::as_array) {
            let is_there = all.iter().any(|one| is_sent_as(one, value));
            return if is_there {
                FieldPresence::Yes
            } else {
                FieldPresence::No
            };
        }
        let inside = parts(schema).map(|part| self.looks_for(part, value, &reach));
        inside.max().unwrap_or_else(|| {
            let is_of_type = match value {
                Value::Null => schema.get("type").is_none(),
                Value::Bool(_) => is_untyped(schema) || has_type(schema, "boolean"),
                Value::Number(_) => ["integer", "number"]
                    .iter()
                    .any(|name| has_type(schema, name)),
                Value::String(_) => is_untyped(schema) || has_type(schema, "string"),
                Value::Array(_) | Value::Object(_) => true,
            };
            if is_of_type {
                FieldPresence::Maybe
            } else {
                FieldPresence::No
            }
        })
    }
}

/// Subschemas that apply to the same value, or to each element of an array.
fn parts(schema: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["allOf", "anyOf", "oneOf", "prefixItems"];
    let listed = lists
        .into_iter()
        .filter_map(|name| schema.get(name)?.as_array())
        .flatten();
    let items = schema.get("items").into_iter();
    listed.chain(items.filter(|items| items.is_object()))
}

fn is_untyped(schema: &Value) -> bool {
    schema.get("type").is_none()
}

fn has_type(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(all)) => all.iter().any(|one| one == name),
        _ => false,
    }
}

/// Returns a bound of a schema, such as `maxLength`.
pub(super) fn bound(schema: &Value, name: &str) -> Option<usize> {
    let bound = schema.get(name)?.as_u64()?;
    usize::try_from(bound).ok()
}
