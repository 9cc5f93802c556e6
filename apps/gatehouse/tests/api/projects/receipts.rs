//! `/api/v4/projects/:id/alert_receipts`: received deliveries, and their outcomes.

use insta::assert_json_snapshot;
use serde_json::{Value, json};

use crate::intake::{item, webhook};
use crate::snapshot::{redacted, snapshot_of};
use crate::support::TestServer;
use crate::support::pages::column;

#[test]
fn each_post_leaves_a_receipt() {
    let server = TestServer::start();
    let sender = server.sender().with("User-Agent", "probe/1.0");
    let body = br#"{"title":"Fire","fingerprint":"f","end_time":"soon"}"#;
    sender.post_bytes(&server.generic(), body).assert_ok();
    let path = server.below_project("/alert_receipts?per_page=1");
    let answer = server.developer().get(&path);
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
    {
      "body": [
        {
          "alerts": 1,
          "bytes": 52,
          "counted": 0,
          "created": 1,
          "group_key": null,
          "id": 5,
          "integration_id": 1,
          "notes": [
            "end_time is not a readable timestamp and was ignored"
          ],
          "project_id": 1,
          "received_at": "[time]",
          "refusal": null,
          "repeated": 0,
          "resolved": 0,
          "skipped_alerts": 0,
          "truncated_alerts": 0,
          "user_agent": "probe/1.0"
        }
      ],
      "headers": {
        "cache-control": "max-age=0, private, must-revalidate",
        "content-type": "application/json",
        "etag": "[etag]",
        "link": "<{base}/api/v4/projects/1/alert_receipts?page=2&per_page=1>; rel=\"next\", <{base}/api/v4/projects/1/alert_receipts?page=1&per_page=1>; rel=\"first\", <{base}/api/v4/projects/1/alert_receipts?page=5&per_page=1>; rel=\"last\"",
        "vary": "Origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "x-next-page": "2",
        "x-page": "1",
        "x-per-page": "1",
        "x-prev-page": "",
        "x-request-id": "[x-request-id]",
        "x-runtime": "[x-runtime]",
        "x-total": "5",
        "x-total-pages": "5"
      },
      "status": 200
    }
    "#);
}

fn latest(server: &TestServer) -> Value {
    let path = server.below_project("/alert_receipts?per_page=1");
    server.developer().get(&path).list()[0].clone()
}

#[test]
fn the_counts_of_a_receipt_add_up_to_its_alerts_and_repeats_say_why() {
    let server = TestServer::start();
    let at = |hour: u8| format!("2024-05-01T{hour:02}:00:00Z");
    let fire = |start: u8, end: Option<u8>| {
        let mut item = item("Fire");
        item["startsAt"] = json!(at(start));
        if let Some(end) = end {
            item["endsAt"] = json!(at(end));
        }
        item
    };
    for (sent, outcome, why) in [
        (fire(10, None), "created", None),
        (fire(10, None), "repeated", Some("the same start time")),
        (fire(11, None), "counted", None),
        (fire(10, None), "repeated", Some("a later start time")),
        (fire(9, Some(10)), "repeated", Some("an earlier occurrence")),
        (fire(11, Some(12)), "resolved", None),
        (
            fire(11, None),
            "repeated",
            Some("this start time is already resolved"),
        ),
        (
            fire(11, Some(12)),
            "repeated",
            Some("the alert is already resolved"),
        ),
    ] {
        let body = webhook(std::slice::from_ref(&sent));
        server.sender().post(&server.metrics(), &body).assert_ok();
        let receipt = latest(&server);
        for count in ["created", "counted", "resolved", "repeated"] {
            let expected = i64::from(count == outcome);
            assert_eq!(receipt[count], expected, "{count} after {sent}");
        }
        assert_eq!(receipt["alerts"], 1);
        let notes = receipt["notes"].as_array().unwrap();
        match why {
            Some(why) => assert!(notes[0].as_str().unwrap().contains(why), "{notes:?}"),
            None => assert_eq!(notes.len(), 0, "{notes:?}"),
        }
    }
}

#[test]
fn receipts_are_listed_newest_first_page_by_page() {
    let server = TestServer::start();
    for number in 0..10 {
        server.raise(&json!({ "title": format!("Alert {number}") }));
    }
    let path = server.below_project("/alert_receipts?per_page=4");
    let ids = column(&server.developer(), &path, "id");
    let expected: Vec<String> = (1..=14).rev().map(|id| id.to_string()).collect();
    assert_eq!(ids, expected);
}
