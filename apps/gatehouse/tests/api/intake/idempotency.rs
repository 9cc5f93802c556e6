//! `Idempotency-Key`: a retry of a sender is counted once.

use std::thread;

use serde_json::{Value, json};

use super::{item, receipt, stored, webhook};
use crate::support::rows;
use crate::support::{TestCaller, TestServer, eventually};

fn keyed(server: &TestServer, key: &str) -> TestCaller {
    server.sender().with("Idempotency-Key", key)
}

fn fire() -> Value {
    json!({ "title": "Fire", "fingerprint": "f" })
}

/// ALRT-08.
#[test]
fn a_retry_gets_the_same_answer_and_counts_once() {
    let server = TestServer::start();
    let first = keyed(&server, "one")
        .post(&server.generic(), &fire())
        .expect(200);
    for key in ["one", "\"one\""] {
        let again = keyed(&server, key)
            .post(&server.generic(), &fire())
            .expect(200);
        assert_eq!(again, first);
    }
    let alert = server.alert(&first[0]["iid"]);
    assert_eq!(
        (&alert["event_count"], &alert["delivery_count"]),
        (&json!(1), &json!(1))
    );
    let response = receipt(&server);
    assert_eq!(response["repeated"], 1);
    assert!(
        response["notes"].to_string().contains("Idempotency-Key"),
        "{response}"
    );
    keyed(&server, "two")
        .post(&server.generic(), &fire())
        .assert_ok();
    assert_eq!(server.alert(&first[0]["iid"])["event_count"], 2);
}

/// ALRT-08. The first response is repeated, even if the alert is resolved by the time of the retry.
#[test]
fn a_retry_after_resolution_creates_no_new_alert() {
    let server = TestServer::start();
    let first = keyed(&server, "one")
        .post(&server.generic(), &fire())
        .expect(200);
    let mut over = fire();
    over["end_time"] = json!("2024-05-01T11:00:00Z");
    server.sender().post(&server.generic(), &over).assert_ok();
    let before = server.developer().get(&server.alerts()).expect(200);
    let again = keyed(&server, "one")
        .post(&server.generic(), &fire())
        .expect(200);
    assert_eq!(again, first);
    assert_eq!(server.developer().get(&server.alerts()).expect(200), before);
}

/// The refusal explains the sender's mistake: nothing is stored, and the earlier response is not repeated.
#[test]
fn the_same_key_with_another_body_is_refused() {
    let server = TestServer::start();
    keyed(&server, "one")
        .post(&server.generic(), &fire())
        .assert_ok();
    let before = stored(&server);
    let answer = keyed(&server, "one").post(&server.generic(), &json!({ "title": "Flood" }));
    let text = "422 Unprocessable Entity - this Idempotency-Key was already used with another body; \
                send a new key with each new body";
    answer.assert_is(422, &json!({ "message": text }));
    assert_eq!(stored(&server), before);
}

/// A refused POST does not use up its key.
#[test]
fn a_key_may_come_again_after_a_refusal() {
    let server = TestServer::start();
    let sender = keyed(&server, "one");
    let refused = sender.post_bytes(&server.generic(), b"{");
    assert_eq!(refused.status, 400, "{refused:?}");
    sender.post(&server.generic(), &fire()).assert_ok();
}

#[test]
fn invalid_idempotency_keys_return_400() {
    let server = TestServer::start();
    let before = stored(&server);
    let text =
        "400 Bad request - send one Idempotency-Key header of 1 to 255 visible ASCII characters";
    let long = "k".repeat(256);
    for key in ["", "\"\"", "a b", "\"a", &long] {
        let answer = keyed(&server, key).post(&server.generic(), &fire());
        answer.assert_is(400, &json!({ "message": text }));
    }
    let twice = keyed(&server, "one").with("Idempotency-Key", "two");
    twice
        .post(&server.generic(), &fire())
        .assert_is(400, &json!({ "message": text }));
    assert_eq!(stored(&server), before);
    keyed(&server, &"k".repeat(255))
        .post(&server.generic(), &fire())
        .assert_ok();
}

/// A key belongs to the endpoint that received it, and both endpoints accept keys.
#[test]
fn each_endpoint_has_keys_of_its_own() {
    let server = TestServer::start();
    let body = webhook(&[item("Fire")]);
    let sender = keyed(&server, "one");
    sender.post(&server.generic(), &fire()).assert_ok();
    let first = sender.post(&server.metrics(), &body).expect(200);
    assert_eq!(sender.post(&server.metrics(), &body).expect(200), first);
    assert_eq!(server.alert(&first[0]["iid"])["delivery_count"], 1);
}

/// ALRT-08. Many concurrent retries, which the store may process in one group.
#[test]
fn racing_retries_count_once() {
    let server = TestServer::start();
    let path = server.generic();
    thread::scope(|scope| {
        for _ in 0..8 {
            let (server, path) = (&server, &path);
            scope.spawn(move || {
                for number in 0..10 {
                    let sender = keyed(server, &format!("key-{number}"));
                    let answer = sender.post(path, &json!({ "title": format!("Race {number}") }));
                    answer.assert_ok();
                }
            });
        }
    });
    let list = server
        .developer()
        .get(&format!("{}?search=Race&per_page=100", server.alerts()));
    let rows = list.list();
    assert_eq!(rows.len(), 10);
    for row in rows {
        assert_eq!(
            (&row["event_count"], &row["delivery_count"]),
            (&json!(1), &json!(1))
        );
    }
}

/// A key expires after a day.
#[test]
fn after_a_day_the_same_key_is_a_new_one() {
    let server = TestServer::start();
    keyed(&server, "one")
        .post(&server.generic(), &fire())
        .assert_ok();
    rows::change(
        &server,
        "UPDATE alert_kept_answers SET received_at = received_at - 86401000000",
    );
    let answer = keyed(&server, "one")
        .post(&server.generic(), &fire())
        .expect(200);
    assert_eq!(server.alert(&answer[0]["iid"])["event_count"], 2);
}

/// Expired idempotency records are deleted.
#[test]
fn answers_that_are_over_are_cleaned_away() {
    let mut server = TestServer::start();
    for key in ["old", "new"] {
        keyed(&server, key)
            .post(&server.generic(), &json!({ "title": key }))
            .assert_ok();
    }
    assert_eq!(rows::count(&server, "alert_kept_answers"), 2);
    rows::change(
        &server,
        "UPDATE alert_kept_answers SET received_at = received_at - 86401000000 WHERE alerts LIKE '%old%'",
    );
    // The cleanup runs when the server starts, and periodically.
    server.kill_and_restart();
    eventually("the old answer is deleted", || {
        (rows::count(&server, "alert_kept_answers") == 1).then_some(())
    });
    let again = keyed(&server, "new")
        .post(&server.generic(), &json!({ "title": "new" }))
        .expect(200);
    assert_eq!(server.alert(&again[0]["iid"])["event_count"], 1);
}
