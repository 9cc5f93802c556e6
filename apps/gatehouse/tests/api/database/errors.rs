//! Errors on PostgreSQL: concurrent reports of many programs, whose writes share transactions.

use std::thread;

use serde_json::{Value, json};

use super::{database, server_on};
use crate::support::TestServer;
use crate::support::tracker::TrackerClient;

/// Programs that report concurrently, and the events of each.
const PROGRAMS: usize = 8;
const EVENTS: usize = 6;

/// An event of one of two errors.
fn event(program: usize, number: usize) -> Value {
    json!({
        "event_id": format!("{:032x}", program * 100 + number + 1),
        "message": if number.is_multiple_of(2) { "even failure" } else { "odd failure" },
        "user": { "id": program.to_string() }, "release": format!("shop@1.{number}"), "environment": "production",
        "tags": { "program": program.to_string() },
    })
}

fn envelope(program: usize, number: usize) -> Vec<u8> {
    let session = json!({
        "sid": format!("{:032x}", program * 1000 + number), "init": true, "status": "exited",
        "started": "2026-11-20T10:00:00Z", "attrs": { "release": "shop@1.0" },
    });
    format!(
        "{{}}\n{{\"type\":\"event\"}}\n{}\n{{\"type\":\"session\"}}\n{session}\n",
        event(program, number)
    )
    .into_bytes()
}

fn report_all(tracker: &TrackerClient) {
    thread::scope(|scope| {
        for program in 0..PROGRAMS {
            scope.spawn(move || {
                for number in 0..EVENTS {
                    tracker.envelope(&envelope(program, number)).expect(200);
                }
            });
        }
    });
}

/// The reported errors, with counts, by their titles.
fn counts(server: &TestServer) -> Vec<(Value, Value, Value)> {
    let path = server.below_project("/error_tracking/errors?search=failure&status=all");
    let mut found: Vec<_> = server
        .developer()
        .get(&path)
        .list()
        .iter()
        .map(|error| {
            let field = |name: &str| error[name].clone();
            (field("title"), field("count"), field("user_count"))
        })
        .collect();
    found.sort_by_key(|(title, ..)| title.to_string());
    found
}

/// ERR-03, ERR-04. Reports that share a transaction are stored as if each had its own, and repeated reports add
/// nothing.
#[test]
fn reports_of_many_programs_are_stored_once() {
    let Some(database) = database() else { return };
    let server = server_on(&database);
    let tracker = server.tracker();
    for _ in 0..2 {
        report_all(&tracker);
        let each = json!(PROGRAMS * EVENTS / 2);
        let users = json!(PROGRAMS);
        let expected = ["even failure", "odd failure"]
            .map(|title| (json!(title), each.clone(), users.clone()));
        assert_eq!(counts(&server), expected);
    }
    let releases = server.below_project("/error_tracking/releases");
    let health = server.developer().get(&releases).list()[0].clone();
    assert_eq!(health["sessions"], json!(PROGRAMS * EVENTS));
}

/// ERR-05.
#[test]
fn an_error_is_resolved_and_comes_back() {
    let Some(database) = database() else { return };
    let server = server_on(&database);
    let tracker = server.tracker();
    tracker.store(&event(1, 0)).expect(200);
    let list = server.below_project("/error_tracking/errors?search=even&status=all");
    let error = server.developer().get(&list).list()[0].clone();
    let path = server.below_project(&format!("/error_tracking/errors/{}", error["iid"]));
    let resolve = json!({ "status": "resolved" });
    server.developer().put(&path, &resolve).expect(200);
    tracker.store(&event(1, 2)).expect(200);
    let back = server.developer().get(&path).expect(200);
    assert_eq!(back["status"], "unresolved");
    assert!(back["regressed_at"].is_string(), "{back}");
    server.admin().send("DELETE", &path, b"").expect(204);
    assert_eq!(server.developer().get(&list).list().len(), 0);
}
