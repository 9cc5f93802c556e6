//! Regressions: bodies that an earlier version misread.

use alert_intake::model::Source;
use api_conventions::time::Timestamp;
use serde_json::json;

use crate::support::{generic, item, receive, webhook};

#[test]
fn a_leap_second_at_the_end_of_time_is_no_timestamp() {
    for text in [
        "9999-12-31T23:59:60Z",
        "9999-12-31T23:59:60.999999Z",
        "9999-12-31T22:59:60-01:00",
    ] {
        let alert = generic(&json!({"start_time": text, "end_time": text}).to_string());
        for timestamp in [alert.started_at, alert.resolved_at].into_iter().flatten() {
            assert!(
                timestamp <= Timestamp::MAX,
                "{text} is stored and never read again"
            );
        }
    }
}

#[test]
fn a_blank_environment_does_not_hide_the_one_that_is_named() {
    let alert =
        item(&json!({"labels": {"gitlab_environment_name": "", "service_environment_name": "p"}}));
    assert_eq!(alert.environment_name.as_deref(), Some("p"));
}

#[test]
fn the_version_may_be_written_with_escapes() {
    let body = webhook(&json!([]))
        .to_string()
        .replace("\"4\"", r#""\u0034""#);
    assert!(receive(body.as_bytes(), Source::Metrics).is_ok());
}

#[test]
fn the_order_of_its_names_does_not_decide_the_environment() {
    let names = ["service_environment_name", "gitlab_environment_name"];
    for [first, second] in [names, [names[1], names[0]]] {
        let body = format!("{{\"{first}\":\"{first}\",\"{second}\":\"{second}\"}}");
        let alert = generic(&body);
        assert_eq!(alert.environment_name.as_deref(), Some(names[0]));
    }
}

#[test]
fn alerts_that_are_no_list_are_noted() {
    for alerts in [json!({"labels": {}}), json!("x"), json!(null)] {
        let body = webhook(&alerts).to_string();
        let delivery = receive(body.as_bytes(), Source::Metrics).unwrap();
        assert_eq!(delivery.alerts.len(), 0);
        assert!(
            delivery
                .context
                .notes
                .iter()
                .any(|note| note.contains("not a list")),
            "{:?}",
            delivery.context.notes
        );
    }
}
