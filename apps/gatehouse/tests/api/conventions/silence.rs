//! Requests that were once accepted without effect: each is obeyed or refused (`API-11`).

use serde_json::{Value, json};

use crate::support::{TestCaller, TestServer};

const ASSIGNEES: &str = "include a user who does not exist or cannot access the project";

fn invalid(attribute: &str, text: &str) -> Value {
    json!({ "message": { attribute: [text] } })
}

/// A private project of the developer, which others do not see.
fn private_project(dev: &TestCaller) -> String {
    let created = dev
        .post("/api/v4/projects", &json!({ "name": "Own" }))
        .expect(201);
    format!("/api/v4/projects/{}", created["id"])
}

#[test]
fn unknown_assignees_are_refused_like_unknown_milestones() {
    let server = TestServer::start();
    let dev = server.developer();
    let issues = format!("{}/issues", private_project(&dev));
    let id = |caller: &TestCaller| caller.get("/api/v4/user").expect(200)["id"].clone();
    let (me, other) = (id(&dev), id(&server.reporter()));
    for ids in [json!([9999]), json!([me, other]), json!("9999")] {
        let body = json!({ "title": "a", "assignee_ids": ids });
        dev.post(&issues, &body)
            .assert_is(400, &invalid("assignees", ASSIGNEES));
    }
    let milestone = json!({ "title": "a", "milestone_id": 9999 });
    dev.post(&issues, &milestone)
        .assert_is(400, &invalid("milestone_id", "is invalid"));
    assert_eq!(dev.get(&issues).list(), Vec::<Value>::new());
    let created = dev
        .post(&issues, &json!({ "title": "a", "assignee_id": me }))
        .expect(201);
    let one = format!("{issues}/{}", created["iid"]);
    let wrong = json!({ "assignee_id": 9999, "title": "b" });
    dev.put(&one, &wrong)
        .assert_is(400, &invalid("assignees", ASSIGNEES));
    assert_eq!(dev.get(&one).expect(200)["title"], "a");
    // A current assignee may stay, even without access to the project.
    let members = issues.replace("/issues", "/members");
    let member = json!({ "user_id": other, "access_level": 20 });
    dev.post(&members, &member).expect(201);
    let both = json!({ "assignee_ids": [me, other] });
    dev.put(&one, &both).expect(200);
    dev.delete(&format!("{members}/{other}")).expect(204);
    let kept = json!({ "assignee_ids": [me, other], "title": "c" });
    assert_eq!(
        dev.put(&one, &kept).expect(200)["assignees"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn a_label_with_a_comma_is_refused_because_it_could_never_be_named() {
    let server = TestServer::start();
    let (reporter, labels) = (server.reporter(), server.below_project("/labels"));
    let refusal = invalid("title", "can't contain a comma, which separates labels");
    let label = |name: &str| json!({ "name": name, "color": "#fff" });
    reporter
        .post(&labels, &label("a,b"))
        .assert_is(400, &refusal);
    let created = reporter.post(&labels, &label("a")).expect(201);
    let renamed = json!({ "new_name": "a,b" });
    let one = format!("{labels}/{}", created["id"]);
    reporter.put(&one, &renamed).assert_is(400, &refusal);
}

#[test]
fn a_label_is_deleted_by_the_name_in_the_query_or_the_body() {
    let server = TestServer::start();
    let (reporter, labels) = (server.reporter(), server.below_project("/labels"));
    for name in ["to do", "42"] {
        let body = json!({ "name": name, "color": "#fff" });
        reporter.post(&labels, &body).expect(201);
    }
    reporter
        .delete(&format!("{labels}?name=to%20do"))
        .expect(204);
    reporter
        .delete(&format!("{labels}?name=to%20do"))
        .expect(404);
    let json = reporter.clone().with("Content-Type", "application/json");
    json.send("DELETE", &labels, br#"{"name":"42"}"#)
        .expect(204);
    let missing = json!({ "message": "400 (Bad request) \"name\" not given" });
    reporter.delete(&labels).assert_is(400, &missing);
    assert_eq!(reporter.get(&labels).list(), Vec::<Value>::new());
}

#[test]
fn a_day_of_expiry_may_come_with_a_time_of_day() {
    let server = TestServer::start();
    let dev = server.developer();
    let members = format!("{}/members", private_project(&dev));
    let other = server.reporter().get("/api/v4/user").expect(200)["id"].clone();
    let member =
        json!({ "user_id": other, "access_level": 20, "expires_at": "2999-01-01T23:59:59+02:00" });
    assert_eq!(
        dev.post(&members, &member).expect(201)["expires_at"],
        "2999-01-01"
    );
    let member = json!({ "access_level": 30, "expires_at": "2999-02-01T00:00:00.000Z" });
    let one = format!("{members}/{other}");
    assert_eq!(
        dev.put(&one, &member).expect(200)["expires_at"],
        "2999-02-01"
    );
}

/// Clients whose options are absent send `null` as the whole body.
#[test]
fn a_body_of_null_is_an_empty_body() {
    let server = TestServer::start();
    let dev = server.developer();
    let json = dev.clone().with("Content-Type", "application/json");
    let path = private_project(&dev);
    json.send("POST", &format!("{path}/archive"), b"null")
        .expect(201);
    json.send("DELETE", &path, b"null").expect(202);
    json.send("POST", "/api/v4/projects", b"null").expect(400);
}

/// GitLab would run such a line. Here it would be stored in the note, and the issue would not change.
#[test]
fn a_quick_action_is_not_stored_as_text() {
    let server = TestServer::start();
    let (reporter, issues) = (server.reporter(), server.below_project("/issues"));
    let text = "contains the quick action /close, which this server does not support: edit the issue instead, or put the line in a \
                code block";
    let issue = json!({ "title": "a", "description": "/close" });
    reporter
        .post(&issues, &issue)
        .assert_is(400, &invalid("description", text));
    let created = reporter.post(&issues, &json!({ "title": "a" })).expect(201);
    let notes = format!("{issues}/{}/notes", created["iid"]);
    let note = |body: &str| reporter.post(&notes, &json!({ "body": body }));
    note("Done.\n/close").assert_is(400, &invalid("body", text));
    assert_eq!(reporter.get(&notes).list(), Vec::<Value>::new());
    let written = note("```\n/close\n```\nSee /close and /etc/hosts").expect(201);
    let one = format!("{notes}/{}", written["id"]);
    let changed = json!({ "body": "/close" });
    reporter
        .put(&one, &changed)
        .assert_is(400, &invalid("body", text));
}
