//! Deliveries hold only what every store can keep, whatever is sent: text without NUL, within its bounds, and JSON that
//! parses again.

use alert_intake::model::{Delivery, Source};
use alert_intake::payload::{IdempotencyKey, parse};
use alert_intake::rules::text::{
    MAX_DESCRIPTION, MAX_ENVIRONMENT, MAX_HOSTS, MAX_MONITORING_TOOL, MAX_SERVICE, MAX_TITLE,
};
use proptest::prelude::*;
use serde_json::Value;

use crate::support::{context, receive, webhook};

/// Generates harmless and problematic text: NUL as itself and as an escape, a lone surrogate, very long text.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "\\PC{0,12}".prop_map(|text| escaped(&text)),
        1 => Just("a\\u0000b".to_owned()),
        1 => Just("\\ud800x".to_owned()),
        1 => Just("\\u0000".repeat(300)),
        1 => "[a-zé]{1,3}".prop_map(|text| escaped(&text.repeat(600))),
        1 => Just("2024-13-99T99:99:99Z".to_owned()),
        1 => Just("0001-01-01T00:00:00Z".to_owned()),
        1 => Just("2024-05-01T12:00:00Z".to_owned()),
    ]
}

/// Returns the text between the quotes of a JSON string.
fn escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => text().prop_map(|text| format!("\"{text}\"")),
        1 => prop::sample::select(vec![
            "1e999", "-1e999", "123456789012345678901234567890", "-0.0", "1e-999", "true", "null",
            "9223372036854775808", "-9223372036854775809",
        ]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            object(inner),
        ]
    })
}

/// Generates an object with known and unknown names.
fn object(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let known = vec![
        "title",
        "description",
        "severity",
        "service",
        "monitoring_tool",
        "hosts",
        "gitlab_environment_name",
        "acme_environment_name",
        "start_time",
        "end_time",
        "fingerprint",
        "labels",
        "annotations",
        "startsAt",
        "endsAt",
        "status",
        "alertname",
        "summary",
        "generatorURL",
        "instance",
    ];
    let name = prop_oneof![
        6 => prop::sample::select(known).prop_map(str::to_owned),
        1 => text(),
    ];
    prop::collection::vec((name, value), 0..8).prop_map(|members| {
        let members: Vec<String> = members
            .into_iter()
            .map(|(name, value)| format!("\"{name}\":{value}"))
            .collect();
        format!("{{{}}}", members.join(","))
    })
}

/// Generates a webhook with arbitrary items and members.
fn any_webhook() -> impl Strategy<Value = String> {
    let items = prop::collection::vec(object(value()), 0..4);
    (items, value(), value()).prop_map(|(items, group, truncated)| {
        let body = webhook(&Value::from("ITEMS")).to_string();
        body.replace("\"ITEMS\"", &format!("[{}]", items.join(",")))
            .replace("\"{}:{alertname=\\\"Up\\\"}\"", &group)
            .replace(
                "\"truncatedAlerts\":0",
                &format!("\"truncatedAlerts\":{truncated}"),
            )
    })
}

fn is_kept(text: &str, max: usize) -> bool {
    !text.contains('\0') && text.chars().count() <= max
}

fn check(delivery: &Delivery) -> Result<(), TestCaseError> {
    let sender = &delivery.context;
    for (text, max) in [(&sender.user_agent, 200), (&sender.group_key, 1000)] {
        prop_assert!(
            text.as_ref().is_none_or(|text| is_kept(text, max)),
            "{text:?}"
        );
    }
    for note in &sender.notes {
        prop_assert!(is_kept(note, 1000), "{note:?}");
    }
    prop_assert!(sender.notes.len() <= 100);
    prop_assert!(sender.truncated_alerts >= 0 && sender.skipped_alerts >= 0);
    for alert in &delivery.alerts {
        for (text, max) in [
            (&alert.title, MAX_TITLE),
            (&alert.description, MAX_DESCRIPTION),
            (&alert.service, MAX_SERVICE),
            (&alert.monitoring_tool, MAX_MONITORING_TOOL),
        ] {
            prop_assert!(is_kept(text, max), "{text:?}");
        }
        let environment = alert.environment_name.as_ref();
        prop_assert!(environment.is_none_or(|name| is_kept(name, MAX_ENVIRONMENT)));
        prop_assert!(is_kept(&alert.hosts.concat(), MAX_HOSTS));
        prop_assert!(
            alert.hosts.len() <= MAX_HOSTS,
            "{} hosts",
            alert.hosts.len()
        );
        prop_assert!(!alert.payload.contains('\0'));
        let payload: Value = serde_json::from_str(&alert.payload).unwrap();
        prop_assert!(has_no_nul(&payload), "{}", alert.payload);
    }
    Ok(())
}

fn has_no_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.contains('\0'),
        Value::Array(items) => items.iter().all(has_no_nul),
        Value::Object(members) => members
            .iter()
            .all(|(name, value)| !name.contains('\0') && has_no_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

proptest! {
    #[test]
    fn a_generic_body_keeps_the_contract(body in object(value())) {
        if let Ok(delivery) = receive(body.as_bytes(), Source::Generic) {
            check(&delivery)?;
        }
    }

    #[test]
    fn a_webhook_keeps_the_contract(body in any_webhook()) {
        for source in [Source::Metrics, Source::Generic] {
            if let Ok(delivery) = receive(body.as_bytes(), source) {
                check(&delivery)?;
            }
        }
    }

    #[test]
    fn any_bytes_keep_the_contract(
        body in prop::collection::vec(any::<u8>(), 0..200),
        agent in prop::option::of("[a\\x00é]{0,300}"),
        key in "[ -~\\x00]{0,300}",
    ) {
        let mut context = context();
context.user_agent = agent;
context.key = IdempotencyKey::parse(&key);
        for body in [&body[..], br#"{"title":"a"}"#] {
            if let Ok(delivery) = parse(body, Source::Generic, &context) {
                check(&delivery)?;
            }
        }
    }
}
