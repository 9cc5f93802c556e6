//! `/api/v4/projects/:id/issues/:issue_iid`: a single issue.

use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::pages::rows;
use crate::support::rows::change;
use crate::support::script::play;

#[test]
fn an_issue_is_created_updated_and_deleted_and_events_are_recorded() {
    let server = TestServer::start();
    let (reporter, path) = (server.reporter(), server.below_project("/issues"));
    server
        .reporter()
        .post(
            &server.below_project("/milestones"),
            &json!({ "title": "1.0" }),
        )
        .expect(201);
    let me = reporter.get("/api/v4/user").expect(200)["id"].clone();
    let body = json!({
        "title": "Disk full", "description": "- [x] look\n- [ ] mend", "labels": "ops,bug", "milestone_id": 1,
        "assignee_ids": [me], "due_date": "2024-02-29", "issue_type": "incident", "severity": "HIGH",
    });
    let created = reporter.post(&path, &body).expect(201);
    let shown = reporter.get(&format!("{path}/1")).expect(200);
    assert_eq!(created, shown);
    let base = server.base_url();
    let this = format!("{base}/api/v4/projects/1/issues/1");
    let dates = &created["created_at"];
    let expected = json!({
        "id": 1, "iid": 1, "project_id": 1, "title": "Disk full", "description": "- [x] look\n- [ ] mend",
        "state": "opened", "created_at": dates, "updated_at": dates, "closed_at": null, "closed_by": null,
        "labels": ["bug", "ops"], "milestone": created["milestone"], "assignees": [created["author"]],
        "author": created["author"], "type": "INCIDENT", "assignee": created["author"], "user_notes_count": 0,
        "merge_requests_count": 0, "upvotes": 0, "downvotes": 0, "due_date": "2024-02-29", "confidential": false,
        "discussion_locked": false, "issue_type": "incident", "web_url": format!("{base}/acme/web-shop/-/issues/1"),
        "time_stats": {
            "time_estimate": 0, "total_time_spent": 0, "human_time_estimate": null, "human_total_time_spent": null,
        },
        "task_completion_status": { "count": 2, "completed_count": 1 }, "has_tasks": true,
        "task_status": "1 of 2 tasks completed", "weight": null, "blocking_issues_count": 0,
        "_links": {
            "self": this, "notes": format!("{this}/notes"), "award_emoji": format!("{this}/award_emoji"),
            "project": format!("{base}/api/v4/projects/1"), "closed_as_duplicate_of": null,
        },
        "references": { "short": "#1", "relative": "#1", "full": "acme/web-shop#1" }, "severity": "HIGH",
        "subscribed": true, "moved_to_id": null, "service_desk_reply_to": null,
    });
    assert_eq!(created, expected);
    assert_eq!(created["milestone"]["title"], "1.0");
    assert_eq!(created["author"]["username"], "rita");

    let edit = |body: Value| reporter.put(&format!("{path}/1"), &body).expect(200);
    let closed =
        edit(json!({ "state_event": "close", "add_labels": "new", "remove_labels": ["ops", "x"] }));
    assert_eq!(
        (&closed["state"], &closed["labels"]),
        (&json!("closed"), &json!(["bug", "new"]))
    );
    assert_eq!(closed["closed_by"], created["author"]);
    assert!(closed["closed_at"].is_string());
    let emptied = edit(json!({
        "state_event": "reopen", "labels": "", "milestone_id": 0, "assignee_ids": [], "due_date": null,
        "description": "",
    }));
    for field in [
        "milestone",
        "closed_at",
        "closed_by",
        "due_date",
        "description",
        "assignee",
    ] {
        assert_eq!(emptied[field], Value::Null, "{field}");
    }
    assert_eq!(
        (&emptied["labels"], &emptied["assignees"]),
        (&json!([]), &json!([]))
    );
    assert_eq!(emptied["state"], "opened");

    let web = server
        .signed_in("reporter")
        .open("/acme/web-shop/-/issues/1");
    assert_eq!(web.status, 200);
    assert!(web.text().contains("Disk full"), "{}", web.text());
    assert_eq!(reporter.delete(&format!("{path}/1")).status, 403);
    assert_eq!(server.admin().delete(&format!("{path}/1")).status, 204);
    assert_eq!(
        reporter
            .post(&path, &json!({ "title": "again" }))
            .expect(201)["iid"],
        2
    );
    let feed = server.below_project("/events?target_type=issue&sort=asc");
    let fields = ["action_name", "target_type", "target_iid", "target_title"];
    let entry = |row: &Value| json!(fields.map(|field| row[field].clone()));
    let feed: Vec<Value> = rows(&reporter, &feed).iter().map(entry).collect();
    let entries = [
        ("opened", 1, "Disk full"),
        ("closed", 1, "Disk full"),
        ("opened", 1, "Disk full"),
        ("opened", 2, "again"),
    ];
    assert_eq!(
        feed,
        entries.map(|(action, iid, title)| json!([action, "Issue", iid, title]))
    );
}

#[test]
fn invalid_issue_requests_are_rejected_with_the_reason() {
    let server = TestServer::start();
    let path = server.below_project("/issues");
    server
        .reporter()
        .post(&path, &json!({ "title": "one" }))
        .expect(201);
    let script = r#"
        POST . {}
        400 {"message": "400 (Bad request) \"title\" not given"}
        POST . {"title": " "}
        400 {"message": "400 (Bad request) \"title\" not given"}
        POST . {"title": "LONG"}
        400 {"message": {"title": ["is too long (maximum is 255 characters)"]}}
        POST . {"title": "x", "milestone_id": 7}
        400 {"message": {"milestone_id": ["is invalid"]}}
        POST . {"title": "x", "labels": "LONG"}
        400 {"message": {"title": ["is too long (maximum is 255 characters)"]}}
        POST . {"title": "x", "issue_type": "epic", "severity": "bad", "due_date": "soon", "assignee_ids": ["x"]}
        400 {"error": "issue_type does not have a valid value, severity does not have a valid value, due_date is invalid, assignee_ids does not have a valid value"}
        PUT /1 {"title": ""}
        400 {"message": {"title": ["can't be blank"]}}
        PUT /1 {"state_event": "closed"}
        400 {"error": "state_event does not have a valid value"}
        PUT /1 {"nothing": 1}
        400
        PUT /9 {"title": "x"}
        404 {"message": "404 Issue Not Found"}
        GET /9
        404 {"message": "404 Issue Not Found"}
        DELETE /9
        404 {"message": "404 Issue Not Found"}
        GET /x
        404 {"message": "404 Issue Not Found"}
    "#;
    play(
        &server.admin(),
        &path,
        &script.replace("LONG", &"x".repeat(256)),
    );
    // The id of an issue is not a number in another project; administrators find the issue by its id.
    let other = server.create_project("acme/other", "public", "root");
    let others = format!("/api/v4/projects/{}/issues", other["id"]);
    let created = server
        .admin()
        .post(&others, &json!({ "title": "there" }))
        .expect(201);
    assert_eq!((&created["id"], &created["iid"]), (&json!(2), &json!(1)));
    let script = r#"
        GET /api/v4/projects/1/issues/2
        404 {"message": "404 Issue Not Found"}
    "#;
    play(&server.admin(), "", script);
    assert_eq!(
        server.admin().get("/api/v4/issues/2").expect(200),
        server.admin().get(&format!("{others}/1")).expect(200)
    );
    assert_eq!(server.reporter().get("/api/v4/issues/2").status, 403);
}

#[test]
fn a_delete_with_a_stale_if_unmodified_since_returns_412() {
    let server = TestServer::start();
    let path = server.below_project("/issues");
    let admin = server.admin();
    admin.post(&path, &json!({ "title": "one" })).expect(201);
    let one = format!("{path}/1");
    let old = admin
        .clone()
        .with("If-Unmodified-Since", "Thu, 29 Feb 2024 08:12:31 GMT");
    let answer = old.delete(&one);
    assert_eq!(
        (answer.status, answer.json()),
        (412, json!({ "message": "412 Precondition Failed" }))
    );
    let later = admin
        .clone()
        .with("If-Unmodified-Since", "Fri, 01 Jan 2100 00:00:00 GMT");
    assert_eq!(later.delete(&one).status, 204);
    admin.post(&path, &json!({ "title": "two" })).expect(201);
    let unreadable = admin.with("If-Unmodified-Since", "yesterday");
    assert_eq!(unreadable.delete(&format!("{path}/2")).status, 204);
}

#[test]
fn non_members_create_issues_and_update_only_text_and_state() {
    let server = TestServer::start();
    let path = server.below_project("/issues");
    // The stranger is not a member.
    change(
        &server,
        "UPDATE projects SET visibility = 20; UPDATE namespaces SET visibility = 20",
    );
    let stranger = server.stranger("passer-by");
    let created = stranger
        .post(
            &path,
            &json!({
                "title": "Help", "labels": "bug", "due_date": "2024-02-29", "confidential": true,
                "created_at": "2020-01-01T00:00:00Z", "assignee_ids": [1],
            }),
        )
        .expect(201);
    assert_eq!(
        (&created["labels"], &created["due_date"]),
        (&json!([]), &Value::Null)
    );
    assert_eq!(
        (&created["confidential"], &created["assignees"]),
        (&json!(true), &json!([]))
    );
    assert!(!created["created_at"].as_str().unwrap().starts_with("2020"));
    let one = format!("{path}/1");
    let words =
        json!({ "title": "Help!", "labels": "bug", "state_event": "close", "confidential": false });
    let changed = stranger.put(&one, &words).expect(200);
    assert_eq!(
        (&changed["title"], &changed["state"]),
        (&json!("Help!"), &json!("closed"))
    );
    assert_eq!(
        (&changed["labels"], &changed["confidential"]),
        (&json!([]), &json!(true))
    );
    // Others below Reporter do not see it; for an open one they learn that they may not change it.
    let other = server.stranger("somebody-else");
    let unknown = json!({ "message": "404 Issue Not Found" });
    for answer in [other.get(&one), other.put(&one, &words), other.delete(&one)] {
        assert_eq!((answer.status, answer.json()), (404, unknown.clone()));
    }
    server
        .reporter()
        .put(&one, &json!({ "confidential": false }))
        .expect(200);
    assert_eq!(other.put(&one, &words).status, 403);
    assert_eq!(other.delete(&one).status, 403);
    assert_eq!(stranger.delete(&one).status, 403);
    let owner = json!({ "title": "old", "created_at": "2020-01-01T00:00:00Z" });
    assert_eq!(
        server.admin().post(&path, &owner).expect(201)["created_at"],
        "2020-01-01T00:00:00.000Z"
    );
}

#[test]
fn entries_of_the_feed_follow_an_issue_that_becomes_confidential() {
    let server = TestServer::start();
    let path = server.below_project("/issues");
    change(
        &server,
        "UPDATE projects SET visibility = 20; UPDATE namespaces SET visibility = 20",
    );
    let reporter = server.reporter();
    let stranger = server.stranger("passer-by");
    reporter
        .post(&path, &json!({ "title": "one", "confidential": true }))
        .expect(201);
    reporter.post(&path, &json!({ "title": "two" })).expect(201);
    let feed = server.below_project("/events?target_type=issue");
    let count = |caller: &crate::support::TestCaller| rows(caller, &feed).len();
    assert_eq!((count(&reporter), count(&stranger)), (2, 1));
    for (confidential, seen) in [(true, 0), (false, 1)] {
        reporter
            .put(
                &format!("{path}/2"),
                &json!({ "confidential": confidential }),
            )
            .expect(200);
        assert_eq!((count(&reporter), count(&stranger)), (2, seen));
    }
}
