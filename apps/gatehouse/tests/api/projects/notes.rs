//! Notes on issues and alerts.

use serde_json::{Value, json};

use crate::support::pages::{column, rows};
use crate::support::rows::{change, count};
use crate::support::script::play;
use crate::support::{TestCaller, TestServer};

const PUBLIC: &str = "UPDATE projects SET visibility = 20; UPDATE namespaces SET visibility = 20";

fn bodies(caller: &TestCaller, path: &str) -> Vec<String> {
    column(caller, path, "body")
}

/// Creates an issue of the project, and returns the path of its notes.
fn issue(server: &TestServer) -> String {
    let issues = server.below_project("/issues");
    let created = server
        .reporter()
        .post(&issues, &json!({ "title": "Disk full" }));
    format!("{issues}/{}/notes", created.expect(201)["iid"])
}

#[test]
fn a_note_is_written_changed_and_deleted_and_the_feed_shows_it() {
    let server = TestServer::start();
    let (reporter, path) = (server.reporter(), issue(&server));
    let created = reporter
        .post(&path, &json!({ "body": "Look *here*" }))
        .expect(201);
    let dates = &created["created_at"];
    let expected = json!({
        "id": 1, "type": null, "body": "Look *here*", "attachment": null, "author": created["author"],
        "created_at": dates, "updated_at": dates, "system": false, "noteable_id": 1, "noteable_type": "Issue",
        "project_id": 1, "resolvable": false, "confidential": false, "internal": false, "imported": false,
        "noteable_iid": 1, "commands_changes": {},
    });
    assert_eq!(created, expected);
    assert_eq!(reporter.get(&format!("{path}/1")).expect(200), expected);
    assert_eq!(reporter.get(&path).list(), [expected]);
    let issue = server.below_project("/issues/1");
    assert_eq!(reporter.get(&issue).expect(200)["user_notes_count"], 1);
    let changed = reporter
        .put(&format!("{path}/1"), &json!({ "body": "Look there" }))
        .expect(200);
    assert_eq!(changed["body"], "Look there");

    let feed = server.below_project("/events?target_type=note");
    let entry = rows(&reporter, &feed).remove(0);
    let shown = [
        &entry["action_name"],
        &entry["target_title"],
        &entry["target_id"],
    ];
    assert_eq!(
        shown,
        [&json!("commented on"), &json!("Disk full"), &json!(1)]
    );
    assert_eq!(entry["note"], changed);

    let old = reporter
        .clone()
        .with("If-Unmodified-Since", "Thu, 29 Feb 2024 08:12:31 GMT");
    assert_eq!(old.delete(&format!("{path}/1")).status, 412);
    assert_eq!(reporter.delete(&format!("{path}/1")).status, 204);
    assert_eq!(reporter.get(&issue).expect(200)["user_notes_count"], 0);
    let remaining = rows(&reporter, &feed).remove(0);
    assert_eq!(
        (remaining.get("note"), &remaining["target_id"]),
        (None, &json!(1))
    );
    let script = r#"
        GET /1
        404 {"message": "404 Note Not Found"}
        PUT /1 {"body": "x"}
        404 {"message": "404 Note Not Found"}
        POST . {}
        400 {"message": "400 (Bad request) \"body\" not given"}
        POST . {"body": " "}
        400 {"message": "400 (Bad request) \"body\" not given"}
        GET ?sort=up
        400 {"error": "sort does not have a valid value"}
    "#;
    play(&reporter, &path, script);
    let long = json!({ "body": "x".repeat(1_000_001) });
    let refused = reporter.post(&path, &long);
    assert_eq!(
        (refused.status, refused.json()),
        (
            400,
            json!({ "message": { "body": ["is too long (maximum is 1000000 characters)"] } })
        )
    );
    assert_eq!(
        reporter
            .get(&server.below_project("/issues/9/notes"))
            .status,
        404
    );
}

#[test]
fn every_change_of_an_issue_is_noted_and_not_counted() {
    let server = TestServer::start();
    let (reporter, path) = (server.reporter(), issue(&server));
    let one = server.below_project("/issues/1");
    let me = reporter.get("/api/v4/user").expect(200)["id"].clone();
    for change in [
        json!({ "title": "Disk nearly full", "description": "At 95%" }),
        json!({ "labels": "bug,ops", "assignee_ids": [me] }),
        json!({ "remove_labels": "ops", "due_date": "2024-02-29", "confidential": true }),
        json!({ "state_event": "close" }),
        json!({ "state_event": "close" }),
        json!({ "state_event": "reopen", "assignee_ids": [] }),
    ] {
        reporter.put(&one, &change).expect(200);
    }
    let expected = [
        "changed title from **Disk full** to **Disk nearly full**",
        "changed the description",
        "added ~\"bug\" ~\"ops\" labels",
        "assigned to @rita",
        "made the issue confidential",
        "changed due date to 2024-02-29",
        "removed ~\"ops\" label",
        "closed",
        "reopened",
        "unassigned @rita",
    ];
    assert_eq!(bodies(&reporter, &format!("{path}?sort=asc")), expected);
    assert_eq!(reporter.get(&one).expect(200)["user_notes_count"], 0);
    assert_eq!(
        rows(&reporter, &server.below_project("/events?target_type=note")).len(),
        0
    );
    // System notes cannot be changed.
    let admin = server.admin();
    assert_eq!(
        admin
            .put(&format!("{path}/1"), &json!({ "body": "x" }))
            .status,
        403
    );
    assert_eq!(admin.delete(&format!("{path}/1")).status, 403);
    admin.post(&path, &json!({ "body": "mine" })).expect(201);
    assert_eq!(
        bodies(&admin, &format!("{path}?activity_filter=only_comments")),
        ["mine"]
    );
    assert_eq!(
        bodies(&admin, &format!("{path}?activity_filter=only_activity")).len(),
        10
    );
    assert_eq!(
        bodies(&admin, &format!("{path}?per_page=1&sort=asc"))[0],
        expected[0]
    );
    // An issue's notes are deleted with it.
    assert_eq!(admin.delete(&one).status, 204);
    for table in ["notes", "issue_labels", "issue_assignees"] {
        assert_eq!(count(&server, table), 0, "{table}");
    }
}

#[test]
fn internal_notes_and_those_on_confidential_issues_are_for_reporters() {
    let server = TestServer::start();
    change(&server, PUBLIC);
    let (reporter, path) = (server.reporter(), issue(&server));
    let passer = server.stranger("passer-by");
    passer.post(&path, &json!({ "body": "open" })).expect(201);
    reporter
        .post(&path, &json!({ "body": "secret", "internal": true }))
        .expect(201);
    assert_eq!(
        passer
            .post(&path, &json!({ "body": "x", "internal": true }))
            .status,
        403
    );
    assert_eq!(
        server
            .anonymous()
            .post(&path, &json!({ "body": "x" }))
            .status,
        401
    );
    assert_eq!(bodies(&passer, &path), ["open"]);
    assert_eq!(bodies(&server.anonymous(), &path), ["open"]);
    assert_eq!(bodies(&reporter, &path), ["secret", "open"]);
    assert_eq!(passer.get(&format!("{path}/2")).status, 404);
    // Only Maintainers may change others' notes.
    assert_eq!(
        reporter
            .put(&format!("{path}/1"), &json!({ "body": "y" }))
            .status,
        403
    );
    assert_eq!(
        passer
            .put(&format!("{path}/1"), &json!({ "body": "open!" }))
            .expect(200)["id"],
        1
    );
    server
        .admin()
        .put(&format!("{path}/1"), &json!({ "body": "open?" }))
        .expect(200);
    let feed = server.below_project("/events?target_type=note");
    let seen = |caller: &TestCaller| {
        let rows = rows(caller, &feed);
        rows.iter()
            .map(|row| row["note"]["body"].clone())
            .collect::<Vec<Value>>()
    };
    assert_eq!(seen(&passer), ["open?"]);
    assert_eq!(seen(&reporter), ["secret", "open?"]);
    let one = server.below_project("/issues/1");
    reporter
        .put(&one, &json!({ "confidential": true }))
        .expect(200);
    assert_eq!((seen(&passer).len(), seen(&reporter).len()), (0, 2));
    assert_eq!(passer.get(&path).status, 404);
    reporter
        .put(&one, &json!({ "confidential": false }))
        .expect(200);
    assert_eq!((seen(&passer).len(), seen(&reporter).len()), (1, 2));
    // A locked discussion is for members.
    reporter
        .put(&one, &json!({ "discussion_locked": true }))
        .expect(200);
    assert_eq!(passer.post(&path, &json!({ "body": "x" })).status, 403);
    reporter
        .post(&path, &json!({ "body": "still" }))
        .expect(201);
}

#[test]
fn notes_on_alerts_are_for_developers() {
    let server = TestServer::start();
    let alert = server.raise(&json!({ "title": "Disk full" }))["iid"].clone();
    let path = format!("{}/{alert}/notes", server.alerts());
    let developer = server.developer();
    let created = developer
        .post(&path, &json!({ "body": "mine" }))
        .expect(201);
    assert_eq!(
        (&created["noteable_iid"], &created["noteable_type"]),
        (&alert, &json!("AlertManagement::Alert"))
    );
    assert_eq!(bodies(&developer, &path), ["mine"]);
    let reporter = server.reporter();
    for answer in [
        reporter.get(&path),
        reporter.post(&path, &json!({ "body": "x" })),
    ] {
        assert_eq!(answer.status, 403);
    }
    let feed = server.below_project("/events?target_type=note");
    assert_eq!(
        (rows(&developer, &feed).len(), rows(&reporter, &feed).len()),
        (1, 0)
    );
    assert_eq!(rows(&developer, &feed)[0]["note"], created);
    developer
        .put(&format!("{path}/1"), &json!({ "body": "ours" }))
        .expect(200);
    assert_eq!(server.admin().delete(&format!("{path}/1")).status, 204);
    assert_eq!(bodies(&developer, &path), [""; 0]);
    let unknown = developer.get(&format!("{}/99/notes", server.alerts()));
    assert_eq!(
        (unknown.status, unknown.json()),
        (404, json!({ "message": "404 Alert Not Found" }))
    );
}
