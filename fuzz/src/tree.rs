//! Questions about a JSON tree.

use serde_json::Value;

/// How deep arrays and objects are nested; a scalar is no level.
pub fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// How many scalars it has.
pub fn leaves(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(leaves).sum(),
        Value::Object(map) => map.values().map(leaves).sum(),
        _ => 1,
    }
}

/// Whether a NUL is in a name or a text.
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

/// The body as a tree, when it is JSON whose numbers come back as they were written.
///
/// The reader of JSON may be off by the last bit of a fraction with many digits; such a body says nothing about
/// the reader under test.
pub fn stable(body: &[u8]) -> Option<Value> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let again: Value = serde_json::from_str(&value.to_string()).ok()?;
    (again == value).then_some(value)
}
