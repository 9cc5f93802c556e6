//! Typed values are the same in every form of parameters.

use api_conventions::access::Visibility;
use api_conventions::error::ApiError;
use api_conventions::params::{ParamReader, Params};
use api_conventions::time::Timestamp;
use proptest::prelude::*;
use serde_json::json;

use crate::tree::{escape, escape_in_form};

/// Returns one value of a name as a query, a form and JSON text.
fn forms(value: &str) -> [Params; 3] {
    let form = format!("v={}", escape_in_form(value));
    [
        Params::from_query(&format!("v={}", escape(value))).unwrap(),
        Params::from_form(form.as_bytes()).unwrap(),
        Params::from_json(json!({ "v": value }).to_string().as_bytes()).unwrap(),
    ]
}

/// Returns the parsed value and the reader's faults.
fn read<T>(params: &Params, get: impl Fn(&mut ParamReader<'_>) -> T) -> (T, Option<String>) {
    let mut reader = params.reader();
    let value = get(&mut reader);
    let refused: Option<ApiError> = reader.finish().err();
    (value, refused.map(|error| error.body().to_string()))
}

/// Returns the parsed value if all three forms agree.
fn agreed<T: PartialEq + std::fmt::Debug>(
    value: &str,
    get: impl Fn(&mut ParamReader<'_>) -> T,
) -> T {
    let [query, form, json] = forms(value).map(|params| read(&params, &get));
    assert_eq!(query, form, "{value:?}");
    assert_eq!(query, json, "{value:?}");
    query.0
}

proptest! {
    #[test]
    fn a_text_comes_back_whole(text in "[^\\x00]{0,30}") {
        prop_assert_eq!(agreed(&text, |reader| reader.text("v")), Some(text));
    }

    #[test]
    fn an_integer_comes_back_from_text_and_from_a_json_number(number in any::<i64>()) {
        prop_assert_eq!(agreed(&number.to_string(), |reader| reader.integer("v")), Some(number));
        let params = Params::from_json(json!({ "v": number }).to_string().as_bytes()).unwrap();
        prop_assert_eq!(read(&params, |reader| reader.integer("v")), (Some(number), None));
    }

    #[test]
    fn any_text_is_validated_alike_in_every_form(text in "[^\\x00]{0,12}|[0-9:TZ+.-]{0,26}") {
        agreed(&text, |reader| reader.integer("v"));
        agreed(&text, |reader| reader.boolean("v"));
        agreed(&text, |reader| reader.date("v"));
        agreed(&text, |reader| reader.timestamp("v"));
        agreed(&text, |reader| reader.word("v", Visibility::parse));
        agreed(&text, |reader| reader.words("v", Visibility::parse));
        agreed(&text, |reader| reader.texts("v"));
    }

    /// API-04.
    #[test]
    fn a_timestamp_with_an_offset_survives_when_its_plus_is_escaped(
        seconds in 0_i64..4_000_000_000, offset in 0_i32..840,
    ) {
        let zone = chrono::FixedOffset::east_opt(offset * 60).unwrap();
        let text = chrono::DateTime::from_timestamp(seconds, 0).unwrap().with_timezone(&zone).to_rfc3339();
        let timestamp = agreed(&text, |reader| reader.timestamp("v"));
        prop_assert_eq!(timestamp.map(Timestamp::as_unix_seconds), Some(seconds));
        let bare = Params::from_query(&format!("v={text}")).unwrap();
        let (timestamp, refused) = read(&bare, |reader| reader.timestamp("v"));
        prop_assert_eq!((timestamp, refused.is_some()), (None, true), "a bare plus is a space");
    }

    #[test]
    fn lists_of_texts_are_the_same_in_every_form(texts in proptest::collection::vec("[^\\x00]{0,8}", 0..6)) {
        let query: Vec<String> = texts.iter().map(|text| format!("v[]={}", escape(text))).collect();
        let form: Vec<String> = texts.iter().map(|text| format!("v%5B%5D={}", escape_in_form(text))).collect();
        let all = [
            Params::from_query(&query.join("&")).unwrap(),
            Params::from_form(form.join("&").as_bytes()).unwrap(),
            Params::from_json(json!({ "v": texts }).to_string().as_bytes()).unwrap(),
        ];
        for params in all {
            prop_assert_eq!(read(&params, |reader| reader.texts("v")), (texts.clone(), None));
        }
    }
}

#[test]
fn an_empty_value_is_absent_for_types_other_than_text() {
    assert_eq!(agreed("", |reader| reader.integer("v")), None);
    assert_eq!(agreed("", |reader| reader.boolean("v")), None);
    assert_eq!(agreed("", |reader| reader.date("v")), None);
    assert_eq!(agreed("", |reader| reader.timestamp("v")), None);
    assert_eq!(
        agreed("", |reader| reader.word("v", Visibility::parse)),
        None
    );
    assert_eq!(agreed("", |reader| reader.text("v")), Some(String::new()));
}

/// API-18.
#[test]
fn every_spelling_of_a_boolean_is_one_in_every_form_and_null_is_none() {
    for (expected, spellings) in [
        (true, "true t 1 on y yes TRUE On"),
        (false, "false f 0 off n no FALSE Off"),
    ] {
        for spelling in spellings.split(' ') {
            assert_eq!(
                agreed(spelling, |reader| reader.boolean("v")),
                Some(expected),
                "{spelling}"
            );
        }
        let json = Params::from_json(json!({ "v": expected }).to_string().as_bytes()).unwrap();
        assert_eq!(
            read(&json, |reader| reader.boolean("v")),
            (Some(expected), None)
        );
    }
    let null = Params::from_json(b"{\"v\":null}").unwrap();
    let response = json!({"error": "v is invalid"}).to_string();
    assert_eq!(
        read(&null, |reader| reader.boolean("v")),
        (None, Some(response))
    );
}

#[test]
fn a_list_or_a_hash_is_no_single_value_in_any_form() {
    let values = [("v[]=1", json!(["1"])), ("v[k]=1", json!({"k": "1"}))];
    for (query, value) in values {
        let json = Params::from_json(json!({ "v": value }).to_string().as_bytes()).unwrap();
        for params in [Params::from_query(query).unwrap(), json] {
            let response = Some(r#"{"error":"v is invalid"}"#.to_owned());
            assert_eq!(
                read(&params, |reader| reader.integer("v")),
                (None, response),
                "{query}"
            );
        }
    }
}
