//! Properties of a JSON tree.

use serde_json::Value;

/// Nesting depth of arrays and objects. A scalar has depth 0.
pub fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Number of scalars in the tree.
pub fn leaves(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(leaves).sum(),
        Value::Object(map) => map.values().map(leaves).sum(),
        _ => 1,
    }
}

/// True if a name or a text contains a NUL.
pub fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(map) => map
            .iter()
            .any(|(name, value)| name.contains('\0') || holds_nul(value)),
        _ => false,
    }
}

/// Parses the body, if it is JSON whose numbers survive a round trip.
///
/// The JSON parser may be off by the last bit of a fraction with many digits; such a body says nothing about the parser
/// under test.
pub fn stable(body: &[u8]) -> Option<Value> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let again: Value = serde_json::from_str(&value.to_string()).ok()?;
    (again == value).then_some(value)
}
