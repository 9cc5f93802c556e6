//! Shapes of responses, read from a text.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::snapshot::is_timestamp;

/// The fields of each shape, by the shape's name.
pub(super) struct Shapes(BTreeMap<String, Vec<(String, String)>>);

impl Shapes {
    /// Parses the shapes.
    pub(super) fn read(text: &str) -> Self {
        let mut shapes: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        let mut current = String::new();
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(rest) = line.strip_prefix('[') {
                let (name, parent) = rest.split_once(']').unwrap();
                let parent = parent.trim();
                let inherited = (!parent.is_empty()).then(|| shapes[parent].clone());
                current = name.to_owned();
                let is_new = shapes
                    .insert(current.clone(), inherited.unwrap_or_default())
                    .is_none();
                assert!(is_new, "{name} stands there twice");
                continue;
            }
            for field in line.split(',') {
                let (name, kind) = field.trim().split_once(' ').unwrap();
                let fields = shapes.get_mut(&current).unwrap();
                fields.push((name.to_owned(), kind.to_owned()));
            }
        }
        Self(shapes)
    }

    /// Number of shapes.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Compares a value with a shape: adds missing fields and wrong types to the report's `faults`, and the compared
    /// shapes to `used`.
    pub(super) fn check(&self, shape: &str, value: &Value, at: &str, result: &mut ShapeFaults) {
        result.used.insert(shape.to_owned());
        let Some(object) = value.as_object() else {
            result.faults.push(format!("{at}: no object but {value}"));
            return;
        };
        let Some(fields) = self.0.get(shape) else {
            result.faults.push(format!("{at}: no shape {shape}"));
            return;
        };
        for (name, kind) in fields {
            let at = format!("{at}.{name}");
            match object.get(name) {
                None => result.faults.push(format!("{at} is missing")),
                Some(value) => self.check_kind(kind, value, &at, result),
            }
        }
    }

    fn check_kind(&self, kind: &str, value: &Value, at: &str, result: &mut ShapeFaults) {
        let kind = match (kind.strip_suffix('?'), value) {
            (Some(_), Value::Null) => return,
            (Some(kind), _) => kind,
            (None, _) => kind,
        };
        if let Some(shape) = kind.strip_prefix('@') {
            return self.check(shape, value, at, result);
        }
        if let (Some(shape), Some(items)) = (kind.strip_prefix("list@"), value.as_array()) {
            for item in items {
                self.check(shape, item, at, result);
            }
            return;
        }
        let text = value.as_str();
        let is_right = match kind {
            "int" => value.is_i64() || value.is_u64(),
            "num" => value.is_number(),
            "str" => text.is_some(),
            "bool" => value.is_boolean(),
            "time" => is_timestamp(value),
            "day" => text.is_some_and(|text| text.len() == 10 && text.split('-').count() == 3),
            "url" => text.is_some_and(|text| text.starts_with("http")),
            "list" => value.is_array(),
            "object" => value.is_object(),
            // No value has an unknown type, so a misspelt type is a fault as well.
            _ => false,
        };
        if !is_right {
            result
                .faults
                .push(format!("{at} is {value} and not {kind}"));
        }
    }
}

/// Result of comparing responses with shapes.
#[derive(Default)]
pub(super) struct ShapeFaults {
    /// Missing fields and wrong types.
    pub(super) faults: Vec<String>,
    /// Shapes that a value was compared with.
    pub(super) used: BTreeSet<String>,
}
