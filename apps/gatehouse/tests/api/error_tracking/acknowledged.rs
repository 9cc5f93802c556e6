//! A success promises that the data is stored: no endpoint of the collector acknowledges data that it discards, and
//! discarded data is counted.

use serde_json::{Value, json};

use super::{assert_refused, below, error, event, path_of};
use crate::support::{TestResponse, TestServer};

const ID: &str = "fc6d8c0c43fc4630ad850ee518f1b9d0";

/// Count of a category and an outcome in the statistics.
fn count_outcome(server: &TestServer, category: &str, outcome: &str) -> i64 {
    let tallies = server.admin().get(&below(server, "/statistics")).list();
    let of = tallies
        .iter()
        .filter(|one| one["category"] == category && one["outcome"] == outcome);
    of.map(|one| one["quantity"].as_i64().unwrap()).sum()
}

/// An envelope with one item, whose header names an event.
fn envelope(kind: &str, payload: &str) -> Vec<u8> {
    let header = json!({ "event_id": ID });
    let item = json!({ "type": kind, "length": payload.len() });
    format!("{header}\n{item}\n{payload}\n").into_bytes()
}

/// An event with a text of the given length.
fn long(kind: &str, bytes: usize) -> Value {
    let mut event = event(kind);
    event["extra"] = json!({ "log": "y".repeat(bytes), "order": 7 });
    event
}

#[test]
fn a_long_event_is_cut_and_kept() {
    let server = TestServer::start();
    let tracker = server.tracker();
    let body = long("Long", 3 << 20).to_string();
    let accepted = tracker.envelope(&envelope("event", &body)).expect(200);
    assert_eq!(accepted, json!({ "id": ID }));
    let stored = tracker.store(&long("Long", 8 << 20)).expect(200);
    let found = error(&server, "Long");
    assert_eq!(found["count"], json!(2));
    for id in [&accepted["id"], &stored["id"]] {
        let path = format!(
            "{}/events/{}",
            path_of(&server, &found),
            id.as_str().unwrap()
        );
        let report = server.reporter().get(&path).expect(200)["report"].clone();
        assert_eq!(report["extra"]["order"], json!(7));
        let notes = report["notes"].as_array().unwrap().clone();
        assert!(
            notes.iter().any(|note| note["field"] == "event"),
            "{notes:?}"
        );
    }
}

/// The responses of every endpoint to data that is not stored, and its counts.
#[test]
fn invalid_or_oversized_data_is_refused_and_counted() {
    let server = TestServer::start();
    let tracker = server.tracker();
    let refused =
        |answer: TestResponse, status: u16, (category, outcome): (&str, &str), before: i64| {
            assert_refused(&answer, status);
            assert_eq!(
                count_outcome(&server, category, outcome),
                before + 1,
                "{category} {outcome}"
            );
        };
    let large = "x".repeat((1 << 20) + 1);
    for (kind, payload, status, of) in [
        ("event", "", 400, ("error", "invalid")),
        ("event", "[]", 400, ("error", "invalid")),
        ("event", "no json", 400, ("error", "invalid")),
        ("session", "no", 400, ("session", "invalid")),
        ("client_report", "[]", 400, ("internal", "invalid")),
        (
            "client_report",
            &large[..70_000],
            413,
            ("internal", "too_large"),
        ),
        ("user_report", "{}", 400, ("feedback", "invalid")),
        ("attachment", "abc", 400, ("attachment", "without_event")),
        ("attachment", &large, 413, ("attachment", "too_large")),
    ] {
        let before = count_outcome(&server, of.0, of.1);
        refused(
            tracker.envelope(&envelope(kind, payload)),
            status,
            of,
            before,
        );
    }
    for (endpoint, body, status, of) in [
        ("/store/", "", 400, ("error", "invalid")),
        ("/store/", "<xml/>", 400, ("error", "invalid")),
        ("/store/", "[7]", 400, ("error", "invalid")),
        ("/envelope/", "no envelope", 400, ("default", "invalid")),
        ("/security/", "no", 400, ("security", "invalid")),
        ("/security/", "{}", 400, ("security", "invalid")),
    ] {
        let before = count_outcome(&server, of.0, of.1);
        refused(tracker.post(endpoint, body.as_bytes()), status, of, before);
    }
    let before = count_outcome(&server, "default", "too_large");
    let huge = vec![b'x'; (20 << 20) + 1];
    refused(
        tracker.envelope(&huge),
        413,
        ("default", "too_large"),
        before,
    );
    let before = count_outcome(&server, "error", "invalid");
    let unknown = [("Content-Encoding", "snappy")];
    let answer = tracker.post_with("/store/", b"x", &unknown);
    refused(answer, 415, ("error", "invalid"), before);
    let no_json = assert_refused(&tracker.post("/store/", b"hello, world"), 400);
    assert!(no_json.contains("JSON"), "{no_json}");
}

/// Data that is never stored gets a success without an id: there is no event.
#[test]
fn envelopes_without_stored_items_return_no_id() {
    let server = TestServer::start();
    let tracker = server.tracker();
    for (kind, payload, category, outcome) in [
        ("transaction", "{}", "transaction", "not_kept"),
        ("replay_recording", "x", "replay", "not_kept"),
        ("made_up", "x", "default", "unknown"),
        ("session", "{}", "session", "not_kept"),
    ] {
        let before = count_outcome(&server, category, outcome);
        let accepted = tracker.envelope(&envelope(kind, payload)).expect(200);
        assert_eq!(accepted, json!({}), "{kind}");
        assert_eq!(
            count_outcome(&server, category, outcome),
            before + 1,
            "{kind}"
        );
    }
    assert_eq!(tracker.envelope(b"{}\n").expect(200), json!({}));
    let comment = json!({ "comments": "It broke", "event_id": ID }).to_string();
    let accepted = tracker
        .envelope(&envelope("user_report", &comment))
        .expect(200);
    assert_eq!(accepted, json!({ "id": ID }), "a comment is kept");
}

#[test]
fn reports_of_browsers_are_kept_or_counted() {
    let server = TestServer::start();
    let tracker = server.tracker();
    let flat = json!({ "document-uri": "https://shop.example/", "violated-directive": "img-src",
        "effective-directive": "img-src", "blocked-uri": "https://x.example/1.png" });
    tracker
        .post("/security/", flat.to_string().as_bytes())
        .expect(200);
    let entry = json!({ "type": "csp-violation", "url": "https://shop.example/",
        "body": { "effectiveDirective": "img-src", "blockedURL": "https://x.example/1.png" } });
    let other = json!({ "type": "deprecation", "body": { "id": "x" } });
    let many: Vec<&Value> = std::iter::repeat_n(&entry, 23).chain([&other]).collect();
    tracker
        .post("/security/", json!(many).to_string().as_bytes())
        .expect(200);
    assert_eq!(error(&server, "Blocked by img-src")["count"], json!(21));
    assert_eq!(count_outcome(&server, "security", "too_large"), 3);
    assert_eq!(count_outcome(&server, "security", "not_kept"), 1);
    let accepted = tracker.post("/security/", json!([other]).to_string().as_bytes());
    assert_eq!(accepted.expect(200), json!({}));
}

#[test]
fn losses_of_sdks_have_their_own_names() {
    let server = TestServer::start();
    let words = ["event_processor", "ignored", "before_send", "backpressure"];
    let entries = words.map(|word| json!({ "reason": word, "category": "error", "quantity": 2 }));
    let report = json!({ "discarded_events": entries }).to_string();
    let accepted = server
        .tracker()
        .envelope(&envelope("client_report", &report));
    assert_eq!(accepted.expect(200), json!({}));
    for word in words {
        assert_eq!(
            count_outcome(&server, "error", &format!("sdk_{word}")),
            2,
            "{word}"
        );
    }
}

#[test]
fn an_event_is_found_by_the_id_that_its_sdk_handed_out() {
    let server = TestServer::start();
    let accepted = server.tracker().store(&event("Handed")).expect(200);
    server.tracker().store(&event("Beside")).expect(200);
    let id = accepted["id"].as_str().unwrap();
    let dashed = uuid::Uuid::parse_str(id).unwrap().to_string();
    let found = error(&server, "Handed");
    let reporter = server.reporter();
    for id in [id, dashed.as_str()] {
        let located = reporter
            .get(&below(&server, &format!("/events/{id}")))
            .expect(200);
        assert_eq!(located["error"]["iid"], found["iid"]);
        assert_eq!(located["event"]["event_id"], accepted["id"]);
        let searched = reporter
            .get(&below(&server, &format!("/errors?search={id}")))
            .list();
        assert_eq!((searched.len(), &searched[0]["iid"]), (1, &found["iid"]));
        let keyset = format!("/errors?search={id}&pagination=keyset&order_by=id");
        assert_eq!(reporter.get(&below(&server, &keyset)).list().len(), 1);
        let page = format!("/acme/web-shop/-/error_tracking?search={id}");
        let shown = server.signed_in("reporter").open(&page).text();
        assert!(
            shown.contains("Handed") && !shown.contains("Beside"),
            "{shown}"
        );
    }
    let project = format!("/api/0/projects/acme/web-shop/events/{id}/");
    let shown = reporter.get(&project).expect(200);
    assert_eq!(
        (&shown["eventID"], &shown["groupID"]),
        (&accepted["id"], &json!(found["id"].to_string()))
    );
    let organization = format!("/api/0/organizations/acme/eventids/{dashed}/");
    let place = reporter.get(&organization).expect(200);
    assert_eq!(
        (
            &place["organizationSlug"],
            &place["projectSlug"],
            &place["groupId"]
        ),
        (
            &json!("acme"),
            &json!("web-shop"),
            &json!(found["id"].to_string())
        )
    );
    assert_eq!(place["event"]["title"], shown["title"]);
    // A resolved error is found as well, and a missing one is not.
    let resolved = json!({ "status": "resolved" });
    server
        .developer()
        .put(&path_of(&server, &found), &resolved)
        .expect(200);
    let searched = reporter
        .get(&below(&server, &format!("/errors?search={id}")))
        .list();
    assert_eq!(searched[0]["iid"], found["iid"]);
    for missing in [ID, "no-id"] {
        reporter
            .get(&below(&server, &format!("/events/{missing}")))
            .expect(404);
        reporter
            .get(&format!("/api/0/organizations/acme/eventids/{missing}/"))
            .expect(404);
        reporter
            .get(&format!("/api/0/projects/acme/web-shop/events/{missing}/"))
            .expect(404);
    }
    reporter
        .get(&format!("/api/0/organizations/other/eventids/{id}/"))
        .expect(404);
}
