//! The collector behind a DSN (`ERR-03`): every form of keys, bodies and encodings that SDKs send.

use std::io::Write as _;

use serde_json::{Value, json};

use super::{assert_refused, below, error, event, path_of};
use crate::support::TestServer;
use crate::support::packed::{deflate, gzip};

const ID: &str = "fc6d8c0c43fc4630ad850ee518f1b9d0";

/// An envelope with an event and a session, as the official SDKs write one.
fn envelope(kind: &str, header: &Value) -> Vec<u8> {
    let event = event(kind);
    let session = json!({
        "sid": ID, "init": true, "started": "2026-01-01T00:00:00Z", "status": "exited",
        "attrs": {"release": "shop@1.0.0", "environment": "live"},
    });
    format!("{header}\n{{\"type\":\"event\"}}\n{event}\n{{\"type\":\"session\"}}\n{session}")
        .into_bytes()
}

#[test]
fn client_keys_are_accepted_in_headers_query_and_envelope() {
    let server = TestServer::start();
    let tracker = server.tracker();
    let body = event("Any").to_string();
    let header = format!("Sentry sentry_key={},sentry_version=7", tracker.key);
    for headers in [
        vec![("X-Sentry-Auth", header.as_str())],
        vec![("Authorization", header.as_str())],
    ] {
        tracker
            .bare("/store/", body.as_bytes(), &headers)
            .expect(200);
    }
    let query = format!("/store/?sentry_key={}&sentry_version=7", tracker.key);
    tracker.bare(&query, body.as_bytes(), &[]).expect(200);
    let dsn = json!({ "dsn": server.demo["tracker"]["dsn"] });
    tracker
        .bare("/envelope/", &envelope("Own", &dsn), &[])
        .expect(200);
    assert_eq!(error(&server, "Any")["count"], json!(3));
    assert_eq!(error(&server, "Own")["count"], json!(1));
}

#[test]
fn strangers_learn_nothing() {
    let server = TestServer::start();
    let tracker = server.tracker();
    let body = event("Strange").to_string();
    let with_key =
        |key: &str| tracker.bare(&format!("/store/?sentry_key={key}"), body.as_bytes(), &[]);
    let unknown = assert_refused(&with_key(&"ab".repeat(16)), 403);
    assert_eq!(assert_refused(&with_key("nokey"), 403), unknown);
    for project in ["99", "0", "x", "-1"] {
        let mut other_project = server.tracker();
        other_project.base = tracker.base.replace("/api/1", &format!("/api/{project}"));
        assert_eq!(
            assert_refused(&other_project.store(&event("E")), 403),
            unknown,
            "{project}"
        );
    }
    assert_refused(&tracker.bare("/store/", body.as_bytes(), &[]), 401);
    assert_refused(&tracker.bare("/envelope/", b"{}\n", &[]), 401);
    assert_refused(
        &tracker.bare("/store/?Sentry_Key=x", body.as_bytes(), &[]),
        401,
    );
    let twice = format!("/store/?sentry_key={}", "cd".repeat(16));
    assert_refused(&tracker.post(&twice, body.as_bytes()), 401);
    let other = json!({ "dsn": format!("http://{}@x.example/1", "cd".repeat(16)) });
    assert_refused(&tracker.envelope(&envelope("E", &other)), 401);
}

#[test]
fn every_encoding_is_unpacked() {
    let server = TestServer::start();
    let tracker = server.tracker();
    let plain = envelope("Packed", &json!({}));
    let brotli = [&[0x0b, 0x01, 0x80][..], b"{}\n", &[0x03]].concat();
    let mut raw = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    raw.write_all(&plain).unwrap();
    for (encoding, body) in [
        ("", plain.clone()),
        ("identity", plain.clone()),
        ("UTF-8", plain.clone()),
        ("gzip", gzip(&plain)),
        ("deflate", deflate(&plain)),
        ("deflate", raw.finish().unwrap()),
        ("br", brotli),
    ] {
        let headers = [("Content-Encoding", encoding)];
        let answer = tracker.post_with("/envelope/", &body, &headers);
        assert_eq!(answer.status, 200, "{encoding}: {}", answer.text());
    }
    assert_eq!(error(&server, "Packed")["count"], json!(6));
    let refused = |encoding, body: &[u8], status| {
        let headers = [("Content-Encoding", encoding)];
        assert_refused(&tracker.post_with("/envelope/", body, &headers), status)
    };
    refused("gzip", b"no gzip", 400);
    refused("snappy", b"x", 415);
    refused("gzip", &gzip(&vec![b'{'; 21 << 20]), 413);
}

#[test]
fn an_event_is_stored_once_however_often_it_is_sent() {
    let server = TestServer::start();
    let tracker = server.tracker();
    let dashed = json!({ "event_id": "FC6D8C0C-43FC-4630-AD85-0EE518F1B9D0" });
    for _ in 0..3 {
        let answer = tracker.envelope(&envelope("Once", &dashed)).expect(200);
        assert_eq!(answer, json!({ "id": ID }));
    }
    assert_eq!(error(&server, "Once")["count"], json!(1));
    let event_path = format!("{}/events/{ID}", path_of(&server, &error(&server, "Once")));
    assert_eq!(
        server.reporter().get(&event_path).expect(200)["event_id"],
        json!(ID)
    );
    let tallies = server.admin().get(&below(&server, "/statistics")).list();
    let duplicates = tallies.iter().find(|tally| tally["outcome"] == "duplicate");
    assert_eq!(duplicates.unwrap()["quantity"], json!(2));
    let releases = server
        .reporter()
        .get(&below(&server, "/releases?from=2025-12-25&to=2026-01-02"));
    assert_eq!(
        releases.list(),
        Vec::<Value>::new(),
        "the session began too long ago to count"
    );
}

#[test]
fn items_of_every_type_are_accepted_and_counted() {
    let server = TestServer::start();
    let tracker = server.tracker();
    let report = json!({ "discarded_events": [
        {"reason": "queue_overflow", "category": "error", "quantity": 4},
        {"reason": "sample_rate", "category": "transaction", "quantity": 9},
    ]});
    let session =
        json!({ "sid": ID, "init": true, "status": "crashed", "attrs": {"release": "shop@2"} });
    let comment = json!({ "event_id": ID, "name": "Ann", "email": "ann@example.com", "comments": "It broke" });
    let items = [
        ("event", event("Items").to_string()),
        ("session", session.to_string()),
        ("client_report", report.to_string()),
        ("user_report", comment.to_string()),
        ("transaction", "{}".to_owned()),
        ("made_up", "x".to_owned()),
        ("event", event("Second").to_string()),
    ];
    let mut body = json!({ "event_id": ID }).to_string();
    for (kind, payload) in items {
        body = format!(
            "{body}\n{}\n{payload}",
            json!({ "type": kind, "length": payload.len() })
        );
    }
    body = format!(
        "{body}\n{{\"type\":\"attachment\",\"length\":3,\"filename\":\"../log.txt\"}}\nabc\n"
    );
    tracker.envelope(body.as_bytes()).expect(200);
    let path = path_of(&server, &error(&server, "Items"));
    let comments = server.reporter().get(&format!("{path}/comments")).list();
    assert_eq!(
        (comments.len(), &comments[0]["text"]),
        (1, &json!("It broke"))
    );
    let event = server
        .reporter()
        .get(&format!("{path}/events/latest"))
        .expect(200);
    let file = &event["attachments"][0];
    assert_eq!(file["filename"], json!("../log.txt"));
    let bytes = server
        .reporter()
        .get(&format!("{path}/events/{ID}/attachments/{}", file["id"]));
    assert_eq!((bytes.status, bytes.text().as_str()), (200, "abc"));
    let named = bytes.header("Content-Disposition");
    assert_eq!(named, Some("attachment; filename=\"_log.txt\""));
    let health = server
        .reporter()
        .get(&below(&server, "/releases?release=shop%402"))
        .list();
    assert_eq!(health[0]["crash_free_rate"], json!(0.0));
    let today = server.admin().get(&below(&server, "/statistics")).list();
    let quantity = |category: &str, outcome: &str| {
        let all = today
            .iter()
            .filter(|one| one["category"] == category && one["outcome"] == outcome);
        all.map(|one| one["quantity"].as_i64().unwrap())
            .sum::<i64>()
    };
    for (category, outcome, expected) in [
        ("error", "several_events", 1),
        ("error", "sdk_queue_overflow", 4),
        ("transaction", "sdk_sample_rate", 9),
        ("transaction", "not_kept", 1),
        ("default", "unknown", 1),
        ("attachment", "stored", 1),
        ("feedback", "stored", 1),
    ] {
        assert_eq!(
            quantity(category, outcome),
            expected,
            "{category} {outcome}"
        );
    }
}

#[test]
fn store_requests_and_browser_reports_are_accepted() {
    let server = TestServer::start();
    let tracker = server.tracker();
    for endpoint in ["/store", "/store/"] {
        tracker
            .post(endpoint, event("Old").to_string().as_bytes())
            .expect(200);
    }
    let as_envelope = [("Content-Type", "application/x-sentry-envelope")];
    tracker
        .post_with("/store/", &envelope("Old", &json!({})), &as_envelope)
        .expect(200);
    assert_eq!(error(&server, "Old")["count"], json!(3));
    let report = json!({ "csp-report": {"effective-directive": "img-src", "blocked-uri": "http://x.example"} });
    for endpoint in ["/security/", "/security", "/csp-report/"] {
        tracker
            .post(endpoint, report.to_string().as_bytes())
            .expect(200);
    }
    assert_eq!(error(&server, "Blocked by img-src")["count"], json!(3));
    tracker.post("/nel/", b"[]").expect(200);
    assert_refused(&tracker.post("/store/", b"[1]"), 400);
    assert_refused(&tracker.post("/store/", b""), 400);
    assert_refused(&tracker.envelope(b"no envelope"), 400);
}

#[test]
fn an_event_with_invalid_values_is_stored_with_notes() {
    let server = TestServer::start();
    let tracker = server.tracker();
    let body = br#"{"message": "odd \u0000 \ud800 text", "level": 7, "release": {"a": 1}, "extra": {"n": NaN},
        "exception": [null, {"type": "Odd", "value": ["x"], "stacktrace": {"frames": null}}], "user": 3, "tags": [["a", "b"], 4]}"#;
    tracker.post("/store/", body).expect(200);
    let path = path_of(&server, &error(&server, "Odd"));
    let event = server
        .reporter()
        .get(&format!("{path}/events/latest"))
        .expect(200);
    assert!(!event["report"]["notes"].as_array().unwrap().is_empty());
}

#[test]
fn browsers_may_read_every_answer() {
    let server = TestServer::start();
    let tracker = server.tracker();
    let origin = [("Origin", "https://shop.example")];
    let accepted = tracker.post_with("/store/", event("Cors").to_string().as_bytes(), &origin);
    let refused = tracker.bare("/store/", b"{}", &origin);
    for answer in [&accepted, &refused] {
        assert_eq!(answer.header("Access-Control-Allow-Origin"), Some("*"));
        let exposed = answer.header("Access-Control-Expose-Headers").unwrap();
        assert!(exposed.contains("X-Sentry-Rate-Limits"), "{exposed}");
    }
    assert_eq!((accepted.status, refused.status), (200, 401));
}
