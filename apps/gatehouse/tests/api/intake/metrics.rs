//! The metrics endpoint: mapping of each field of an item.

use insta::assert_json_snapshot;
use serde_json::{Value, json};

use super::{item, raise_metrics, webhook};
use crate::snapshot::{redacted, snapshot_of};
use crate::support::TestServer;

/// ALRT-04, ALRT-05.
#[test]
fn the_answer_names_one_alert_for_each_item() {
    let server = TestServer::start();
    let body = webhook(&[item("HighLatency"), item("DiskFull")]);
    let answer = server.sender().post(&server.metrics(), &body);
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
    {
      "body": [
        {
          "iid": 4,
          "title": "HighLatency"
        },
        {
          "iid": 5,
          "title": "DiskFull"
        }
      ],
      "headers": {
        "content-type": "application/json",
        "vary": "Origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "x-request-id": "[x-request-id]",
        "x-runtime": "[x-runtime]"
      },
      "status": 200
    }
    "#);
}

/// ALRT-04, ALRT-13.
#[test]
fn every_payload_field_is_stored() {
    let server = TestServer::start();
    let sent = json!({
        "status": "firing",
        "labels": { "alertname": "Up", "severity": "page", "service_environment_name": "production" },
        "annotations": {
            "title": "Instance down", "description": "Nobody answers",
            "runbook": "https://runbooks.example.com/up", "service_y_label": "instances",
            "service_incident_markdown": "**call**", "owner": { "team": "core" },
        },
        "startsAt": "2024-05-01T12:00:00.987654321+02:00", "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prom.example.com/graph?g0.expr=up%20%3D%3D%200&g0.tab=1",
        "fingerprint": "0123456789abcdef",
    });
    let alert = raise_metrics(&server, &[sent])[0].clone();
    let expected = json!({
        "title": "Instance down", "description": "Nobody answers", "severity": "high",
        "monitoring_tool": "Prometheus", "service": null, "hosts": [],
        "started_at": "2024-05-01T10:00:00.987Z", "ended_at": null, "status": "triggered",
        "environment_name": "production", "runbook": "https://runbooks.example.com/up",
        "y_label": "instances", "metric_query": "up == 0", "incident_markdown": "**call**",
    });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&alert[field], value, "{field}");
    }
    assert_eq!(alert["details"]["annotations.owner.team"], "core");
    assert_eq!(alert["details"]["labels.alertname"], "Up");
}

/// ALRT-04.
#[test]
fn the_title_is_the_first_of_title_summary_and_alertname() {
    let server = TestServer::start();
    let titled = |annotations: Value, label: &str| {
        let mut item = item(label);
        item["annotations"] = annotations;
        raise_metrics(&server, &[item])[0].clone()
    };
    let all = titled(json!({ "title": "T", "summary": "S" }), "one");
    assert_eq!((&all["title"], &all["y_label"]), (&json!("T"), &json!("T")));
    let two = titled(json!({ "title": " ", "summary": "S" }), "two");
    assert_eq!(two["title"], "S");
    let one = titled(json!({ "title": null }), "three");
    assert_eq!(
        (&one["title"], &one["y_label"]),
        (&json!("three"), &json!("three"))
    );
    let blank = titled(json!({ "title": "", "summary": "S" }), "four");
    assert_eq!(
        (&blank["title"], &blank["y_label"]),
        (&json!("S"), &json!("S"))
    );
}

/// ALRT-04.
#[test]
fn severities_are_those_of_the_table() {
    let server = TestServer::start();
    let table = [
        ("critical", "critical S1 p1 emergency Fatal minor whatever"),
        ("high", "HIGH s2 p2 major page"),
        ("medium", "medium s3 P3 error alert"),
        ("low", "low s4 p4 warn WARNING"),
        ("info", "info s5 p5 debug information notice"),
    ];
    for (expected, words) in table {
        let items: Vec<Value> = words
            .split(' ')
            .map(|word| {
                let mut item = item(word);
                item["labels"]["severity"] = json!(word);
                item
            })
            .collect();
        for alert in raise_metrics(&server, &items) {
            assert_eq!(alert["severity"], expected, "{}", alert["title"]);
        }
    }
    assert_eq!(
        raise_metrics(&server, &[item("none")])[0]["severity"],
        "critical"
    );
}

/// ALRT-04.
#[test]
fn brand_names_that_senders_use_are_known() {
    let server = TestServer::start_configured("[naming]\nservice = \"acme\"\n");
    for brand in ["service", "gitlab", "acme"] {
        let mut item = item(brand);
        item["labels"][format!("{brand}_environment_name")] = json!("staging");
        item["annotations"][format!("{brand}_y_label")] = json!("axis");
        item["annotations"][format!("{brand}_incident_markdown")] = json!("text");
        let alert = raise_metrics(&server, &[item])[0].clone();
        for (field, value) in [
            ("environment_name", "staging"),
            ("y_label", "axis"),
            ("incident_markdown", "text"),
        ] {
            assert_eq!(alert[field], value, "{field} of {brand}");
        }
    }
}

/// ALRT-04.
#[test]
fn an_item_is_resolved_by_its_status_or_a_past_end() {
    let server = TestServer::start();
    let sent = |name: &str, status: Value, ends_at: Value| {
        let mut item = item(name);
        item["status"] = status;
        item["endsAt"] = ends_at;
        raise_metrics(&server, &[item])[0].clone()
    };
    let end = "2024-05-01T11:00:00Z";
    let shown_end = json!("2024-05-01T11:00:00.000Z");
    for (name, status, ends_at) in [
        ("both", json!("resolved"), json!(end)),
        ("shouted", json!("RESOLVED"), json!(end)),
        ("ended only", json!("firing"), json!(end)),
        ("no status", Value::Null, json!(end)),
    ] {
        let alert = sent(name, status, ends_at);
        assert_eq!(
            (&alert["status"], &alert["ended_at"]),
            (&json!("resolved"), &shown_end),
            "{name}"
        );
    }
    let said = sent("said only", json!("resolved"), Value::Null);
    assert_eq!(
        (&said["status"], &said["ended_at"]),
        (&json!("resolved"), &said["created_at"])
    );
    for (name, ends_at) in [
        ("zero", json!("0001-01-01T00:00:00Z")),
        ("null", Value::Null),
        ("future", json!("2999-01-01T00:00:00Z")),
        ("absurd", json!("later")),
    ] {
        let alert = sent(name, json!("firing"), ends_at);
        assert_eq!(
            (&alert["status"], &alert["ended_at"]),
            (&json!("triggered"), &Value::Null),
            "{name}"
        );
    }
}

/// ALRT-04. The status of the whole body is ignored for its items.
#[test]
fn the_status_of_the_body_does_not_count() {
    let server = TestServer::start();
    let mut body = webhook(&[item("Firing")]);
    body["status"] = json!("resolved");
    let answer = server.sender().post(&server.metrics(), &body).expect(200);
    assert_eq!(server.alert(&answer[0]["iid"])["status"], "triggered");
}
