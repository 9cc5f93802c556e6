//! `/api/v4/projects/:id/error_tracking/client_keys` (`ERR-02`, `ERR-07`).

use serde_json::json;

use super::{assert_refused, below, event};
use crate::support::TestServer;
use crate::support::pages::column;

#[test]
fn a_new_client_key_has_a_dsn_of_the_collector() {
    let server = TestServer::start();
    let admin = server.admin();
    let created = admin
        .post(&below(&server, "/client_keys"), &json!({}))
        .expect(201);
    let key = created["public_key"].as_str().unwrap();
    assert!(key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let (scheme, address) = server.base_url().split_once("://").unwrap();
    let project = server.project();
    let dsn = format!("{scheme}://{key}@{address}/api/v4/error_tracking/collector/{project}");
    assert_eq!(
        created,
        json!({ "id": 2, "active": true, "public_key": key, "tracker_dsn": dsn })
    );
    let listed = column(&admin, &below(&server, "/client_keys?per_page=1"), "id");
    assert_eq!(listed, ["1", "2"]);
    server
        .tracker()
        .with_key(key)
        .store(&event("Second"))
        .expect(200);
}

#[test]
fn a_deleted_key_and_one_that_is_switched_off_stop_working_at_once() {
    let server = TestServer::start();
    let admin = server.admin().with("Content-Type", "application/json");
    let tracker = server.tracker();
    tracker.store(&event("Before")).expect(200);
    let key = below(&server, "/client_keys/1");
    for (active, status) in [(false, 403), (true, 200)] {
        let switched = json!({ "active": active }).to_string();
        let answer = admin.send("PATCH", &key, switched.as_bytes()).expect(200);
        assert_eq!(answer["active"], json!(active));
        tracker.store(&event("Switched")).expect(status);
    }
    let shown = admin.get(&below(&server, "/client_keys")).list()[0].clone();
    let deleted = admin.delete(&key).expect(200);
    assert_eq!(deleted, shown, "the answer is the key as it was");
    assert_refused(&tracker.store(&event("After")), 403);
    admin.delete(&key).expect(404);
}

#[test]
fn a_key_of_another_project_is_not_found() {
    let server = TestServer::start();
    let admin = server.admin();
    let created = admin
        .post("/api/v4/projects", &json!({ "name": "other" }))
        .expect(201);
    let path = format!(
        "/api/v4/projects/{}/error_tracking/client_keys/1",
        created["id"]
    );
    admin.delete(&path).expect(404);
    server.tracker().store(&event("Still")).expect(200);
    for (id, body) in [
        ("0", "404 Client Key Not Found"),
        ("x", "404 Client Key Not Found"),
    ] {
        let answer = admin.delete(&below(&server, &format!("/client_keys/{id}")));
        answer.assert_is(404, &json!({ "message": body }));
    }
}
