//! `PUT /api/v4/projects/:id/alert_management_alerts/:iid`: changes of the status by users.

use insta::assert_json_snapshot;
use serde_json::{Value, json};

use crate::snapshot::{is_timestamp, redacted, snapshot_of};
use crate::support::TestServer;

const MISSING: &str = "status, severity, assignee_id, assignee_ids are missing, at least one parameter must be provided";

/// Creates an open alert, and returns its path.
fn open_alert(server: &TestServer) -> String {
    let sent = json!({
        "title": "Fire", "fingerprint": "fire", "start_time": "2024-05-01T10:00:00Z",
    });
    let iid = server.raise(&sent)["iid"].clone();
    format!("{}/{iid}", server.alerts())
}

fn status(word: &str) -> Value {
    json!({ "status": word })
}

/// API-06.
#[test]
fn the_changed_alert_is_the_answer() {
    let server = TestServer::start();
    let path = open_alert(&server);
    let answer = server.developer().put(&path, &status("acknowledged"));
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
    {
      "body": {
        "assignee_id": null,
        "created_at": "[time]",
        "delivery_count": 1,
        "description": null,
        "ended_at": null,
        "environment_name": null,
        "event_count": 1,
        "flap_count": 0,
        "flapping": false,
        "hosts": [],
        "iid": 4,
        "monitoring_tool": null,
        "project_id": 1,
        "service": null,
        "severity": "critical",
        "stale_at": null,
        "started_at": "2024-05-01T10:00:00.000Z",
        "status": "acknowledged",
        "title": "Fire",
        "updated_at": "[time]",
        "web_url": "{base}/acme/web-shop/-/alert_management/4/details"
      },
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

#[test]
fn every_status_can_change_to_every_other() {
    let server = TestServer::start();
    let path = open_alert(&server);
    let dev = server.developer();
    let words = ["triggered", "acknowledged", "resolved", "ignored"];
    for from in words {
        for to in words {
            dev.put(&path, &status(from)).assert_ok();
            let changed = dev.put(&path, &status(to)).expect(200);
            assert_eq!(changed["status"], to, "from {from}");
            let stored = dev.get(&path).expect(200);
            for field in ["status", "ended_at", "updated_at"] {
                assert_eq!(stored[field], changed[field], "{field} from {from} to {to}");
            }
            let ended = &changed["ended_at"];
            assert_eq!(is_timestamp(ended), to == "resolved", "from {from} to {to}");
        }
    }
}

/// API-02.
#[test]
fn the_status_comes_in_the_query_a_form_or_json() {
    let server = TestServer::start();
    let path = open_alert(&server);
    let dev = server.developer();
    let by_query = dev.send("PUT", &format!("{path}?status=acknowledged"), b"");
    assert_eq!(by_query.expect(200)["status"], "acknowledged");
    let by_form = dev.put_form(&path, "status=ignored");
    assert_eq!(by_form.expect(200)["status"], "ignored");
    let by_json = dev.put(&path, &status("resolved"));
    assert_eq!(by_json.expect(200)["status"], "resolved");
    let body_wins = dev.put(&format!("{path}?status=ignored"), &status("triggered"));
    assert_eq!(body_wins.expect(200)["status"], "triggered");
}

/// API-11.
#[test]
fn a_change_of_nothing_names_the_attributes() {
    let server = TestServer::start();
    let path = open_alert(&server);
    let dev = server.developer();
    for missing in [
        dev.put(&path, &json!({})),
        dev.put(&path, &json!({ "status": null })),
        dev.send("PUT", &path, b""),
    ] {
        missing.assert_is(400, &json!({ "error": MISSING }));
    }
}

/// API-11. A name without a value sets nothing, and certainly not the first status.
#[test]
fn a_blank_status_is_missing_and_changes_nothing() {
    let server = TestServer::start();
    let path = open_alert(&server);
    let dev = server.developer();
    dev.put(&path, &status("acknowledged")).assert_ok();
    for blank in ["", "  "] {
        let form = format!("status={}", blank.replace(' ', "+"));
        let query = format!("{path}?{form}");
        for missing in [
            dev.put(&path, &status(blank)),
            dev.put_form(&path, &form),
            dev.send("PUT", &query, b""),
        ] {
            assert_eq!(missing.status, 400, "{blank:?}");
            assert!(missing.text().contains(MISSING), "{}", missing.text());
        }
    }
    let stored = dev.get(&path).expect(200);
    assert_eq!(stored["status"], "acknowledged");
}

#[test]
fn a_wrong_status_changes_nothing() {
    let server = TestServer::start();
    let path = open_alert(&server);
    let before = server.developer().get(&path).expect(200);
    for wrong in [json!("open"), json!("Resolved"), json!(["resolved"])] {
        let answer = server.developer().put(&path, &json!({ "status": wrong }));
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.text());
    }
    assert_eq!(server.developer().get(&path).expect(200), before);
}

/// ALRT-08. An identity has at most one open alert, so an old one stays closed while a new one is open.
#[test]
fn an_old_alert_is_not_opened_beside_a_new_one_of_the_same_identity() {
    let server = TestServer::start();
    let old = open_alert(&server);
    server
        .developer()
        .put(&old, &status("resolved"))
        .assert_ok();
    let again = json!({
        "title": "Fire", "fingerprint": "fire", "start_time": "2024-05-02T10:00:00Z",
    });
    let iid = server.raise(&again)["iid"].clone();
    let refused = server.developer().put(&old, &status("triggered"));
    let text = refused.expect(400)["message"].as_str().unwrap().to_owned();
    assert!(
        text.contains("already open") && text.contains(&format!("alert {iid}")),
        "{text}"
    );
    let stored = server.developer().get(&old).expect(200);
    assert_eq!(stored["status"], "resolved");
    let newer = format!("{}/{iid}", server.alerts());
    server
        .developer()
        .put(&newer, &status("resolved"))
        .assert_ok();
    server
        .developer()
        .put(&old, &status("triggered"))
        .assert_ok();
}

/// API-16.
#[test]
fn a_status_change_of_an_unknown_alert_returns_404() {
    let server = TestServer::start();
    let path = format!("{}/99", server.alerts());
    let answer = server.developer().put(&path, &status("resolved"));
    answer.assert_is(404, &json!({ "message": "404 Alert Not Found" }));
}
