//! Changes of errors by users (`ERR-05`), and their consequences.

use serde_json::{Value, json};

use super::{below, error, event, path_of, report};
use crate::support::TestServer;

#[track_caller]
fn change(server: &TestServer, error: &Value, change: &Value) -> Value {
    server
        .developer()
        .put(&path_of(server, error), change)
        .expect(200)
}

fn status(server: &TestServer, title: &str) -> Value {
    error(server, title)["status"].clone()
}

#[test]
fn a_resolved_error_that_comes_again_is_a_regression() {
    let server = TestServer::start();
    let one = report(&server, "Again");
    change(&server, &one, &json!({ "status": "resolved" }));
    assert_eq!(status(&server, "Again"), json!("resolved"));
    let back = report(&server, "Again");
    assert_eq!(back["status"], json!("unresolved"));
    assert_eq!(back["regressed_at"], back["last_seen"]);
    let events = server.below_project("/events?target_type=error&per_page=3");
    let actions: Vec<Value> = server.reporter().get(&events).list();
    let actions: Vec<&Value> = actions.iter().map(|event| &event["action_name"]).collect();
    assert_eq!(actions, ["opened", "closed", "opened"]);
}

#[test]
fn releases_before_the_mending_bring_nothing_back() {
    let server = TestServer::start();
    let tracker = server.tracker();
    let send = |release: &str| {
        let mut sent = event("Released");
        sent["release"] = json!(release);
        tracker.store(&sent).expect(200);
    };
    send("shop@1.9.0");
    let one = error(&server, "Released");
    let resolved = json!({ "status": "resolved", "in_next_release": true });
    let details = change(&server, &one, &resolved)["status_details"].clone();
    assert_eq!(details, json!({ "after_release": "shop@1.9.0" }));
    for (release, expected) in [
        ("shop@1.8.0", "resolved"),
        ("shop@1.9.0", "resolved"),
        ("shop@1.10.0", "unresolved"),
    ] {
        send(release);
        assert_eq!(status(&server, "Released"), json!(expected), "{release}");
    }
    for wrong in [
        json!({ "status": "ignored", "in_release": "shop@1" }),
        json!({ "status": "resolved", "ignore_count": 4 }),
        json!({}),
    ] {
        server
            .developer()
            .put(&path_of(&server, &one), &wrong)
            .expect(400);
    }
}

#[test]
fn an_ignored_error_is_reopened_after_its_ignore_count() {
    let server = TestServer::start();
    let one = report(&server, "Quiet");
    let details = change(
        &server,
        &one,
        &json!({ "status": "ignored", "ignore_count": 2 }),
    );
    assert_eq!(
        details["status_details"],
        json!({ "ignore_until_count": 3 })
    );
    assert_eq!(report(&server, "Quiet")["status"], json!("ignored"));
    assert_eq!(report(&server, "Quiet")["status"], json!("unresolved"));
    let listed = below(&server, "/errors?search=Quiet");
    assert_eq!(server.reporter().get(&listed).list().len(), 1);
}

#[test]
fn resolving_closes_the_linked_issue_and_closing_resolves_the_error() {
    let server = TestServer::start();
    let issues = server.below_project("/issues");
    let issue = || {
        server
            .developer()
            .post(&issues, &json!({ "title": "Mend it" }))
            .expect(201)["iid"]
            .clone()
    };
    let [first, second] = [issue(), issue()];
    let one = report(&server, "Linked");
    let linked = change(&server, &one, &json!({ "issue_iid": first }));
    assert!(linked["issue_id"].is_number());
    let other = report(&server, "Other");
    let conflict = server
        .developer()
        .put(&path_of(&server, &other), &json!({ "issue_iid": first }));
    conflict.expect(409);
    server
        .developer()
        .put(&path_of(&server, &other), &json!({ "issue_iid": 999 }))
        .expect(404);
    let resolved = change(&server, &one, &json!({ "status": "resolved" }));
    assert_eq!(resolved["closed_issue_iid"], first);
    let state = |iid: &Value| {
        server
            .developer()
            .get(&format!("{issues}/{iid}"))
            .expect(200)["state"]
            .clone()
    };
    assert_eq!(state(&first), json!("closed"));
    let notes = |iid: &Value| {
        let path = format!("{issues}/{iid}/notes?sort=asc");
        crate::support::pages::column(&server.developer(), &path, "body")
    };
    let expected = ["resolved the corresponding error", "closed"];
    assert_eq!(notes(&first), expected);
    // The issue is already closed, and still shows when the error was resolved again.
    change(&server, &one, &json!({ "status": "unresolved" }));
    change(&server, &one, &json!({ "status": "resolved" }));
    change(&server, &one, &json!({ "status": "resolved" }));
    assert_eq!(notes(&first), [expected[0], expected[1], expected[0]]);
    change(&server, &other, &json!({ "issue_iid": second }));
    let close = json!({ "state_event": "close" });
    server
        .developer()
        .put(&format!("{issues}/{second}"), &close)
        .expect(200);
    assert_eq!(status(&server, "Other"), json!("resolved"));
    assert_eq!(notes(&second), ["closed"]);
    server
        .admin()
        .delete(&format!("{issues}/{first}"))
        .expect(204);
    assert_eq!(error(&server, "Linked")["issue_id"], Value::Null);
}

#[test]
fn an_error_is_assigned_only_to_users_with_access() {
    let server = TestServer::start();
    let one = report(&server, "Assigned");
    let assign = |id: Value| {
        server
            .developer()
            .put(&path_of(&server, &one), &json!({ "assignee_id": id }))
    };
    assert_eq!(assign(json!(3)).expect(200)["assignee_id"], json!(3));
    let listed = below(&server, "/errors?assignee_id=3");
    assert_eq!(server.reporter().get(&listed).list().len(), 1);
    assert_eq!(assign(Value::Null).expect(200)["assignee_id"], Value::Null);
    server.stranger("mallory");
    for id in [json!(4), json!(5), json!(99)] {
        assign(id).expect(400);
    }
}

#[test]
fn errors_are_merged_and_split() {
    let server = TestServer::start();
    let [one, two] = [report(&server, "First"), report(&server, "Second")];
    let merge = format!("{}/merge", path_of(&server, &two));
    let into = json!({ "into_iid": one["iid"] });
    let merged = server.developer().post(&merge, &into).expect(200);
    assert_eq!(merged["count"], json!(2));
    let developer = server.developer();
    let location = |answer: crate::support::TestResponse| {
        assert_eq!(answer.status, 301, "{answer:?}");
        answer.header("location").unwrap().to_owned()
    };
    let at = |error: &Value| format!("{}{}", server.base_url(), path_of(&server, error));
    let led = developer.get(&path_of(&server, &two));
    assert_eq!(location(led), at(&one));
    let led = developer.get(&format!("{}/events/latest?x=1", path_of(&server, &two)));
    assert_eq!(location(led), format!("{}/events/latest?x=1", at(&one)));
    let resolve = json!({ "status": "resolved" });
    let refused = developer.put(&path_of(&server, &two), &resolve);
    let text = "Non GET methods are not allowed for moved errors";
    refused.assert_is(405, &json!({ "message": text }));
    server
        .reporter()
        .get(&format!("/api/0/issues/{}/", two["id"]))
        .expect(200);
    server.tracker().store(&event("Second")).expect(200);
    let detail = server.developer().get(&path_of(&server, &one)).expect(200);
    assert_eq!(
        (
            &detail["count"],
            detail["grouping"].as_array().unwrap().len()
        ),
        (&json!(3), 2)
    );
    let key = |place: usize| {
        format!(
            "{}/grouping/{}/split",
            path_of(&server, &one),
            detail["grouping"][place]["id"]
        )
    };
    let apart = server.developer().post(&key(1), &json!({})).expect(201);
    assert_eq!(
        (&apart["count"], &apart["status"]),
        (&json!(2), &json!("unresolved"))
    );
    assert_eq!(error(&server, "First")["count"], json!(1));
    server.developer().post(&key(0), &json!({})).expect(409);
    server.developer().post(&merge, &into).expect(405);
    let itself = format!("{}/merge", path_of(&server, &one));
    server.developer().post(&itself, &into).expect(400);
    server
        .developer()
        .delete(&path_of(&server, &one))
        .expect(403);
    server.admin().delete(&path_of(&server, &one)).expect(204);
    server.admin().get(&path_of(&server, &one)).expect(404);
    server.admin().get(&path_of(&server, &two)).expect(404);
}

#[test]
fn a_new_error_opens_an_alert_that_resolving_ends() {
    let server = TestServer::start();
    let admin = server.admin().with("Content-Type", "application/json");
    let on = json!({ "opens_alerts": true }).to_string();
    admin
        .send("PATCH", &below(&server, "/options"), on.as_bytes())
        .expect(200);
    let one = report(&server, "Alarming");
    let alerts = || {
        let path = format!("{}?search=Alarming", server.alerts());
        let alerts = server.developer().get(&path).list().into_iter();
        alerts
            .map(|alert| alert["status"].clone())
            .collect::<Vec<Value>>()
    };
    assert_eq!(alerts(), ["triggered"]);
    report(&server, "Alarming");
    assert_eq!(
        alerts(),
        ["triggered"],
        "another event of the same error is no other alert"
    );
    change(&server, &one, &json!({ "status": "resolved" }));
    assert_eq!(alerts(), ["resolved"]);
    report(&server, "Alarming");
    assert_eq!(alerts(), ["triggered", "resolved"]);
}
