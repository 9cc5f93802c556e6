//! `/api/v4/projects/:id/error_tracking/errors` (`ERR-04`).

use serde_json::{Value, json};

use super::{below, error, event, path_of, report};
use crate::support::TestServer;
use crate::support::pages::column;

#[test]
fn errors_are_grouped_by_frames_and_counted() {
    let server = TestServer::start();
    let tracker = server.tracker();
    for (number, user) in [(1, "a"), (2, "b"), (3, "a")] {
        let mut sent = event("Grouped");
        sent["exception"]["values"][0]["value"] = json!(format!("order {number} failed"));
        sent["user"] = json!({ "id": user });
        sent["release"] = json!(format!("shop@1.{number}"));
        tracker.store(&sent).expect(200);
    }
    let error = error(&server, "Grouped");
    assert_eq!(error["title"], json!("Grouped: order 3 failed"));
    assert_eq!(
        (&error["count"], &error["user_count"]),
        (&json!(3), &json!(2))
    );
    assert_eq!(error["location"], json!("shop.py:7 in Grouped"));
    assert_eq!(error["first_release"], json!("shop@1.1"));
    assert_eq!(error["last_release"], json!("shop@1.3"));
    assert_eq!(error["frequency"][0][1], json!(3));
    let detail = server.reporter().get(&path_of(&server, &error)).expect(200);
    let inputs = &detail["grouping"][0]["inputs"];
    assert_eq!(inputs[0], json!({ "part": "type", "text": "Grouped" }));
    let release = detail["tags"]
        .as_array()
        .unwrap()
        .iter()
        .find(|tag| tag["name"] == "release");
    assert_eq!(release.unwrap()["values"].as_array().unwrap().len(), 3);
    assert_eq!(detail["latest_event"]["release"], json!("shop@1.3"));
}

#[test]
fn the_error_list_shows_unresolved_errors_by_default() {
    let server = TestServer::start();
    let resolved = report(&server, "Resolved");
    let change = json!({ "status": "resolved" });
    server
        .developer()
        .put(&path_of(&server, &resolved), &change)
        .expect(200);
    let titles = |query: &str| {
        let path = below(&server, &format!("/errors{query}"));
        column(&server.reporter(), &path, "title")
    };
    let has = |query: &str| {
        titles(query)
            .iter()
            .any(|title| title.starts_with("Resolved"))
    };
    for (query, is_listed) in [
        ("", false),
        ("?status=unresolved", false),
        ("?status=resolved", true),
        ("?status=ignored", false),
        ("?status=all", true),
        ("?status=all&search=RESOLV", true),
        ("?status=all&search=%25", false),
        ("?status=all&level=error", true),
        ("?status=all&level=fatal", false),
        ("?status=all&tags=level:error", true),
        ("?status=all&environment=nowhere", false),
        ("?status=all&last_seen_after=2100-01-01", false),
        ("?status=all&first_seen_before=2000-01-01", false),
    ] {
        assert_eq!(has(query), is_listed, "{query}");
    }
    let path = below(&server, "/errors?status=open");
    server.reporter().get(&path).assert_is(
        400,
        &json!({ "error": "status does not have a valid value" }),
    );
}

#[test]
fn a_list_goes_on_by_page_and_by_key() {
    let server = TestServer::start();
    let reporter = server.reporter();
    let ids = |query: &str| {
        column(
            &reporter,
            &below(&server, &format!("/errors?{query}")),
            "id",
        )
    };
    let by_first = ids("per_page=2&order_by=first_seen&sort=asc");
    assert_eq!(by_first, ["1", "2", "3"]);
    assert_eq!(
        ids("per_page=2&pagination=keyset&order_by=id&sort=asc"),
        ["1", "2", "3"]
    );
    assert_eq!(
        ids("per_page=1&pagination=keyset&order_by=id&sort=desc"),
        ["3", "2", "1"]
    );
    for per_page in [1, 2, 20] {
        let by_id = |sort| ids(&format!("per_page={per_page}&order_by=id{sort}"));
        assert_eq!(by_id("&sort=asc"), ["1", "2", "3"]);
        assert_eq!(by_id(""), ["3", "2", "1"]);
        assert_eq!(by_id("&status=all&tags=level:error"), ["3", "2"]);
    }
    let sorted = ids("per_page=1&order_by=last_seen");
    assert_eq!(sorted.len(), 3);
    let by_seen = below(&server, "/errors?pagination=keyset&order_by=last_seen");
    reporter.get(&by_seen).expect(405);
}

#[test]
fn events_of_an_error_follow_each_other() {
    let server = TestServer::start();
    let tracker = server.tracker();
    let sent: Vec<Value> = (0..3)
        .map(|_| tracker.store(&event("Row")).expect(200)["id"].clone())
        .collect();
    let path = path_of(&server, &error(&server, "Row"));
    let listed = column(&server.reporter(), &format!("{path}/events"), "event_id");
    let newest: Vec<&str> = sent.iter().rev().map(|id| id.as_str().unwrap()).collect();
    assert_eq!(listed, newest);
    let show = |id: &str| server.reporter().get(&format!("{path}/events/{id}"));
    let middle = show(sent[1].as_str().unwrap()).expect(200);
    assert_eq!(
        (&middle["previous_event_id"], &middle["next_event_id"]),
        (&sent[0], &sent[2])
    );
    assert_eq!(show("oldest").expect(200)["event_id"], sent[0]);
    assert_eq!(show("latest").expect(200)["next_event_id"], Value::Null);
    let other = tracker.store(&event("Other")).expect(200)["id"].clone();
    for id in [other.as_str().unwrap(), "no-id", &"0".repeat(32)] {
        show(id).assert_is(404, &json!({ "message": "404 Event Not Found" }));
    }
}
