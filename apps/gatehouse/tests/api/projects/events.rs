//! `/api/v4/projects/:id/events`: contents, by the reader's rights.

use insta::assert_json_snapshot;
use serde_json::json;

use crate::snapshot::{is_timestamp, redacted, snapshot_of};
use crate::support::TestServer;
use crate::support::pages::{column, rows};

/// EVT-03, EVT-05.
#[test]
fn a_developer_reads_project_events() {
    let server = TestServer::start();
    let path = server.below_project("/events?per_page=1");
    let answer = server.developer().get(&path);
    assert!(is_timestamp(&answer.list()[0]["created_at"]));
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
    {
      "body": [
        {
          "action_name": "closed",
          "author": {
            "avatar_url": "{base}/assets/avatars/1-AB.svg",
            "id": 4,
            "name": "Alert bot",
            "state": "active",
            "username": "alert-bot",
            "web_url": "{base}/alert-bot"
          },
          "author_id": 4,
          "author_username": "alert-bot",
          "created_at": "[time]",
          "data": null,
          "id": 8,
          "project_id": 1,
          "target_id": 3,
          "target_iid": 3,
          "target_title": "Nightly backup late",
          "target_type": "Alert",
          "title": null
        }
      ],
      "headers": {
        "cache-control": "max-age=0, private, must-revalidate",
        "content-type": "application/json",
        "etag": "[etag]",
        "link": "<{base}/api/v4/projects/1/events?page=2&per_page=1>; rel=\"next\", <{base}/api/v4/projects/1/events?page=1&per_page=1>; rel=\"first\", <{base}/api/v4/projects/1/events?page=8&per_page=1>; rel=\"last\"",
        "vary": "Origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "x-next-page": "2",
        "x-page": "1",
        "x-per-page": "1",
        "x-prev-page": "",
        "x-request-id": "[x-request-id]",
        "x-runtime": "[x-runtime]",
        "x-total": "8",
        "x-total-pages": "8"
      },
      "status": 200
    }
    "#);
}

/// EVT-05, EVT-08.
#[test]
fn making_a_project_is_reported_without_a_target() {
    let server = TestServer::start();
    let path = server.below_project("/events?sort=asc&per_page=1");
    let answer = server.reporter().get(&path);
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer)["body"], @r#"
    [
      {
        "action_name": "created",
        "author": {
          "avatar_url": "{base}/assets/avatars/5-AR.svg",
          "id": 1,
          "name": "Ada Root",
          "state": "active",
          "username": "root",
          "web_url": "{base}/root"
        },
        "author_id": 1,
        "author_username": "root",
        "created_at": "[time]",
        "data": null,
        "id": 1,
        "project_id": 1,
        "target_id": null,
        "target_iid": null,
        "target_title": null,
        "target_type": null,
        "title": null
      }
    ]
    "#);
}

/// EVT-03, EVT-05. The feed shows when an alert opens and when it is resolved, in the words of the API.
#[test]
fn the_life_of_an_alert_is_reported() {
    let server = TestServer::start();
    let firing =
        json!({ "title": "Fire", "fingerprint": "f", "start_time": "2024-05-01T10:00:00Z" });
    let over = json!({
        "title": "Fire", "fingerprint": "f", "start_time": "2024-05-01T10:00:00Z",
        "end_time": "2024-05-01T11:00:00Z",
    });
    let iid = server.raise(&firing)["iid"].clone();
    server.raise(&firing);
    server.raise(&over);
    let path = format!("{}/{iid}", server.alerts());
    let open_again = json!({ "status": "triggered" });
    server.developer().put(&path, &open_again).assert_ok();
    let rows = rows(&server.developer(), &server.below_project("/events"));
    let response: Vec<[String; 3]> = rows
        .iter()
        .filter(|row| row["target_title"] == "Fire")
        .map(|row| {
            ["action_name", "target_type", "author_username"]
                .map(|field| row[field].as_str().unwrap().to_owned())
        })
        .collect();
    assert_eq!(
        response,
        [
            ["opened", "Alert", "dev"],
            ["closed", "Alert", "alert-bot"],
            ["opened", "Alert", "alert-bot"],
        ]
    );
}

/// EVT-03. Rights are applied before the limit: hidden entries take no room on a page.
#[test]
fn pages_are_filled_with_visible_events_only() {
    let server = TestServer::start();
    for number in 0..30 {
        server.raise(&json!({ "title": format!("Alert {number}") }));
    }
    let path = server.below_project("/events");
    let answer = server.reporter().get(&format!("{path}?per_page=1"));
    assert_eq!(answer.list().len(), 1);
    assert_eq!(answer.list()[0]["target_type"], "Error");
    // Three errors, and the creation of the project.
    assert_eq!(answer.header("x-total"), Some("4"));
    assert_eq!(answer.header("x-next-page"), Some("2"));
    let developer = server.developer().get(&path);
    assert_eq!(developer.header("x-total"), Some("38"));
}

/// EVT-03, API-16, AUTH-10.
#[test]
fn the_feed_of_a_public_project_is_for_everybody() {
    let server = TestServer::start();
    let created = server.create_project("open/tools", "public", "dev");
    let sender = crate::support::TestCaller::bearer(
        server.base_url(),
        created["alerts"]["key"].as_str().unwrap(),
    );
    let alert = json!({ "title": "Inside" });
    sender
        .post("/open/tools/alerts/notify.json", &alert)
        .assert_ok();
    let public = format!("/api/v4/projects/{}/events", created["id"]);
    assert_eq!(
        column(&server.anonymous(), &public, "action_name"),
        ["created"]
    );
    assert_eq!(
        column(&server.developer(), &public, "target_title"),
        ["Inside", "null"]
    );
}

/// EVT-03, API-03.
#[test]
fn a_feed_is_found_by_encoded_path() {
    let server = TestServer::start();
    let by_path = server
        .developer()
        .get("/api/v4/projects/acme%2Fweb-shop/events");
    let by_id = server.developer().get(&server.below_project("/events"));
    assert_eq!(by_path.expect(200), by_id.expect(200));
}
