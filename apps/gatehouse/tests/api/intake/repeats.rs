//! Repeated alerts: deliveries, occurrences, ends and new alerts.

use serde_json::{Value, json};

use super::{item, raise_metrics, receipt};
use crate::support::TestServer;
use crate::support::pages::rows;

/// A webhook item of the alert "Fire", with a start and optionally an end, as hours of one day.
fn at(start: u8, end: Option<u8>) -> Value {
    let hour = |hour: u8| format!("2024-05-01T{hour:02}:00:00Z");
    let mut item = item("Fire");
    item["startsAt"] = json!(hour(start));
    if let Some(end) = end {
        item["status"] = json!("resolved");
        item["endsAt"] = json!(hour(end));
    }
    item
}

/// Sends one item to the metrics endpoint, and returns its alert.
#[track_caller]
fn raise(server: &TestServer, item: Value) -> Value {
    raise_metrics(server, &[item]).remove(0)
}

/// A generic payload of the same alert, with the same start each time.
fn fire() -> Value {
    json!({ "title": "Fire", "fingerprint": "f", "start_time": "2024-05-01T10:00:00Z" })
}

/// Occurrences, deliveries and status of an alert.
fn counts(alert: &Value) -> (i64, i64, String) {
    let number = |field: &str| alert[field].as_i64().unwrap();
    let status = alert["status"].as_str().unwrap().to_owned();
    (number("event_count"), number("delivery_count"), status)
}

fn triggered(occurrences: i64, deliveries: i64) -> (i64, i64, String) {
    (occurrences, deliveries, "triggered".to_owned())
}

fn resolved(occurrences: i64, deliveries: i64) -> (i64, i64, String) {
    (occurrences, deliveries, "resolved".to_owned())
}

/// ALRT-08. Retries, repeats and peers of a sender do not turn one fire into many.
#[test]
fn the_same_start_again_is_a_delivery_and_no_occurrence() {
    let server = TestServer::start();
    let first = raise(&server, at(10, None));
    assert_eq!(counts(&first), triggered(1, 1));
    for deliveries in 2..5 {
        let again = raise(&server, at(10, None));
        assert_eq!(again["iid"], first["iid"]);
        assert_eq!(counts(&again), triggered(1, deliveries));
    }
}

/// ALRT-08.
#[test]
fn a_newer_start_is_one_more_occurrence_and_an_older_one_is_old_news() {
    let server = TestServer::start();
    let first = raise(&server, at(10, None));
    assert_eq!(counts(&raise(&server, at(11, None))), triggered(2, 2));
    assert_eq!(counts(&raise(&server, at(10, None))), triggered(2, 3));
    assert_eq!(counts(&raise(&server, at(12, None))), triggered(3, 4));
    let stored = server.alert(&first["iid"]);
    assert_eq!(stored["started_at"], "2024-05-01T10:00:00.000Z");
}

/// ALRT-08. The start and the hosts are not part of the identity; everything else is.
#[test]
fn equal_payloads_group_without_their_start_and_hosts() {
    let server = TestServer::start();
    let base = json!({ "title": "Same", "extra": { "a": 1 } });
    let first = server.raise(&base);
    let with_hosts = json!({ "extra": { "a": 1 }, "title": "Same", "hosts": "web-9" });
    let with_start = json!({
        "title": "Same", "extra": { "a": 1 }, "start_time": "2030-01-01T00:00:00Z",
    });
    for body in [base, with_hosts, with_start] {
        assert_eq!(server.raise(&body)["iid"], first["iid"], "{body}");
    }
    assert_eq!(counts(&server.alert(&first["iid"])), triggered(4, 4));
    let other = server.raise(&json!({ "title": "Same", "extra": { "a": 2 } }));
    assert_ne!(other["iid"], first["iid"]);
}

/// ALRT-08.
#[test]
fn a_fingerprint_groups_alerts_with_different_payloads() {
    let server = TestServer::start();
    let first = server.raise(&json!({ "title": "One", "fingerprint": "f" }));
    let second = server.raise(&json!({ "title": "Two", "fingerprint": ["f"], "severity": "low" }));
    assert_eq!(second["iid"], first["iid"]);
    assert_eq!(
        (&second["title"], &second["severity"]),
        (&json!("Two"), &json!("critical")),
        "the newest texts, and the worst severity"
    );
    let list = server.raise(&json!({ "title": "One", "fingerprint": ["f", "g"] }));
    let joined = server.raise(&json!({ "title": "One", "fingerprint": "fg" }));
    assert_ne!(list["iid"], first["iid"]);
    assert_ne!(list["iid"], joined["iid"]);
}

/// ALRT-08. An empty payload never counts as a repeat.
#[test]
fn empty_payloads_are_always_new() {
    let server = TestServer::start();
    let first = server.raise(&json!({}));
    let second = server.raise(&json!({ "hosts": "web-1", "title": "" }));
    assert_ne!(first["iid"], second["iid"]);
}

/// ALRT-08. A status set by a user stays when the alert is delivered again.
#[test]
fn acknowledged_and_ignored_alerts_absorb_repeats() {
    let server = TestServer::start();
    for (start, status) in [(10, "acknowledged"), (11, "ignored")] {
        let iid = raise(&server, at(start, None))["iid"].clone();
        let path = format!("{}/{iid}", server.alerts());
        server
            .developer()
            .put(&path, &json!({ "status": status }))
            .assert_ok();
        let again = raise(&server, at(start + 1, None));
        assert_eq!((&again["iid"], &again["status"]), (&iid, &json!(status)));
    }
}

/// ALRT-03, ALRT-08.
#[test]
fn a_resolved_alert_is_never_opened_again() {
    let server = TestServer::start();
    let first = raise(&server, at(10, None))["iid"].clone();
    assert_eq!(counts(&raise(&server, at(10, Some(11)))), resolved(1, 2));
    // A late retry of the firing, and of the end.
    assert_eq!(counts(&raise(&server, at(10, None))), resolved(1, 3));
    assert_eq!(counts(&raise(&server, at(10, Some(11)))), resolved(1, 4));
    let next = raise(&server, at(12, None));
    assert_ne!(next["iid"], first);
    assert_eq!(counts(&next), triggered(1, 1));
    assert_eq!(server.alert(&first)["status"], "resolved");
}

/// ALRT-03. The alert is recorded because it occurred, and the feed shows its start and its end.
#[test]
fn the_end_of_an_alert_that_nobody_saw_is_stored_as_over() {
    let server = TestServer::start();
    let alert = raise(&server, at(10, Some(11)));
    assert_eq!(counts(&alert), resolved(1, 1));
    assert_eq!(alert["started_at"], "2024-05-01T10:00:00.000Z");
    assert_eq!(alert["ended_at"], "2024-05-01T11:00:00.000Z");
    assert_eq!(receipt(&server)["resolved"], 1);
    let late = raise(&server, at(10, None));
    assert_eq!(
        (&late["iid"], &late["status"]),
        (&alert["iid"], &json!("resolved"))
    );
}

/// ALRT-08. The alert flapped unnoticed; the end of its first occurrence arrives late.
#[test]
fn an_end_before_the_latest_occurrence_is_old_news() {
    let server = TestServer::start();
    raise(&server, at(10, None));
    raise(&server, at(12, None));
    assert_eq!(counts(&raise(&server, at(10, Some(11)))), triggered(2, 3));
    assert_eq!(counts(&raise(&server, at(12, Some(13)))), resolved(2, 4));
}

/// ALRT-08. Rows of the specification: an identical generic payload increments the counter of the open alert, and
/// creates a new alert after that one is resolved, even with the same start.
#[test]
fn identical_payloads_count_until_resolution_then_create_a_new_alert() {
    let server = TestServer::start();
    let first = server.raise(&fire());
    for occurrences in 2..5 {
        let again = server.raise(&fire());
        assert_eq!(again["iid"], first["iid"]);
        assert_eq!(counts(&again), triggered(occurrences, occurrences));
    }
    let mut over = fire();
    over["end_time"] = json!("2024-05-01T11:00:00Z");
    assert_eq!(counts(&server.raise(&over)), resolved(4, 5));
    let next = server.raise(&fire());
    assert_ne!(next["iid"], first["iid"]);
    assert_eq!(counts(&next), triggered(1, 1));
    assert_eq!(server.alert(&first["iid"])["status"], "resolved");
}

/// ALRT-03. The sender stated no start, so the arrival is used instead, and the end that the sender states is earlier.
#[test]
fn an_end_before_the_arrival_of_the_alert_resolves_it() {
    let server = TestServer::start();
    let open = server.raise(&json!({ "title": "Fire", "fingerprint": "f" }));
    let over = server.raise(&json!({
        "title": "Fire", "fingerprint": "f", "end_time": "2024-05-01T11:00:00Z",
    }));
    assert_eq!(
        (&over["iid"], &over["status"]),
        (&open["iid"], &json!("resolved"))
    );
    assert_eq!(over["ended_at"], open["started_at"]);
}

/// ALRT-08. Two bodies in either order result in the same alert.
#[test]
fn firing_and_resolved_payloads_give_the_same_alert_in_either_order() {
    let server = TestServer::start();
    let firing = item("Fire");
    let mut over = item("Fire");
    over["status"] = json!("resolved");
    over["endsAt"] = json!("2024-05-01T11:00:00Z");
    let as_sent = raise_metrics(&server, &[firing.clone(), over.clone()]);
    let other = TestServer::start();
    raise_metrics(&other, &[over]);
    let turned_round = raise_metrics(&other, &[firing]);
    for field in [
        "status",
        "started_at",
        "ended_at",
        "event_count",
        "delivery_count",
    ] {
        assert_eq!(as_sent[0][field], turned_round[0][field], "{field}");
    }
    assert_eq!(as_sent[0]["status"], "resolved");
}

/// ALRT-08. Repeats add no entries to the feed.
#[test]
fn repeats_add_no_entries_to_the_feed() {
    let server = TestServer::start();
    raise(&server, at(10, None));
    let response = rows(&server.developer(), &server.below_project("/events")).len();
    for _ in 0..3 {
        raise(&server, at(10, None));
    }
    raise(&server, at(11, None));
    let now = rows(&server.developer(), &server.below_project("/events")).len();
    assert_eq!(now, response);
}
