//! Refusals, repairs, and the agreement of scan and parser.

use super::*;
use proptest::prelude::*;
use serde_json::Value;

fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

#[test]
fn a_hundred_levels_are_accepted_and_one_more_is_not() {
    assert!(check(nested(100).as_bytes(), 100).is_ok());
    assert_eq!(
        check(nested(101).as_bytes(), 100).unwrap_err().status(),
        400
    );
}

#[test]
fn brackets_in_strings_do_not_count() {
    assert!(check(br#"{"a":"[[[\"[[[\\"}"#, 1).is_ok());
}

#[test]
fn a_nul_is_found_and_an_escaped_backslash_before_u0000_is_not_one() {
    assert!(check(br#""\u0000""#, 1).is_err());
    assert!(check(br#""\\u0000""#, 1).is_ok());
    assert!(check(br#""\\\u0000""#, 1).is_err());
    assert!(check(br#""\u0001""#, 1).is_ok());
}

#[track_caller]
fn refused(body: &str, reason: &str) {
    let error = check(body.as_bytes(), 9).unwrap_err();
    let response = error.body()["error"].as_str().unwrap();
    assert!(
        error.status() == 400 && response.contains(reason),
        "{body}: {response}"
    );
}

#[test]
fn unpaired_surrogates_are_found_in_any_string() {
    for body in [
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\uDBFF x""#,
        r#""\ud800\n""#,
        r#""\ud800\u0041""#,
        r#""\ud800\ud800\udc00""#,
        r#""\udc00\ud800""#,
        r#""\\\ud800""#,
        r#"{"\ud800":1}"#,
        r#"[{"a":["\udfff"]}]"#,
    ] {
        refused(body, "an unpaired surrogate");
    }
    for body in [
        r#""\ud83d\ude00\uD83D\uDE00""#,
        r#""\\ud800""#,
        r#""\ud7ff\ue000""#,
    ] {
        assert!(check(body.as_bytes(), 1).is_ok(), "{body}");
    }
}

#[test]
fn a_number_is_in_the_range_of_a_double() {
    let long = |digits: usize| "9".repeat(digits);
    for body in [
        "1e999",
        "-1E+400",
        "[0,1e309]",
        "{\"a\":{\"b\":1.8e308}}",
        "1e99999999999999999999",
        &long(310),
        &format!("{}.5", long(400)),
    ] {
        refused(body, "outside the range of a double");
    }
    for body in [
        "1e308",
        "-1.7976931348623157e308",
        "1e-999",
        "0e999",
        "\"1e999\"",
        &long(308),
        &format!("0.{}", long(400)),
        &format!("{}e-300", long(400)),
    ] {
        assert!(check(body.as_bytes(), 1).is_ok(), "{body:.40}");
        assert!(serde_json::from_str::<Value>(body).is_ok(), "{body:.40}");
    }
}

#[test]
fn repair_replaces_nuls_surrogates_and_out_of_range_numbers() {
    let body = r#"{"a\u0000":["\u0000x\ud800","\ud83d\ude00\udc00",1e999,-1E+400,2],"b":"1e999"}"#;
    let repaired = repair(body, 9).unwrap();
    assert_eq!(
        repaired.text,
        r#"{"a\ufffd":["\ufffdx\ufffd","\ud83d\ude00\ufffd","1e999","-1E+400",2],"b":"1e999"}"#
    );
    assert_eq!(
        (repaired.nuls, repaired.surrogates, repaired.numbers),
        (2, 2, 2)
    );
    assert!(check(repaired.text.as_bytes(), 9).is_ok());
}

#[test]
fn repair_does_not_copy_clean_or_malformed_json() {
    for body in ["{\"a\":1e308}", "{1e999:1}", "\"\\u0000", "1e999 x"] {
        let repaired = repair(body, 9).unwrap();
        assert!(
            matches!(repaired.text, Cow::Borrowed(text) if text == body),
            "{body}"
        );
    }
    assert_eq!(repair("[[1]]", 1), Err(TooDeep(1)));
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn tree() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        "[\\[\\]{}\"\\\\a]{0,6}".prop_map(Value::String)
    ];
    leaf.prop_recursive(6, 40, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::btree_map("[\\[{\"a]{0,3}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Generates texts from difficult parts of strings and numbers, many of them grammatical.
fn texts() -> impl Strategy<Value = String> {
    let escape = "\\\\(u(d8|D9|db|dc|dF|00|4e|d83d\\\\ude)[0-9a-fA-F]{2}|[\"\\\\nu])";
    let pieces = proptest::collection::vec(prop_oneof![escape, "[a-z]{1,2}"], 0..4);
    let string = pieces.prop_map(|pieces| format!("\"{}\"", pieces.concat()));
    let number =
        "-?(0|[1-9][0-9]{0,25}|[1-9][0-9]{290,320})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,4})?";
    let edge = "-?1\\.79769313486231[0-9]{1,6}[eE]\\+?30[78]";
    let value = prop_oneof![string.clone(), number, edge];
    let pair = (string, value).prop_map(|(name, value)| format!("{name}:{value}"));
    proptest::collection::vec(pair, 0..3).prop_map(|pairs| format!("[{{{}}}]", pairs.join(",")))
}

/// Fragments of strings and numbers, combined validly or not.
const FRAGMENTS: &[&str] = &[
    "\\u", "\\", "\"", "d8", "dc", "00", "9", "1e", "E+", "-", ".", "[", "]", ",",
];

fn check_readable(text: &str) -> Result<(), TestCaseError> {
    let grammatical = serde_json::from_str::<IgnoredAny>(text).is_ok();
    let tree = serde_json::from_str::<Value>(text);
    if check(text.as_bytes(), 100).is_ok() {
        prop_assert!(!grammatical || tree.is_ok(), "{text} cannot be read");
    } else if grammatical {
        let holds_nul = tree.is_ok() && text.contains("\\u0000");
        prop_assert!(
            holds_nul || tree.is_err(),
            "{text} is rejected without a reason"
        );
    }
    Ok(())
}

proptest! {
    #[test]
    fn text_that_passes_the_check_and_is_grammatical_is_readable(text in texts()) {
        check_readable(&text)?;
    }

    #[test]
    fn fragments_that_pass_and_are_grammatical_can_be_read(
        quote in prop::sample::select(vec!["", "\""]),
        fragments in proptest::collection::vec(prop::sample::select(FRAGMENTS), 0..10),
    ) {
        check_readable(&format!("{quote}{}{quote}", fragments.concat()))?;
    }

    #[test]
    fn valid_json_is_readable_after_repair(text in texts()) {
        let repaired = repair(&text, 100).unwrap();
        if serde_json::from_str::<IgnoredAny>(&text).is_ok() {
            let tree = serde_json::from_str::<Value>(&repaired.text);
            prop_assert!(tree.is_ok(), "{} cannot be read", repaired.text);
            prop_assert!(check(repaired.text.as_bytes(), 100).is_ok());
        } else {
            prop_assert_eq!(&*repaired.text, &*text);
        }
    }

    #[test]
    fn the_scan_agrees_with_the_tree(value in tree(), limit in 0_usize..8) {
        let accepted = check(value.to_string().as_bytes(), limit).is_ok();
        prop_assert_eq!(accepted, depth(&value) <= limit);
    }

    #[test]
    fn arbitrary_bytes_pass_or_fail_with_400(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Err(error) = check(&bytes, 3) {
            prop_assert_eq!(error.status(), 400);
        }
    }
}
