//! Repair of single bad values: what no database can store and no reader can display is replaced or kept as text, and
//! the receipt says so.

use alert_intake::model::{Delivery, Source};
use alert_intake::rules::details;
use serde_json::{Value, json};

use crate::support::{generic, receive, webhook, whole};

/// Creates a webhook of three items, the second of which contains this raw value.
fn between_good_ones(value: &str) -> String {
    let good = |name: &str| whole(&json!({"labels": {"alertname": name}})).to_string();
    let odd = good("odd").replace("\"odd\"", &format!("\"odd\",\"x\":{value}"));
    let items = format!("[{},{odd},{}]", good("one"), good("two"));
    webhook(&json!([])).to_string().replace("[]", &items)
}

fn read(body: &str, source: Source) -> Delivery {
    receive(body.as_bytes(), source).unwrap()
}

#[test]
fn a_malformed_value_leaves_its_item_and_the_others_intact() {
    for (value, note) in [
        (
            r#""a\u0000b""#,
            "the body contained NUL characters, replaced by U+FFFD: 1",
        ),
        (
            r#""\ud800""#,
            "the body contained unpaired surrogates, replaced by U+FFFD: 1",
        ),
        (
            "1e999",
            "the body contained numbers outside the range of a double, kept as text: 1",
        ),
    ] {
        let delivery = read(&between_good_ones(value), Source::Metrics);
        let titles: Vec<&str> = delivery.alerts.iter().map(|alert| &*alert.title).collect();
        assert_eq!(titles, ["one", "odd", "two"], "{value}");
        assert_eq!(delivery.context.notes, [note]);
    }
}

#[test]
fn nuls_and_unpaired_surrogates_become_the_replacement_character() {
    for (text, expected) in [
        (r"a\u0000b", "a\u{fffd}b"),
        (r"\ud83dx", "\u{fffd}x"),
        (r"\ude00\ud83d", "\u{fffd}\u{fffd}"),
        (r"\ud83d\ude00", "😀"),
        (r"\\u0000", r"\u0000"),
    ] {
        let alert = generic(&format!("{{\"title\":\"{text}\"}}"));
        assert_eq!(alert.title, expected, "{text}");
    }
}

#[test]
fn a_number_beyond_all_bounds_is_kept_as_text() {
    let alert = generic(r#"{"title":1e999,"extra":[-1e999,1e308]}"#);
    assert_eq!(alert.title, "1e999");
    assert_eq!(
        alert.payload,
        r#"{"title":"1e999","extra":["-1e999",1e308]}"#
    );
}

#[test]
fn stored_payloads_are_valid_json() {
    for value in [
        r#""\ud800""#,
        r#"{"deep":["\udc00","\u0000"]}"#,
        "1e999",
        "-1e999",
    ] {
        let body = format!("{{\"fingerprint\":\"f\",\"extra\":{value}}}");
        let alert = read(&body, Source::Generic).alerts.remove(0);
        let shown = serde_json::from_str::<Value>(&alert.payload);
        assert!(shown.is_ok(), "{value} is kept and cannot be shown");
        assert!(!alert.payload.contains("\\u0000"));
    }
}

#[test]
fn field_names_are_repaired_too() {
    let alert = generic(r#"{"title":"t","a\u0000":1}"#);
    assert_eq!(alert.payload, r#"{"title":"t","a\ufffd":1}"#);
}

/// ALRT-13.
#[test]
fn long_integers_and_empty_objects_are_shown_as_they_were_sent() {
    let body = r#"{"id":123456789012345678901234567890,"none":{},"a.b":1,"a":{"b":2}}"#;
    let alert = generic(body);
    let details = details::of(&alert.payload, alert.source, "acme");
    let shown = serde_json::to_string(&details.flattened).unwrap();
    let expected = r#"{"a.b":2,"a.b (2)":1,"id":123456789012345678901234567890,"none":{}}"#;
    assert_eq!(shown, expected);
    let payload = serde_json::to_string(&details.payload).unwrap();
    assert!(
        payload.contains(r#""id":123456789012345678901234567890"#),
        "{payload}"
    );
}

#[test]
fn payloads_that_differ_in_the_last_digit_are_different_alerts() {
    let [first, second] = ["98", "99"]
        .map(|end| generic(&format!("{{\"id\":1234567890123456789012345678{end}}}")).identity);
    assert_ne!(first, second);
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let body = "\u{feff}{\"title\":\"t\"}";
    let delivery = read(body, Source::Generic);
    assert_eq!(delivery.alerts[0].title, "t");
    assert_eq!(delivery.alerts[0].payload, "{\"title\":\"t\"}");
    assert_eq!(
        (delivery.body_bytes, delivery.context.notes.len()),
        (body.len(), 0)
    );
}
