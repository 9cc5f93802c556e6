//! The generic endpoint: mapping of each field.

use insta::assert_json_snapshot;
use serde_json::{Value, json};

use super::receipt;
use crate::snapshot::{is_timestamp, redacted, snapshot_of};
use crate::support::TestServer;

/// ALRT-05.
#[test]
fn the_answer_names_the_alert() {
    let server = TestServer::start();
    let body = json!({ "title": "Disk full", "severity": "high" });
    let answer = server.sender().post(&server.generic(), &body);
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
    {
      "body": [
        {
          "iid": 4,
          "title": "Disk full"
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

/// ALRT-02.
#[test]
fn every_payload_field_is_stored() {
    let server = TestServer::start();
    let alert = server.raise(&json!({
        "title": "Disk full", "description": "Nothing fits", "severity": "low",
        "service": "search", "monitoring_tool": "Probe", "hosts": ["a", "b"],
        "start_time": "2024-05-01T12:00:00+02:00", "fingerprint": "disk-1",
        "service_environment_name": "production", "runbook": "https://runbooks.example.com/1",
        "extra": { "nested": { "deep": [1, 2] } },
    }));
    let expected = json!({
        "title": "Disk full", "description": "Nothing fits", "severity": "low",
        "service": "search", "monitoring_tool": "Probe", "hosts": ["a", "b"],
        "started_at": "2024-05-01T10:00:00.000Z", "ended_at": null, "status": "triggered",
        "environment_name": "production", "runbook": "https://runbooks.example.com/1",
        "event_count": 1, "delivery_count": 1,
    });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&alert[field], value, "{field}");
    }
    assert_eq!(alert["details"]["extra.nested.deep"], json!([1, 2]));
    assert_eq!(
        alert["payload"]["extra"],
        json!({ "nested": { "deep": [1, 2] } })
    );
}

/// ALRT-02.
#[test]
fn missing_or_invalid_fields_get_defaults() {
    let server = TestServer::start();
    for body in [
        json!({}),
        json!({ "title": null, "severity": null, "start_time": null, "hosts": null }),
        json!({ "title": "  ", "severity": "", "start_time": "", "hosts": [] }),
        json!({ "title": false, "severity": "worst", "start_time": "soon", "hosts": {} }),
    ] {
        let alert = server.raise(&body);
        assert_eq!(alert["title"], "New: Alert", "{body}");
        assert_eq!(alert["severity"], "critical", "{body}");
        assert_eq!(alert["hosts"], json!([]), "{body}");
        assert_eq!(alert["started_at"], alert["created_at"], "{body}");
        for field in [
            "description",
            "service",
            "monitoring_tool",
            "environment_name",
            "ended_at",
        ] {
            assert_eq!(alert[field], Value::Null, "{field} of {body}");
        }
    }
}

/// ALRT-02.
#[test]
fn severities_are_words_in_any_case() {
    let server = TestServer::start();
    let cases = [
        ("critical", "critical"),
        ("HIGH", "high"),
        ("Medium", "medium"),
        ("lOW", "low"),
        ("info", "info"),
        ("Unknown", "unknown"),
        ("s2", "critical"),
        ("warning", "critical"),
    ];
    for (sent, expected) in cases {
        let alert = server.raise(&json!({ "title": sent, "severity": sent }));
        assert_eq!(alert["severity"], expected, "{sent}");
    }
}

/// ALRT-02.
#[test]
fn hosts_are_one_or_many() {
    let server = TestServer::start();
    let cases = [
        (json!("web-1"), json!(["web-1"])),
        (json!("web-1,web-2"), json!(["web-1,web-2"])),
        (
            json!(["web-1", ["web-2", 3]]),
            json!(["web-1", "web-2", "3"]),
        ),
        (json!(7), json!(["7"])),
        (
            json!(["h".repeat(250), "abcdefgh", "x"]),
            json!(["h".repeat(250), "abcde"]),
        ),
    ];
    for (number, (sent, expected)) in cases.into_iter().enumerate() {
        let alert = server.raise(&json!({ "title": format!("Alert {number}"), "hosts": sent }));
        assert_eq!(alert["hosts"], expected, "{sent}");
    }
}

/// ALRT-02. Texts are cut by characters, not bytes, and marked as cut.
#[test]
fn long_texts_are_cut_and_never_refused() {
    let server = TestServer::start();
    for (field, most) in [
        ("title", 200),
        ("description", 1000),
        ("service", 100),
        ("monitoring_tool", 100),
    ] {
        for letter in ["a", "ä", "🔥"] {
            let whole = server.raise(&json!({ field: letter.repeat(most) }));
            assert_eq!(whole[field], letter.repeat(most), "{field}");
            let cut = server.raise(&json!({ field: letter.repeat(most + 1) }));
            let expected = format!("{}...", letter.repeat(most - 3));
            assert_eq!(cut[field], expected, "{field}");
        }
    }
}

/// ALRT-02, ALRT-12. The configured key and the keys of existing senders are the same field.
#[test]
fn the_environment_has_the_names_that_senders_know() {
    let server = TestServer::start_configured("[naming]\nservice = \"acme\"\n");
    for name in ["service", "gitlab", "acme"] {
        let field = format!("{name}_environment_name");
        let alert = server.raise(&json!({ "title": name, field: "staging" }));
        assert_eq!(alert["environment_name"], "staging", "{name}");
    }
    let other = server.raise(&json!({ "title": "x", "other_environment_name": "staging" }));
    assert_eq!(other["environment_name"], Value::Null);
}

/// ALRT-03.
#[test]
fn an_end_time_resolves() {
    let server = TestServer::start();
    let sent = json!({ "title": "Fire", "fingerprint": "f", "start_time": "2024-05-01T10:00:00Z" });
    let open = server.raise(&sent);
    assert_eq!(
        (&open["status"], &open["ended_at"]),
        (&json!("triggered"), &Value::Null)
    );
    let over = server.raise(&json!({
        "title": "Fire", "fingerprint": "f", "start_time": "2024-05-01T10:00:00Z",
        "end_time": "2024-05-01T11:30:00Z",
    }));
    assert_eq!(over["iid"], open["iid"]);
    assert_eq!(over["status"], "resolved");
    assert_eq!(over["ended_at"], "2024-05-01T11:30:00.000Z");
}

/// ALRT-03.
#[test]
fn the_same_payload_with_its_end_resolves_without_a_fingerprint() {
    let server = TestServer::start();
    let mut payload = json!({ "title": "Fire", "start_time": "2024-05-01T10:00:00Z", "rack": 7 });
    let open = server.raise(&payload);
    payload["end_time"] = json!("2024-05-01T11:30:00Z");
    let over = server.raise(&payload);
    assert_eq!(
        (&over["iid"], &over["status"]),
        (&open["iid"], &json!("resolved"))
    );
}

/// ALRT-02. An invalid time is noted on the receipt, so that the sender's mistake can be found.
#[test]
fn absurd_timestamps_count_as_absent_and_are_noted() {
    let server = TestServer::start();
    for absurd in [
        "yesterday",
        "17092884",
        "99999-01-01T00:00:00Z",
        "2024-02-30T00:00:00Z",
    ] {
        let alert =
            server.raise(&json!({ "title": absurd, "start_time": absurd, "end_time": absurd }));
        assert_eq!(alert["status"], "triggered", "{absurd}");
        assert_eq!(alert["started_at"], alert["created_at"], "{absurd}");
        let notes = receipt(&server)["notes"].to_string();
        assert!(
            notes.contains("start_time") && notes.contains("end_time"),
            "{notes}"
        );
    }
    let never = server.raise(&json!({ "title": "Never", "end_time": "0001-01-01T00:00:00Z" }));
    assert_eq!(never["status"], "triggered");
    assert_eq!(receipt(&server)["notes"], json!([]));
}

#[test]
fn timestamps_are_read_in_every_usual_form() {
    let server = TestServer::start();
    for form in [
        "2024-05-01T10:00:00Z",
        "2024-05-01T10:00:00.000000000Z",
        "2024-05-01T12:00:00+02:00",
        "2024-05-01 10:00:00 UTC",
        "2024-05-01 10:00:00",
        "20240501T100000Z",
        "1714557600",
        "Wed, 01 May 2024 10:00:00 GMT",
    ] {
        let alert = server.raise(&json!({ "title": form, "start_time": form }));
        assert_eq!(alert["started_at"], "2024-05-01T10:00:00.000Z", "{form}");
        assert!(is_timestamp(&alert["started_at"]));
    }
}

/// ALRT-13. A link with another scheme would be run by anyone who clicks it.
#[test]
fn a_runbook_is_a_web_link_or_nothing() {
    let server = TestServer::start();
    for (sent, expected) in [
        ("http://a.example.com/x", json!("http://a.example.com/x")),
        ("javascript:alert(1)", Value::Null),
        ("not a link", Value::Null),
    ] {
        let alert = server.raise(&json!({ "title": sent, "runbook": sent }));
        assert_eq!(alert["runbook"], expected, "{sent}");
    }
}

/// ALRT-04. A body in Alertmanager's format is also recognized at this endpoint.
#[test]
fn a_webhook_of_alertmanager_is_known_at_the_generic_endpoint() {
    let server = TestServer::start();
    let body = super::webhook(&[super::item("One"), super::item("Two")]);
    let answer = server.sender().post(&server.generic(), &body);
    let expected = json!([{ "iid": 4, "title": "One" }, { "iid": 5, "title": "Two" }]);
    answer.assert_is(200, &expected);
}

#[test]
fn both_forms_of_the_path_and_a_slash_at_its_end_are_the_same_endpoint() {
    let server = TestServer::start();
    for (number, path) in [
        "/acme/web-shop/alerts/notify.json",
        "/acme/web-shop/alerts/notify",
        "/acme/web-shop/alerts/notify.json/",
        "/ACME/Web-Shop/alerts/notify.json",
        "/acme%2Fweb-shop/alerts/notify.json",
    ]
    .iter()
    .enumerate()
    {
        let body = json!({ "title": format!("Alert {number}") });
        let answer = server.sender().post(path, &body);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    }
}
