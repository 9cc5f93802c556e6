//! Every field of the generic payload, with its default, its other names and its accepted types.

use alert_intake::model::{IncomingAlert, Severity, Source};
use serde_json::{Value, json};

use crate::support::{at, delivery, generic};

/// Returns a text field as parsed from `{"<name>": <value>}`.
fn text_of(name: &str, value: &Value) -> String {
    let alert = generic(&json!({ name: value }).to_string());
    match name {
        "title" => alert.title,
        "description" => alert.description,
        "service" => alert.service,
        "monitoring_tool" => alert.monitoring_tool,
        environment if environment.ends_with("_environment_name") => {
            alert.environment_name.unwrap_or_default()
        }
        other => panic!("{other} is no text"),
    }
}

/// Text fields with their defaults.
const TEXTS: [(&str, &str); 7] = [
    ("title", "New: Alert"),
    ("description", ""),
    ("service", ""),
    ("monitoring_tool", ""),
    ("service_environment_name", ""),
    ("gitlab_environment_name", ""),
    ("acme_environment_name", ""),
];

/// ALRT-02.
#[test]
fn all_fields_of_a_full_payload_arrive() {
    let body = json!({
        "title": "Disk full", "description": "5% left", "start_time": "2026-11-20T12:00:00Z",
        "end_time": "2026-11-20T12:30:00Z", "service": "db", "monitoring_tool": "Nagios",
        "hosts": ["a", "b"], "severity": "LOW", "fingerprint": "f",
        "service_environment_name": "production", "extra": {"nested": [1, {"deep": null}]},
    })
    .to_string();
    let alert = generic(&body);
    let texts = [
        &alert.title,
        &alert.description,
        &alert.service,
        &alert.monitoring_tool,
    ];
    assert_eq!(texts, ["Disk full", "5% left", "db", "Nagios"]);
    assert_eq!(alert.started_at, Some(at("2026-11-20T12:00:00Z")));
    assert_eq!(alert.resolved_at, Some(at("2026-11-20T12:30:00Z")));
    assert_eq!(alert.hosts, ["a", "b"]);
    assert_eq!(
        (alert.severity, alert.source),
        (Severity::Low, Source::Generic)
    );
    assert_eq!(alert.environment_name.as_deref(), Some("production"));
    assert_eq!(
        alert.payload, body,
        "what has no meaning is kept as it came"
    );
}

/// ALRT-02.
#[test]
fn an_empty_object_is_an_alert_with_every_default() {
    let alert = generic("{}");
    let texts = [
        &alert.title,
        &alert.description,
        &alert.service,
        &alert.monitoring_tool,
    ];
    assert_eq!(texts, ["New: Alert", "", "", ""]);
    assert_eq!(alert.severity, Severity::Critical);
    assert_eq!((alert.started_at, alert.resolved_at), (None, None));
    assert_eq!((alert.hosts, alert.environment_name), (vec![], None));
}

#[test]
fn displayable_values_become_text_and_others_count_as_absent() {
    for (name, default) in TEXTS {
        let cases = [
            (json!("plain"), "plain"),
            (json!("  in space\n"), "in space"),
            (json!(42), "42"),
            (json!(-1.5), "-1.5"),
            (json!(u64::MAX), "18446744073709551615"),
            (json!(true), "true"),
            (json!(false), default),
            (json!(null), default),
            (json!(""), default),
            (json!(" \t "), default),
            (json!({"text": "x"}), default),
            (json!(["x"]), default),
        ];
        for (value, expected) in cases {
            assert_eq!(text_of(name, &value), expected, "{name}: {value}");
        }
    }
}

#[test]
fn only_the_known_words_name_an_environment() {
    let names = [
        "other_environment_name",
        "environment_name",
        "_environment_name",
    ];
    for name in names {
        let alert = generic(&json!({ name: "production" }).to_string());
        assert_eq!(alert.environment_name, None, "{name}");
    }
    let plain = generic(r#"{"title":"t","environment":"production"}"#);
    assert_eq!(plain.environment_name.as_deref(), Some("production"));
}

/// ALRT-02.
#[test]
fn severities_are_known_in_any_case_and_all_else_is_critical() {
    let cases = [
        ("critical", Severity::Critical),
        ("High", Severity::High),
        ("MEDIUM", Severity::Medium),
        ("lOw", Severity::Low),
        (" info ", Severity::Info),
        ("unknown", Severity::Unknown),
        ("warning", Severity::Critical),
        ("s2", Severity::Critical),
        ("", Severity::Critical),
    ];
    for (word, expected) in cases {
        let alert = generic(&json!({"severity": word}).to_string());
        assert_eq!(alert.severity, expected, "{word:?}");
    }
    for other in [
        json!(null),
        json!(3),
        json!(["low"]),
        json!({"level": "low"}),
    ] {
        let alert = generic(&json!({"severity": other}).to_string());
        assert_eq!(alert.severity, Severity::Critical, "{other}");
    }
}

/// ALRT-02.
#[test]
fn hosts_are_one_text_or_any_list_of_them() {
    let cases = [
        (json!("a"), vec!["a"]),
        (json!("a,b"), vec!["a,b"]),
        (json!(["a", "b"]), vec!["a", "b"]),
        (json!([["a", ["b"]], 7]), vec!["a", "b", "7"]),
        (json!([null, "", " ", false, {"x": 1}, "a"]), vec!["a"]),
        (json!([]), vec![]),
        (json!(null), vec![]),
        (json!({"a": "b"}), vec![]),
        (json!(12), vec!["12"]),
        (json!(["a", "a"]), vec!["a", "a"]),
    ];
    for (hosts, expected) in cases {
        let alert = generic(&json!({ "hosts": hosts }).to_string());
        assert_eq!(alert.hosts, expected, "{hosts}");
    }
}

/// ALRT-03.
#[test]
fn an_end_resolves_whenever_it_is() {
    for end in ["2026-11-20T12:00:00Z", "2999-01-01T00:00:00Z", "1999-01-01"] {
        let alert = generic(&json!({"end_time": end}).to_string());
        assert!(alert.resolved_at.is_some(), "{end}");
    }
}

#[test]
fn a_repeated_name_keeps_its_last_value() {
    let alert = generic(r#"{"title":"first","hosts":"a","title":"last","hosts":["b"]}"#);
    assert_eq!(
        (alert.title.as_str(), &*alert.hosts),
        ("last", &["b".to_owned()][..])
    );
    assert_eq!(
        generic(r#"{"title":"first","title":null}"#).title,
        "New: Alert"
    );
}

#[test]
fn a_name_and_a_text_may_be_escaped() {
    let alert = generic(r#"{"\u0074itle":"\u0044isk \ud83d\ude00 \"full\"\n"}"#);
    assert_eq!(alert.title, "Disk 😀 \"full\"");
}

#[test]
fn names_are_case_sensitive() {
    assert_eq!(generic(r#"{"Title":"x","TITLE":"y"}"#).title, "New: Alert");
}

#[test]
fn a_webhook_without_a_required_attribute_is_a_generic_alert() {
    let webhook =
        crate::support::webhook(&json!([{"labels": {"alertname": "a"}, "startsAt": "x"}]));
    for missing in webhook.as_object().unwrap().keys() {
        let mut body = webhook.clone();
        body.as_object_mut().unwrap().remove(missing);
        let alerts = delivery(&body.to_string(), Source::Generic).alerts;
        let expected = match missing.as_str() {
            // The attribute is not required, so the body is still a webhook.
            "truncatedAlerts" => Source::Metrics,
            _ => Source::Generic,
        };
        assert_eq!((alerts.len(), alerts[0].source), (1, expected), "{missing}");
    }
}

/// Senders that collect their reports post them as a list.
#[test]
fn each_item_of_a_list_is_read_as_a_body_of_its_own() {
    let items = [
        r#"{"name":"Disk","status":"down","host":"db1"}"#,
        r#"{"title":"Backup failed","severity":"high","host":"db1"}"#,
        r#"{"name":"Disk","status":"up","host":"db2"}"#,
    ];
    let list = delivery(&format!("[{}]", items.join(",")), Source::Generic);
    let alone: Vec<IncomingAlert> = items.iter().map(|item| generic(item)).collect();
    assert_eq!(list.alerts, alone);
    assert_eq!(list.alerts[1].severity, Severity::High);
    assert!(list.alerts[2].resolved_at.is_some());
}

/// A delivery has one acknowledgement, so its receipt names that there were more.
#[test]
fn of_several_acknowledgements_in_a_list_the_first_counts() {
    let of = |key: &str| format!(r#"{{"event_action":"acknowledge","dedup_key":"{key}"}}"#);
    let alone = delivery(&of("a"), Source::Generic);
    let both = delivery(&format!("[{},{}]", of("a"), of("b")), Source::Generic);
    assert!(alone.acknowledged.is_some());
    assert_eq!(both.acknowledged, alone.acknowledged);
    let notes = both.context.notes;
    let is_told = |note: &String| note.contains("only the first counts");
    assert!(notes.iter().any(is_told), "{notes:?}");
}
