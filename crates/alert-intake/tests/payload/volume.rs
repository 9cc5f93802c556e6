//! Parsing of very large bodies.

use serde_json::{Value, json};

use crate::support::{generic, metrics};

const MANY: usize = 10_000;

#[test]
fn ten_thousand_items_are_ten_thousand_alerts_in_their_order() {
    let items: Vec<Value> = (0..MANY)
        .map(|number| json!({"labels": {"alertname": "Up", "instance": format!("host-{number}")},
            "annotations": {"title": format!("{number} is down")}, "startsAt": "2026-11-20T12:00:00Z"}))
        .collect();
    let delivery = metrics(&Value::Array(items));
    assert!(delivery.context.notes.is_empty());
    assert_eq!(delivery.alerts.len(), MANY);
    for (number, alert) in delivery.alerts.iter().enumerate() {
        assert_eq!(alert.title, format!("{number} is down"));
    }
    let mut identities: Vec<_> = delivery.alerts.iter().map(|alert| alert.identity).collect();
    identities.sort_unstable();
    identities.dedup();
    assert_eq!(identities.len(), MANY, "no two of them are the same alert");
}

#[test]
fn ten_thousand_strange_items_need_few_notes() {
    let items: Vec<Value> = (0..MANY)
        .map(|number| json!({"labels": {"alertname": "a"}, "startsAt": format!("timestamp {number}"), "endsAt": "x"}))
        .collect();
    let delivery = metrics(&Value::Array(items));
    assert_eq!(
        (delivery.alerts.len(), delivery.context.notes.len()),
        (MANY, 3)
    );
}

#[test]
fn a_payload_of_a_hundred_thousand_keys_is_one_alert_and_keeps_them() {
    let extra: serde_json::Map<String, Value> = (0..100_000)
        .map(|number| (format!("key {number}"), json!(number)))
        .collect();
    let body = Value::Object(extra).to_string();
    let alert = generic(&body);
    assert_eq!((alert.title.as_str(), alert.payload), ("New: Alert", body));
}
