//! Changes of errors of an external tracker.

use serde_json::{Value, json};

use super::{ConnectedServers, connect};
use crate::error_tracking::below;
use crate::support::TestServer;

/// Changes the first error.
fn change(servers: &ConnectedServers, body: &Value) -> crate::support::TestResponse {
    let path = below(&servers.near, "/errors/3");
    servers.near.developer().put(&path, body)
}

fn status(server: &TestServer) -> Value {
    let found = server.developer().get(&below(server, "/errors/3"));
    found.expect(200)["status"].clone()
}

#[test]
fn a_state_is_changed_there_and_seen_at_once_here() {
    let servers = ConnectedServers::start();
    assert_eq!(status(&servers.near), "unresolved");
    for (body, expected) in [
        (json!({ "status": "resolved" }), "resolved"),
        (
            json!({ "status": "ignored", "ignore_count": 100 }),
            "ignored",
        ),
        (json!({ "status": "unresolved" }), "unresolved"),
        (
            json!({ "status": "resolved", "in_next_release": true }),
            "resolved",
        ),
        (json!({ "status": "ignored" }), "ignored"),
        (
            json!({ "status": "resolved", "in_release": "web-shop@9.0.0" }),
            "resolved",
        ),
    ] {
        assert_eq!(change(&servers, &body).expect(200)["status"], expected);
        assert_eq!(
            (status(&servers.near), status(&servers.far)),
            (json!(expected), json!(expected))
        );
    }
    let there = servers
        .far
        .developer()
        .get(&below(&servers.far, "/errors/3"));
    assert_eq!(
        there.expect(200)["status_details"]["in_release"],
        "web-shop@9.0.0"
    );
    // Each change has an entry in the feed of this server.
    let feed = servers.near.below_project("/events?per_page=100");
    let feed = servers.near.developer().get(&feed).list();
    let actions: Vec<&str> = feed
        .iter()
        .filter(|entry| entry["target_title"] == "PaymentError: order 8814 has no amount")
        .take(6)
        .map(|entry| entry["action_name"].as_str().unwrap())
        .collect();
    assert_eq!(
        actions,
        ["closed", "opened", "closed", "opened", "opened", "closed"]
    );
}

#[test]
fn changes_possible_only_in_the_external_tracker_are_refused() {
    let servers = ConnectedServers::start();
    for body in [
        json!({ "assignee_id": 1 }),
        json!({ "status": "resolved", "assignee_id": null }),
        json!({ "status": "resolved", "issue_iid": 1 }),
    ] {
        change(&servers, &body).expect(400);
    }
    assert_eq!(status(&servers.far), "unresolved");
    let path = below(&servers.near, "/errors/3");
    let (developer, admin) = (servers.near.developer(), servers.near.admin());
    developer
        .post(&format!("{path}/merge"), &json!({ "into_iid": 2 }))
        .expect(400);
    developer
        .post(&format!("{path}/grouping/1/split"), &json!({}))
        .expect(400);
    admin.delete(&path).expect(400);
    // A Reporter may only read, and others do not learn of the error.
    let resolve = json!({ "status": "resolved" });
    servers.near.reporter().put(&path, &resolve).expect(403);
    servers.near.anonymous().put(&path, &resolve).expect(401);
    assert_eq!(status(&servers.far), "unresolved");
}

#[test]
fn resolving_closes_the_linked_issue() {
    let servers = ConnectedServers::start();
    let issues = servers.near.below_project("/issues");
    let created = [1, 2].map(|number| {
        let body = json!({ "title": format!("About it {number}") });
        servers.near.developer().post(&issues, &body).expect(201)
    });
    let [issue, another] = [0, 1].map(|place: usize| created[place]["iid"].clone());
    let linked = change(&servers, &json!({ "issue_iid": issue })).expect(200);
    assert_eq!(linked["issue_id"], created[0]["id"]);
    // An issue is linked to at most one error.
    let second = below(&servers.near, "/errors/2");
    let conflict = servers
        .near
        .developer()
        .put(&second, &json!({ "issue_iid": issue }));
    conflict.expect(409);
    change(&servers, &json!({ "issue_iid": 999 })).expect(404);
    change(&servers, &json!({ "issue_iid": another })).expect(200);
    let listed = servers
        .near
        .reporter()
        .get(&below(&servers.near, "/errors"))
        .list();
    let first = listed.iter().find(|error| error["iid"] == 3).unwrap();
    assert_eq!(first["issue_id"], created[1]["id"]);
    let resolved = change(&servers, &json!({ "status": "resolved" })).expect(200);
    assert_eq!(resolved["closed_issue_iid"], another);
    let state = |iid: &Value| {
        let issue = servers.near.developer().get(&format!("{issues}/{iid}"));
        issue.expect(200)["state"].clone()
    };
    assert_eq!(
        (state(&issue), state(&another)),
        (json!("opened"), json!("closed"))
    );
    // Resolving again closes no issue, and a link can be removed.
    let again = change(&servers, &json!({ "status": "resolved" })).expect(200);
    assert_eq!(again["closed_issue_iid"], Value::Null);
    let unlinked = change(&servers, &json!({ "issue_iid": null })).expect(200);
    assert_eq!(unlinked["issue_id"], Value::Null);
}

#[test]
fn a_deleted_issue_and_another_tracker_end_a_link() {
    let servers = ConnectedServers::start();
    let issues = servers.near.below_project("/issues");
    let issue = |title: &str| {
        let created = servers
            .near
            .developer()
            .post(&issues, &json!({ "title": title }));
        created.expect(201)["iid"].clone()
    };
    let link = || {
        let found = servers
            .near
            .reporter()
            .get(&below(&servers.near, "/errors/3"));
        found.expect(200)["issue_id"].clone()
    };
    let first = issue("First");
    change(&servers, &json!({ "issue_iid": first })).expect(200);
    assert_ne!(link(), Value::Null);
    let path = format!("{issues}/{first}");
    assert_eq!(servers.near.admin().delete(&path).status, 204);
    assert_eq!(link(), Value::Null);
    change(&servers, &json!({ "issue_iid": issue("Second") })).expect(200);
    let token = servers.far.text("/developer/token").to_owned();
    let here = format!("{}/api/0/projects/acme/web-shop", servers.far.base_url());
    servers.far.create_project("acme/other", "private", "dev");
    connect(&servers.near, &here.replace("web-shop", "other"), &token);
    connect(&servers.near, &here, &token);
    assert_eq!(link(), Value::Null);
}
