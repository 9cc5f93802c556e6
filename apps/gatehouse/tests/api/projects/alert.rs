//! `/api/v4/projects/:id/alert_management_alerts/:iid`: a single alert.

use insta::assert_json_snapshot;
use serde_json::json;

use crate::snapshot::{is_timestamp, redacted, snapshot_of};
use crate::support::TestServer;

/// ALRT-13, API-17.
#[test]
fn a_developer_reads_one_alert_with_all_that_was_sent() {
    let server = TestServer::start();
    let sent = json!({
        "title": "Queue grows", "severity": "HIGH", "service": "mail", "hosts": ["a"],
        "start_time": "2024-05-01T10:00:00+02:00", "fingerprint": "queue",
        "runbook": "https://runbooks.example.com/q",
        "extra": { "depth": 3, "list": [1, { "x": null }] },
    });
    let iid = server.raise(&sent)["iid"].clone();
    let answer = server
        .developer()
        .get(&format!("{}/{iid}", server.alerts()));
    for field in ["created_at", "updated_at"] {
        assert!(is_timestamp(&answer.json()[field]), "{field}");
    }
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
    {
      "body": {
        "assignee_id": null,
        "created_at": "[time]",
        "delivery_count": 1,
        "description": null,
        "details": {
          "extra.depth": 3,
          "extra.list": [
            1,
            {
              "x": null
            }
          ],
          "fingerprint": "queue",
          "hosts": [
            "a"
          ],
          "runbook": "https://runbooks.example.com/q",
          "service": "mail",
          "severity": "HIGH",
          "start_time": "2024-05-01T10:00:00+02:00",
          "title": "Queue grows"
        },
        "ended_at": null,
        "environment_name": null,
        "event_count": 1,
        "first_payload": null,
        "flap_count": 0,
        "flapping": false,
        "generator_url": null,
        "hosts": [
          "a"
        ],
        "iid": 4,
        "incident_markdown": null,
        "metric_query": null,
        "monitoring_tool": null,
        "payload": {
          "extra": {
            "depth": 3,
            "list": [
              1,
              {
                "x": null
              }
            ]
          },
          "fingerprint": "queue",
          "hosts": [
            "a"
          ],
          "runbook": "https://runbooks.example.com/q",
          "service": "mail",
          "severity": "HIGH",
          "start_time": "2024-05-01T10:00:00+02:00",
          "title": "Queue grows"
        },
        "project_id": 1,
        "runbook": "https://runbooks.example.com/q",
        "service": "mail",
        "severity": "high",
        "stale_at": null,
        "started_at": "2024-05-01T08:00:00.000Z",
        "status": "triggered",
        "title": "Queue grows",
        "updated_at": "[time]",
        "web_url": "{base}/acme/web-shop/-/alert_management/4/details",
        "y_label": null
      },
      "headers": {
        "cache-control": "max-age=0, private, must-revalidate",
        "content-type": "application/json",
        "etag": "[etag]",
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

/// API-17. Numbers count within the project.
#[test]
fn numbers_start_at_one_in_every_project() {
    let server = TestServer::start();
    let created = server.create_project("tools/hammer", "private", "dev");
    let key = created["alerts"]["key"].as_str().unwrap();
    let sender = crate::support::TestCaller::bearer(server.base_url(), key);
    let url = created["alerts"]["generic_url"].as_str().unwrap();
    let path = url.split_once("/tools/").unwrap().1;
    let answer = sender.post(&format!("/tools/{path}"), &json!({ "title": "First here" }));
    answer.assert_is(200, &json!([{ "iid": 1, "title": "First here" }]));
    let dev = server.developer();
    let below = |number: &str| {
        let path = "/api/v4/projects/tools%2Fhammer/alert_management_alerts";
        dev.get(&format!("{path}/{number}"))
    };
    let id = below("1").expect(200)["id"].to_string();
    assert_ne!(id, "1", "others were there before");
    below(&id).assert_is(404, &json!({ "message": "404 Alert Not Found" }));
}

/// API-03, API-16.
#[test]
fn unknown_or_malformed_alert_iids_return_404() {
    let server = TestServer::start();
    for iid in ["0", "99", "-1", "x", "1.0", "99999999999999999999", "%00"] {
        let answer = server
            .developer()
            .get(&format!("{}/{iid}", server.alerts()));
        assert_eq!(answer.status, 404, "{iid}");
        assert_eq!(answer.json()["message"], "404 Alert Not Found", "{iid}");
    }
}

/// API-10, API-16, AUTH-11. Callers who may not read an alert do not learn whether it exists.
#[test]
fn callers_without_access_cannot_discover_alerts() {
    let server = TestServer::start();
    for iid in [1, 99] {
        let path = format!("{}/{iid}", server.alerts());
        let refused = json!({ "message": "403 Forbidden" });
        server.reporter().get(&path).assert_is(403, &refused);
        let unknown = json!({ "message": "401 Unauthorized" });
        server.anonymous().get(&path).assert_is(401, &unknown);
    }
}
