//! `/api/v4/projects/:id/alert_management_alerts`: the list.

use insta::assert_json_snapshot;
use serde_json::json;

use crate::snapshot::{redacted, snapshot_of};
use crate::support::TestServer;
use crate::support::pages::column;

#[test]
#[expect(clippy::too_many_lines, reason = "an alert has as many fields")]
fn a_developer_lists_the_alerts_newest_first() {
    let server = TestServer::start();
    let answer = server.developer().get(&server.alerts());
    let _redacted = redacted();
    let mut seen = snapshot_of(&server, &answer);
    // These alerts started when the demo did.
    for row in [1, 2] {
        seen["body"][row]["started_at"] = json!("[time]");
    }
    assert_json_snapshot!(seen, @r#"
    {
      "body": [
        {
          "assignee_id": null,
          "created_at": "[time]",
          "delivery_count": 1,
          "description": null,
          "ended_at": "2024-05-01T03:10:00.000Z",
          "environment_name": null,
          "event_count": 1,
          "flap_count": 0,
          "flapping": false,
          "hosts": [],
          "iid": 3,
          "monitoring_tool": null,
          "project_id": 1,
          "service": "backup",
          "severity": "low",
          "stale_at": null,
          "started_at": "2024-05-01T02:00:00.000Z",
          "status": "resolved",
          "title": "Nightly backup late",
          "updated_at": "[time]",
          "web_url": "{base}/acme/web-shop/-/alert_management/3/details"
        },
        {
          "assignee_id": null,
          "created_at": "[time]",
          "delivery_count": 1,
          "description": null,
          "ended_at": null,
          "environment_name": null,
          "event_count": 1,
          "flap_count": 0,
          "flapping": false,
          "hosts": [
            "search-1"
          ],
          "iid": 2,
          "monitoring_tool": null,
          "project_id": 1,
          "service": "search",
          "severity": "medium",
          "stale_at": null,
          "started_at": "[time]",
          "status": "triggered",
          "title": "Disk almost full",
          "updated_at": "[time]",
          "web_url": "{base}/acme/web-shop/-/alert_management/2/details"
        },
        {
          "assignee_id": null,
          "created_at": "[time]",
          "delivery_count": 2,
          "description": null,
          "ended_at": null,
          "environment_name": null,
          "event_count": 2,
          "flap_count": 0,
          "flapping": false,
          "hosts": [
            "web-1",
            "web-2",
            "web-3"
          ],
          "iid": 1,
          "monitoring_tool": "Probe",
          "project_id": 1,
          "service": "checkout",
          "severity": "high",
          "stale_at": null,
          "started_at": "[time]",
          "status": "triggered",
          "title": "Checkout answers slowly",
          "updated_at": "[time]",
          "web_url": "{base}/acme/web-shop/-/alert_management/1/details"
        }
      ],
      "headers": {
        "cache-control": "max-age=0, private, must-revalidate",
        "content-type": "application/json",
        "etag": "[etag]",
        "link": "<{base}/api/v4/projects/1/alert_management_alerts?page=1&per_page=20>; rel=\"first\", <{base}/api/v4/projects/1/alert_management_alerts?page=1&per_page=20>; rel=\"last\"",
        "vary": "Origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "x-next-page": "",
        "x-page": "1",
        "x-per-page": "20",
        "x-prev-page": "",
        "x-request-id": "[x-request-id]",
        "x-runtime": "[x-runtime]",
        "x-total": "3",
        "x-total-pages": "1"
      },
      "status": 200
    }
    "#);
}

/// A server with alerts of every severity and of every status, next to those of the demo.
fn server_with_alerts() -> TestServer {
    let server = TestServer::start();
    for (number, severity) in ["critical", "high", "medium", "low", "info", "unknown"]
        .iter()
        .enumerate()
    {
        let hour = 10 + number;
        server.raise(&json!({
            "title": format!("Alert of {severity}"), "severity": severity, "service": "rows",
            "start_time": format!("2023-05-01T{hour}:00:00Z"),
        }));
    }
    for (iid, status) in [(4, "acknowledged"), (5, "ignored"), (6, "resolved")] {
        let path = format!("{}/{iid}", server.alerts());
        server
            .developer()
            .put(&path, &json!({ "status": status }))
            .assert_ok();
    }
    server
}

#[test]
fn filters_take_one_word_or_several() {
    let server = server_with_alerts();
    let dev = server.developer();
    let iids = |query: &str| {
        let path = format!("{}?sort=asc&{query}", server.alerts());
        column(&dev, &path, "iid").join(",")
    };
    let cases = [
        ("", "1,2,3,4,5,6,7,8,9"),
        ("status=acknowledged", "4"),
        ("status=ignored", "5"),
        ("status=resolved", "3,6"),
        ("status=triggered", "1,2,7,8,9"),
        ("status[]=acknowledged&status[]=ignored", "4,5"),
        ("status=acknowledged,ignored", "4,5"),
        ("severity=low", "3,7"),
        ("severity[]=info&severity[]=unknown", "8,9"),
        ("severity=high&status=triggered", "1"),
        ("severity=critical&status=triggered", ""),
    ];
    for (query, expected) in cases {
        assert_eq!(iids(query), expected, "{query}");
    }
}

#[test]
fn orders_rise_from_harmless_to_bad_and_from_old_to_new() {
    let server = server_with_alerts();
    let dev = server.developer();
    let order = |query: &str| {
        let path = format!("{}?search=Alert+of&{query}", server.alerts());
        column(&dev, &path, "iid").concat()
    };
    let cases = [
        ("", "987654"),
        ("order_by=created_at&sort=asc", "456789"),
        ("order_by=started_at", "987654"),
        ("order_by=started_at&sort=asc", "456789"),
        ("order_by=severity", "456789"),
        ("order_by=severity&sort=asc", "987654"),
        ("order_by=updated_at", "654987"),
    ];
    for (query, expected) in cases {
        assert_eq!(order(query), expected, "{query}");
    }
    let counted = format!("{}?order_by=event_count", server.alerts());
    assert_eq!(column(&dev, &counted, "iid")[0], "1");
}

#[test]
fn search_finds_parts_of_words_in_any_case_and_takes_wildcards_for_themselves() {
    let server = TestServer::start();
    server.raise(&json!({ "title": "100% full", "description": "Änderung an der Wand" }));
    server.raise(&json!({ "title": "a_b", "service": "Ledger", "monitoring_tool": "Watcher" }));
    let dev = server.developer();
    let titles = |search: &str| {
        let path = format!("{}?search={search}", server.alerts());
        column(&dev, &path, "title").join("|")
    };
    let cases = [
        ("0%25", "100% full"),
        ("%25", "100% full"),
        ("_", "a_b"),
        ("%C3%A4NDERUNG", "100% full"),
        ("ledg", "a_b"),
        ("wATCH", "a_b"),
        ("CHECKOUT", "Checkout answers slowly"),
        ("nothing+like+it", ""),
        ("%27%3B--", ""),
    ];
    for (search, expected) in cases {
        assert_eq!(titles(search), expected, "{search}");
    }
}

#[test]
fn wrong_filters_are_reported_together() {
    let server = TestServer::start();
    let query = "status=lost&severity[]=low&severity[]=worst&order_by=title&sort=1";
    let answer = server
        .developer()
        .get(&format!("{}?{query}", server.alerts()));
    let problems = [
        "status does not have a valid value",
        "severity does not have a valid value",
        "order_by does not have a valid value",
        "sort does not have a valid value",
    ];
    answer.assert_is(400, &json!({ "error": problems.join(", ") }));
}

#[test]
fn the_alerts_of_one_project_are_not_those_of_another() {
    let server = TestServer::start();
    let created = server.create_project("tools/hammer", "private", "dev");
    let path = format!("/api/v4/projects/{}/alert_management_alerts", created["id"]);
    server.developer().get(&path).assert_is(200, &json!([]));
    let one = server.developer().get(&format!("{path}/1"));
    one.assert_is(404, &json!({ "message": "404 Alert Not Found" }));
}
