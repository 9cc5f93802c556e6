//! Every attribute of the metrics webhook, and the quirks of forwarding senders (`ALRT-04`).

use alert_intake::model::{Severity, Source};
use alert_intake::rules::details;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{ARRIVAL, at, delivery, item, metrics, webhook, whole};

#[test]
fn the_title_is_the_first_of_three_that_is_not_blank() {
    let cases = [
        (
            json!({"title": "t", "summary": "s"}),
            json!({"alertname": "a"}),
            "t",
        ),
        (json!({"summary": "s"}), json!({"alertname": "a"}), "s"),
        (json!({"title": " ", "summary": "s"}), json!({}), "s"),
        (json!({"title": null}), json!({"alertname": "a"}), "a"),
        (json!({}), json!({"alertname": "a"}), "a"),
        (json!(null), json!({"alertname": 7}), "7"),
    ];
    for (annotations, labels, expected) in cases {
        let alert = item(&json!({"annotations": annotations, "labels": labels}));
        assert_eq!(alert.title, expected, "{annotations} {labels}");
    }
}

#[test]
fn words_for_severity_are_those_of_the_specification() {
    let table = [
        (
            Severity::Critical,
            "critical s1 p1 emergency fatal minor unknown ?",
        ),
        (Severity::High, "high s2 p2 major page PAGE"),
        (Severity::Medium, "medium s3 p3 error alert Error"),
        (Severity::Low, "low s4 p4 warn warning WARNING"),
        (Severity::Info, "info s5 p5 debug information notice P5"),
    ];
    for (expected, words) in table {
        for word in words.split(' ') {
            let alert = item(&json!({"labels": {"severity": word}}));
            assert_eq!(alert.severity, expected, "{word}");
        }
    }
    assert_eq!(item(&json!({})).severity, Severity::Critical);
}

#[test]
fn an_environment_is_named_by_a_label_with_a_known_word() {
    let cases = [
        ("service_environment_name", Some("production")),
        ("gitlab_environment_name", Some("production")),
        ("acme_environment_name", Some("production")),
        ("other_environment_name", None),
        ("environment", Some("production")),
        ("environments", None),
    ];
    for (name, expected) in cases {
        let alert = item(&json!({"labels": { name: "production" }}));
        assert_eq!(alert.environment_name.as_deref(), expected, "{name}");
        let blank = item(&json!({"labels": { name: " " }}));
        assert_eq!(blank.environment_name, None, "{name}");
    }
}

#[test]
fn fields_of_the_generic_payload_mean_nothing_here() {
    let alert = item(&json!({
        "labels": {"alertname": "a"}, "service": "db", "hosts": ["h"], "monitoring_tool": "Nagios",
        "severity": "low", "end_time": ARRIVAL, "title": "other",
    }));
    assert_eq!((alert.title.as_str(), alert.service.as_str()), ("a", ""));
    assert_eq!(
        (alert.monitoring_tool.as_str(), alert.severity),
        ("Prometheus", Severity::Critical)
    );
    assert!(alert.hosts.is_empty() && alert.resolved_at.is_none());
}

#[test]
fn an_item_is_resolved_by_its_status_or_a_past_end() {
    let (past, future) = ("2026-11-20T12:59:59Z", "2026-11-20T13:00:01Z");
    let never = "0001-01-01T00:00:00Z";
    let cases = [
        (json!("firing"), json!(never), None),
        (json!("firing"), json!(future), None),
        (json!("firing"), json!(past), Some(past)),
        (json!("firing"), json!(ARRIVAL), Some(ARRIVAL)),
        (json!("firing"), json!(null), None),
        (json!("firing"), json!("soon"), None),
        (json!(null), json!(past), Some(past)),
        (json!("resolved"), json!(past), Some(past)),
        (json!("resolved"), json!(future), Some(future)),
        (json!("resolved"), json!(never), Some(ARRIVAL)),
        (json!("resolved"), json!(null), Some(ARRIVAL)),
        (json!("resolved"), json!("soon"), Some(ARRIVAL)),
        (json!(" Resolved "), json!(null), Some(ARRIVAL)),
        (json!("unresolved"), json!(null), None),
        (json!(["resolved"]), json!(null), None),
    ];
    for (status, ends_at, expected) in cases {
        let alert = item(&json!({"status": status, "endsAt": ends_at}));
        assert_eq!(alert.resolved_at, expected.map(at), "{status} {ends_at}");
    }
}

#[test]
fn the_status_at_the_top_resolves_nothing() {
    let mut body =
        webhook(&json!([{"status": "firing", "labels": {"alertname": "a"}, "startsAt": ARRIVAL}]));
    body["status"] = json!("resolved");
    let alert = delivery(&body.to_string(), Source::Metrics)
        .alerts
        .remove(0);
    assert_eq!(alert.resolved_at, None);
}

#[test]
fn a_malformed_item_does_not_affect_the_others() {
    let odd = json!({"labels": [1], "annotations": {"title": "odd"}, "startsAt": "x", "endsAt": [[]], "status": 1.5});
    let good = json!({"labels": {"alertname": "a"}, "startsAt": ARRIVAL});
    let delivery = metrics(&json!([odd, good]));
    let titles: Vec<&str> = delivery.alerts.iter().map(|alert| &*alert.title).collect();
    assert_eq!(titles, ["odd", "a"]);
}

#[test]
fn a_webhook_without_items_has_no_alerts() {
    assert!(metrics(&json!([])).alerts.is_empty());
    assert!(metrics(&json!(null)).alerts.is_empty());
}

#[test]
fn required_attributes_may_be_null() {
    let mut body = webhook(&json!([{"labels": {"alertname": "a"}, "startsAt": ARRIVAL}]));
    for (name, value) in body.as_object_mut().unwrap() {
        if !matches!(name.as_str(), "alerts" | "version") {
            *value = Value::Null;
        }
    }
    let delivery = delivery(&body.to_string(), Source::Metrics);
    assert_eq!(
        (delivery.alerts.len(), delivery.context.group_key),
        (1, None)
    );
}

#[test]
fn the_number_of_alerts_left_out_is_a_number_or_nothing() {
    let cases = [
        (json!(3), 3),
        (json!("3"), 3),
        (json!(0), 0),
        (json!(-1), 0),
        (json!(1.5), 0),
        (json!(u64::MAX), 0),
        (json!(null), 0),
        (json!([3]), 0),
    ];
    for (given, expected) in cases {
        let mut body = webhook(&json!([]));
        body["truncatedAlerts"] = given.clone();
        let context = delivery(&body.to_string(), Source::Metrics).context;
        assert_eq!(context.truncated_alerts, expected, "{given}");
    }
}

/// ALRT-13.
#[test]
fn the_details_of_an_item_are_kept_with_it() {
    let alert = item(&json!({
        "labels": {"alertname": "Up"},
        "annotations": {"service_incident_markdown": "**m**", "runbook": "https://r", "acme_y_label": "y",
            "more": {"nested": [1, {"deep": true}]}},
        "generatorURL": "http://prom/graph?g0.expr=up%3D%3D0",
    }));
    let details = details::of(&alert.payload, alert.source, "acme");
    assert_eq!(details.incident_markdown.as_deref(), Some("**m**"));
    assert_eq!(details.y_label.as_deref(), Some("y"));
    assert_eq!(details.runbook.as_deref(), Some("https://r"));
    assert_eq!(details.metric_query.as_deref(), Some("up==0"));
    assert_eq!(
        details.flattened.get("annotations.more.nested"),
        Some(&json!([1, {"deep": true}]))
    );
}

/// Generates any JSON that can be written as a tree.
fn tree() -> impl Strategy<Value = Value> {
    let word = "(labels|annotations|status|startsAt|endsAt|resolved|alertname|[a-z😀\\\\\"]{0,3})";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        word.prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::btree_map(word, inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// True if the item, completed by `whole`, has a title and a start that are not blank.
fn has_start_and_title(item: &Value) -> bool {
    let is_shown = |value: &Value| match value {
        Value::String(text) => !text.trim().is_empty(),
        Value::Number(_) | Value::Bool(true) => true,
        _ => false,
    };
    let titles = [
        &item["annotations"]["title"],
        &item["annotations"]["summary"],
        &item["labels"]["alertname"],
    ];
    is_shown(&item["startsAt"]) && titles.into_iter().any(is_shown)
}

proptest! {
    #[test]
    fn each_whole_object_is_one_alert_and_keeps_its_text(items in proptest::collection::vec(tree(), 0..8)) {
        let whole = |item: &Value| if item.is_object() { whole(item) } else { item.clone() };
        let items: Vec<Value> = items.iter().map(whole).collect();
        let delivery = metrics(&Value::Array(items.clone()));
        let is_whole = |item: &Value| item.is_object() && has_start_and_title(item);
        let objects: Vec<Value> = items.into_iter().filter(is_whole).collect();
        let payloads: Result<Vec<Value>, _> =
            delivery.alerts.iter().map(|alert| serde_json::from_str(&alert.payload)).collect();
        prop_assert_eq!(payloads.unwrap(), objects);
    }
}
