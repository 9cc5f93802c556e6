//! Statuses of refusals, each with a JSON body that says what is wrong and reveals no internals.

use serde_json::json;

use crate::support::{TestServer, rows};

/// API-13, API-15.
#[test]
fn a_refusal_has_its_status_and_json() {
    let server = TestServer::start();
    let dev = server.developer();
    dev.delete(&server.below_project(""))
        .assert_is(403, &json!({ "message": "403 Forbidden" }));
    let named = json!({ "name": "Twice" });
    dev.post("/api/v4/projects", &named).expect(201);
    let text = "409 Conflict: path has already been taken";
    dev.post("/api/v4/projects", &named)
        .assert_is(409, &json!({ "message": text }));
    let early = dev.with("If-Unmodified-Since", "Mon, 01 Jan 2001 00:00:00 GMT");
    early
        .delete("/api/v4/projects/2")
        .assert_is(412, &json!({ "message": "412 Precondition Failed" }));
    let twice = |title: &str| {
        let sender = server.sender().with("Idempotency-Key", "key");
        sender.post(&server.generic(), &json!({ "title": title }))
    };
    twice("One").expect(200);
    let other = twice("Two");
    assert!(other.expect(422)["message"].is_string(), "{other:?}");
    assert_eq!(other.header("content-type"), Some("application/json"));
}

/// API-13. The client learns that the fault is the server's, but not the cause.
#[test]
fn a_fault_of_ours_shows_nothing_of_the_inside() {
    let server = TestServer::start();
    rows::change(&server, "ALTER TABLE labels RENAME TO elsewhere");
    let path = server.below_project("/labels");
    let dev = server.developer();
    for failed in [
        dev.get(&path),
        dev.post(&path, &json!({ "name": "bug", "color": "#abc" })),
    ] {
        failed.assert_is(500, &json!({ "message": "500 Internal Server Error" }));
        assert_eq!(failed.header("content-type"), Some("application/json"));
    }
    // All other requests still work.
    dev.get(&server.below_project("")).expect(200);
}
