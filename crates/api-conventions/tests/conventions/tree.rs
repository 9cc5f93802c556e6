//! Trees of parameters, and their text in a query, a form and JSON.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Characters that a client escapes in a query: all except the unreserved ones of RFC 3986.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Escapes a name or a value.
pub(crate) fn escape(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// Escapes a value as HTML forms do: a space is a plus sign.
pub(crate) fn escape_in_form(text: &str) -> String {
    escape(text).replace("%20", "+")
}

/// Appends the pairs of a tree in depth-first order.
fn pairs(name: &str, value: &Value, into: &mut Vec<(String, String)>) {
    match value {
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                match item {
                    Value::String(text) => into.push((format!("{name}[]"), text.clone())),
                    nested => pairs(&format!("{name}[{number}]"), nested, into),
                }
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                pairs(&format!("{name}[{key}]"), item, into);
            }
        }
        Value::String(text) => into.push((name.to_owned(), text.clone())),
        other => panic!("a query has no {other}"),
    }
}

/// Builds the query string of a tree, with names and values escaped by `escape`.
pub(crate) fn query(tree: &Map<String, Value>, escape: impl Fn(&str) -> String) -> String {
    let mut all = Vec::new();
    for (name, value) in tree {
        pairs(name, value, &mut all);
    }
    let written = all
        .iter()
        .map(|(name, value)| format!("{}={}", escape(name), escape(value)));
    written.collect::<Vec<_>>().join("&")
}

fn text() -> impl Strategy<Value = Value> {
    "[^\\x00]{0,12}".prop_map(Value::String)
}

/// Generates a name that does not look like a number, which would turn its container into a list.
fn name() -> impl Strategy<Value = String> {
    "[a-zé %&=#][a-z0-9_.é+ %&=#]{0,5}"
}

fn hash(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    proptest::collection::btree_map(name(), value, 1..4)
        .prop_map(|map| Value::Object(map.into_iter().collect()))
}

/// Generates trees that the specification allows: texts, arrays of texts, hashes, and arrays of hashes (`API-05`).
pub(crate) fn trees() -> impl Strategy<Value = Map<String, Value>> {
    let array = || proptest::collection::vec(text(), 1..4).prop_map(Value::Array);
    let inner = prop_oneof![text(), array(), hash(text())];
    let hashes = proptest::collection::vec(hash(inner), 1..4).prop_map(Value::Array);
    let value = prop_oneof![
        text(),
        array(),
        hashes,
        hash(prop_oneof![text(), array(), hash(text())])
    ];
    proptest::collection::btree_map(name(), value, 0..5).prop_map(|map| map.into_iter().collect())
}
