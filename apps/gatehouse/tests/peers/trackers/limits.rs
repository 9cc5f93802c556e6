//! Rate-limited SDKs pause for a while, and report the events that they dropped.

use serde_json::{Value, json};

use super::{TestedSdk, get_tracker};
use crate::support::{TestServer, eventually};

/// Creates a client key that accepts one event per minute, and returns its id and its DSN.
pub(super) fn limited_key(server: &TestServer) -> (Value, String) {
    let keys = server.below_project("/error_tracking/client_keys");
    let admin = server.admin().with("Content-Type", "application/json");
    let created = admin.post(&keys, &json!({})).expect(201);
    let limit = json!({ "events_per_minute": 1 }).to_string();
    let key = format!("{keys}/{}", created["id"]);
    admin.send("PATCH", &key, limit.as_bytes()).expect(200);
    let dsn = created["tracker_dsn"].as_str().unwrap().to_owned();
    (created["id"].clone(), dsn)
}

/// Number of a key's events with an outcome.
pub(super) fn events(server: &TestServer, key: &Value, outcome: &str) -> i64 {
    let tallies = get_tracker(server, "/statistics");
    let tallies = tallies.as_array().unwrap().iter();
    let is_expected = |tally: &&Value| {
        tally["client_key_id"] == *key
            && tally["category"] == "error"
            && tally["outcome"] == outcome
    };
    let expected = tallies.filter(is_expected);
    expected
        .map(|tally| tally["quantity"].as_i64().unwrap())
        .sum()
}

/// Of five events that a program reports one after the other, the first is accepted, the second is refused, and the
/// others are never sent: the SDK reports that it dropped them.
fn check(sdk: TestedSdk) {
    let server = TestServer::start();
    let (key, dsn) = limited_key(&server);
    let Some(last_line) = sdk.play("limits", &dsn) else {
        return;
    };
    assert_eq!(last_line, "five errors");
    eventually("the SDK says what it held back", || {
        (events(&server, &key, "sdk_ratelimit_backoff") == 3).then_some(())
    });
    let came = ["stored", "limited"].map(|outcome| events(&server, &key, outcome));
    assert_eq!(came, [1, 1], "nothing was sent after the refusal");
}

#[test]
fn python_sdk_drops_events_after_a_rate_limit() {
    check(TestedSdk::Python);
}

#[test]
fn node_sdk_drops_events_after_a_rate_limit() {
    check(TestedSdk::Node);
}

#[test]
fn cross_origin_browser_sdk_drops_events_after_a_rate_limit_in_chromium() {
    check(TestedSdk::Browser);
}

#[test]
fn rust_sdk_drops_events_after_a_rate_limit() {
    check(TestedSdk::Rust);
}
