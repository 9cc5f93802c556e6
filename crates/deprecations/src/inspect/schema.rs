//! Schemas of a document, through its references (`OpenAPI` 3.1, sections 4.8.23 and 4.8.24).

use std::cell::Cell;

use crate::model::is_sent_as;
use serde_json::Value;

/// How many schemas are looked at for one thing, so that references in a circle end.
const MAX_STEPS: u32 = 5_000;

/// How deep schemas may stand inside each other.
const MAX_DEPTH: u32 = 64;

/// A document, for what refers to its parts.
pub(super) struct Document<'d>(pub(super) &'d Value);

/// Whether a schema has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Has {
    /// It does not.
    No,
    /// It has values of that kind.
    Maybe,
    /// It names it.
    Yes,
}

/// How far a search may still go.
struct Reach<'r> {
    steps: &'r Cell<u32>,
    depth: u32,
}

impl Reach<'_> {
    /// One step further inside; `None` when that is too far.
    fn further(&self) -> Option<Reach<'_>> {
        let steps = self.steps.get().checked_sub(1)?;
        self.steps.set(steps);
        Some(Reach {
            steps: self.steps,
            depth: self.depth.checked_sub(1)?,
        })
    }
}

impl<'d> Document<'d> {
    /// A part of the document, or what it refers to. References out of the document lead nowhere.
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

    /// The schemas that names lead to, from the outside. Arrays and combined schemas are passed through.
    pub(super) fn find<S: AsRef<str>>(&self, schema: &'d Value, path: &[S]) -> Vec<&'d Value> {
        let steps = Cell::new(MAX_STEPS);
        let mut found = Vec::new();
        let reach = Reach {
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
        reach: &Reach<'_>,
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

    /// Whether a schema has a value.
    pub(super) fn has(&self, schema: &'d Value, value: &Value) -> Has {
        let steps = Cell::new(MAX_STEPS);
        let reach = Reach {
            steps: &steps,
            depth: MAX_DEPTH,
        };
        self.looks_for(schema, value, &reach)
    }

    fn looks_for(&self, schema: &'d Value, value: &Value, reach: &Reach<'_>) -> Has {
        let (Some(reach), Some(schema)) = (reach.further(), self.resolve(schema)) else {
            return Has::Maybe;
        };
        if let Some(only) = schema.get("const") {
            return if is_sent_as(only, value) {
                Has::Yes
            } else {
                Has::No
            };
        }
        let is_nullable = schema.get("nullable") == Some(&Value::Bool(true));
        if value.is_null() && (is_nullable || has_type(schema, "null")) {
            return Has::Yes;
        }
        if let Some(all) = schema.get("enum").and_then(Value::as_array) {
            let is_there = all.iter().any(|one| is_sent_as(one, value));
            return if is_there { Has::Yes } else { Has::No };
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
            if is_of_type { Has::Maybe } else { Has::No }
        })
    }
}

/// The schemas inside one that are about the same value, or about each element of an array.
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

/// A bound of a schema, such as `maxLength`.
pub(super) fn bound(schema: &Value, name: &str) -> Option<usize> {
    let bound = schema.get(name)?.as_u64()?;
    usize::try_from(bound).ok()
}
