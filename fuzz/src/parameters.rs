//! Properties of decoded parameters.

use std::collections::BTreeMap;

use api_conventions::error::ApiError;
use api_conventions::page::SortOrder;
use api_conventions::paging::Paging;
use api_conventions::params::{MAX_NESTING, MAX_PAIRS, Params};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::tree::{depth, holds_nul, leaves};

/// Checks that a refusal is a 400 with a message.
pub fn check_refusal(error: &ApiError) {
    assert_eq!(error.status(), 400, "{error}");
    let response = error
        .body()
        .get("error")
        .or_else(|| error.body().get("message"));
    assert!(
        response
            .and_then(Value::as_str)
            .is_some_and(|text| !text.is_empty()),
        "{error}"
    );
}

/// Checks the decoded parameters of a query. The expected names come from `text`, decoded by hand.
pub fn check_query(params: &Params, text: &str) {
    let mut encoded = Vec::new();
    let (mut texts, mut scalars) = (0, 0);
    for (name, value) in named(params, text) {
        assert!(
            !name.is_empty() && !name.contains('\0') && !holds_nul(value),
            "{name:?}"
        );
        assert!(depth(value) < MAX_NESTING, "{name:?} is nested too deep");
        scalars += leaves(value);
        texts += bytes(value);
        encode(&name, value, &mut encoded);
    }
    assert!(scalars <= MAX_PAIRS, "{scalars} values");
    assert!(
        texts <= text.len(),
        "decoding made {texts} bytes of {}",
        text.len()
    );
    let again = Params::from_query(&encoded.join("&"));
    assert_eq!(
        again.as_ref(),
        Ok(params),
        "what was decoded, encoded and decoded again"
    );
    check_readers(params, text);
}

/// Values of all names that the text may contain.
fn named<'p>(params: &'p Params, text: &str) -> BTreeMap<String, &'p Value> {
    let names = text.split('&').map(|pair| {
        let raw = pair.split('=').next().unwrap_or_default().replace('+', " ");
        percent_encoding::percent_decode_str(&raw)
            .decode_utf8_lossy()
            .into_owned()
    });
    let names = names.flat_map(|name| {
        let first = name.split('[').next().unwrap_or_default().to_owned();
        [name, first]
    });
    names
        .filter_map(|name| Some((name.clone(), params.get(&name)?)))
        .collect()
}

fn bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(bytes).sum(),
        Value::Object(map) => map.values().map(bytes).sum(),
        other => panic!("a query has no {other}"),
    }
}

/// Encodes a value as pairs; the items of every list are numbered.
fn encode(name: &str, value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                encode(&format!("{name}[{number}]"), item, into);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                encode(&format!("{name}[{key}]"), item, into);
            }
        }
        leaf => {
            let text = leaf.as_str().unwrap_or_default();
            let escape = |text| utf8_percent_encode(text, NON_ALPHANUMERIC);
            into.push(format!("{}={}", escape(name), escape(text)));
        }
    }
}

/// Checks that every reader of a value returns it or reports a fault with its name.
pub fn check_readers(params: &Params, text: &str) {
    for name in text.split(['&', '=', '"']).take(20) {
        let mut reader = params.reader();
        let found = [
            reader.text(name).is_some(),
            reader.integer(name).is_some(),
            reader.boolean(name).is_some(),
            reader.date(name).is_some(),
            reader.timestamp(name).is_some(),
            reader.word(name, SortOrder::parse).is_some(),
            !reader.words(name, SortOrder::parse).is_empty(),
            !reader.texts(name).is_empty(),
        ];
        assert!(
            params.get(name).is_some() || found == [false; 8],
            "{name:?} is read from nothing"
        );
        if let Err(error) = reader.finish() {
            check_refusal(&error);
        }
    }
    for outcome in [
        Paging::by_id(params, Some(50_000)).map(drop),
        Paging::offset(params).map(drop),
    ] {
        if let Err(error) = outcome {
            assert!(matches!(error.status(), 400 | 405), "{error}");
        }
    }
}
