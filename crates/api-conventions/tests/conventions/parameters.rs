//! Equality of parameters from a query, a form and JSON (`API-02`, `API-04`, `API-05`).

use api_conventions::params::{MAX_NESTING, MAX_PAIRS, Params};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::tree::{escape, escape_in_form, query, trees};

fn from_json(value: &Value) -> Params {
    Params::from_json(value.to_string().as_bytes()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// API-05.
    #[test]
    fn a_tree_is_the_same_in_a_query_a_form_and_json(tree in trees()) {
        let expected = from_json(&Value::Object(tree.clone()));
        prop_assert_eq!(&Params::from_query(&query(&tree, escape)).unwrap(), &expected);
        prop_assert_eq!(&Params::from_query(&query(&tree, escape_in_form)).unwrap(), &expected);
        let form = query(&tree, escape_in_form).into_bytes();
        prop_assert_eq!(&Params::from_form(&form).unwrap(), &expected);
    }

    #[test]
    fn unescaped_characters_decode_like_escaped_ones(tree in trees()) {
        // Only characters that end a name or a value, or have another meaning, need an escape.
        let sparing = |text: &str| {
            let mut kept = text.replace('%', "%25");
            for (character, code) in [("&", "%26"), ("=", "%3D"), ("+", "%2B")] {
                kept = kept.replace(character, code);
            }
            kept
        };
        let expected = from_json(&Value::Object(tree.clone()));
        prop_assert_eq!(Params::from_query(&query(&tree, sparing)).unwrap(), expected);
    }

    #[test]
    fn of_two_sources_the_stronger_one_wins_name_by_name(weak in trees(), strong in trees()) {
        let merged = from_json(&Value::Object(weak.clone())).merged(from_json(&Value::Object(strong.clone())));
        for (name, value) in &weak {
            prop_assert_eq!(merged.get(name), Some(strong.get(name).unwrap_or(value)));
        }
        for (name, value) in &strong {
            prop_assert_eq!(merged.get(name), Some(value));
        }
    }

    #[test]
    fn any_query_is_read_or_refused_with_words(text in "[ab0-2\\[\\]=&%5BD+é]{0,40}") {
        match Params::from_query(&text) {
            Ok(params) => prop_assert_eq!(Params::from_form(text.as_bytes()).unwrap(), params),
            Err(error) => {
                prop_assert_eq!(error.status(), 400);
                prop_assert!(!error.body().to_string().is_empty());
            }
        }
    }
}

#[test]
fn an_array_keeps_its_order_and_its_repeats() {
    let params = Params::from_query("a[]=2&a[]=1&b=x&a[]=2").unwrap();
    assert_eq!(params, from_json(&json!({"a": ["2", "1", "2"], "b": "x"})));
}

#[test]
fn numbered_items_are_in_the_order_of_their_numbers() {
    let items: Vec<Value> = (0..25)
        .map(|number| json!({ "k": number.to_string() }))
        .collect();
    let pairs: Vec<String> = (0..25)
        .rev()
        .map(|number| format!("v[{number}][k]={number}"))
        .collect();
    let params = Params::from_query(&pairs.join("&")).unwrap();
    assert_eq!(params, from_json(&json!({ "v": items })));
}

#[test]
fn nesting_ends_at_the_same_level_in_every_form() {
    let levels = |count: usize| {
        let tree = (0..count).fold(
            Value::String("x".to_owned()),
            |inner, _| json!({"k": inner}),
        );
        let tree: Map<String, Value> = Map::from_iter([("a".to_owned(), tree)]);
        let json = Params::from_json(Value::Object(tree.clone()).to_string().as_bytes());
        (Params::from_query(&query(&tree, escape)), json)
    };
    // The root is one level, so the name has one level less.
    let (deepest, same) = levels(MAX_NESTING - 1);
    assert_eq!(deepest.unwrap(), same.unwrap());
    let (from_query, from_json) = levels(MAX_NESTING);
    assert_eq!(
        [
            from_query.unwrap_err().status(),
            from_json.unwrap_err().status()
        ],
        [400, 400]
    );
}

#[test]
fn ten_thousand_pairs_are_read_and_one_more_is_refused() {
    let many = "a[]=1&".repeat(MAX_PAIRS);
    let read = Params::from_query(&many).unwrap();
    assert_eq!(
        read.get("a").and_then(Value::as_array).map(Vec::len),
        Some(MAX_PAIRS)
    );
    let refused = Params::from_query(&format!("{many}b=1")).unwrap_err();
    assert!(
        refused.body().to_string().contains("10000"),
        "the response must name the limit: {refused}"
    );
}

#[test]
fn a_json_body_that_cannot_be_stored_is_refused_like_a_query_that_cannot() {
    let bodies: [&[u8]; 4] = [
        br#"{"a":"\u0000"}"#,
        b"{\"a\":\"\xff\"}",
        br#"{"a":"\ud800"}"#,
        b"{\"a\":\"\0\"}",
    ];
    for body in bodies {
        assert_eq!(
            Params::from_json(body).unwrap_err().status(),
            400,
            "{body:?}"
        );
    }
    for text in [
        "a=%00",
        "a=%ff",
        "a=%ed%a0%80",
        "%00=a",
        "%ff=a",
        "a[%00]=1",
        "a=\0",
    ] {
        assert_eq!(
            Params::from_query(text).unwrap_err().status(),
            400,
            "{text:?}"
        );
        assert_eq!(
            Params::from_form(text.as_bytes()).unwrap_err().status(),
            400,
            "{text:?}"
        );
    }
}
