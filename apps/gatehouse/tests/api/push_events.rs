//! `POST /api/v4/projects/:id/events/push`: pushes in the feed.

use serde_json::{Value, json};

use crate::support::pages::column;
use crate::support::rows::count;
use crate::support::{TestCaller, TestResponse, TestServer};

/// Hash of a ref that does not exist.
const ZEROS: &str = "0000000000000000000000000000000000000000";
const OLD: &str = "1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a";
const NEW: &str = "2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b";

const PUSHES: &str = "/events?action=pushed&sort=asc";

fn change(name: &str, before: &str, after: &str) -> Value {
    json!({ "ref": name, "before": before, "after": after })
}

fn created(name: &str) -> Value {
    change(name, ZEROS, NEW)
}

/// Reports a push to the demo's project.
fn report(server: &TestServer, caller: &TestCaller, changes: &[Value]) -> TestResponse {
    let path = server.below_project("/events/push");
    caller.post(&path, &json!({ "changes": changes }))
}

/// Short forms of events: the label, the ref, and the number of refs.
fn short(events: &Value) -> Vec<String> {
    let events = events.as_array().unwrap().iter();
    let short = events.map(|event| {
        let push = &event["push_data"];
        let label = event["action_name"].as_str().unwrap();
        match &push["ref_count"] {
            Value::Null => format!("{label} {}", push["ref"].as_str().unwrap()),
            count => format!("{label} {count} {}", push["ref_type"].as_str().unwrap()),
        }
    });
    short.collect()
}

/// EVT-05, EVT-08.
#[test]
fn each_change_of_a_ref_is_an_event_as_the_feed_shows_it() {
    let server = TestServer::start();
    let pushed = json!({
        "ref": "refs/heads/main", "before": OLD, "after": NEW.to_uppercase(), "commit_count": 3,
        "commit_title": "Fix the disk\n\nIt was full.",
    });
    let removed = json!({
        "ref": "refs/tags/v1", "before": OLD, "after": ZEROS, "commit_count": 3, "commit_title": "x",
    });
    let changes = [pushed, created("refs/heads/a/b"), removed];
    let response = report(&server, &server.developer(), &changes);
    let events = response.expect(201);
    assert_eq!(
        short(&events),
        ["pushed to main", "pushed new a/b", "deleted v1"]
    );
    let text = response.text();
    for block in [
        format!(
            r#""push_data":{{"commit_count":3,"action":"pushed","ref_type":"branch","commit_from":"{OLD}","commit_to":"{NEW}","ref":"main","commit_title":"Fix the disk","ref_count":null}}"#
        ),
        format!(
            r#""push_data":{{"commit_count":0,"action":"created","ref_type":"branch","commit_from":null,"commit_to":"{NEW}","ref":"a/b","commit_title":null,"ref_count":null}}"#
        ),
        format!(
            r#""push_data":{{"commit_count":0,"action":"removed","ref_type":"tag","commit_from":"{OLD}","commit_to":null,"ref":"v1","commit_title":null,"ref_count":null}}"#
        ),
    ] {
        assert!(text.contains(&block), "{block}\n{text}");
    }
    let target = ["target_id", "target_iid", "target_type", "target_title"];
    assert_eq!(target.map(|name| &events[0][name]), [&Value::Null; 4]);
    assert_eq!(events[0]["author_username"], "dev");
    let feed = server.developer().get(&server.below_project(PUSHES));
    assert_eq!(feed.expect(200), events);
    let own = server.developer().get("/api/v4/events?action=pushed");
    assert_eq!(own.expect(200)[0]["push_data"], events[2]["push_data"]);
}

/// EVT-08.
#[test]
fn one_event_replaces_many_refs_of_one_kind_and_action() {
    let server = TestServer::start();
    let developer = server.developer();
    let branches = ["a", "b", "c", "d"].map(|name| created(&format!("refs/heads/{name}")));
    let events = report(&server, &developer, &branches[..3]).expect(201);
    assert_eq!(
        short(&events),
        ["pushed new a", "pushed new b", "pushed new c"]
    );
    let response = report(&server, &developer, &branches);
    assert_eq!(short(&response.expect(201)), ["pushed new 4 branch"]);
    let block = r#""push_data":{"commit_count":0,"action":"created","ref_type":"branch","commit_from":null,"commit_to":null,"ref":null,"commit_title":null,"ref_count":4}"#;
    assert!(response.text().contains(block), "{}", response.text());
    let tag = created("refs/tags/v1");
    let moved = change("refs/heads/main", OLD, NEW);
    let mixed = [&[moved, tag][..], &branches].concat();
    assert_eq!(
        short(&report(&server, &developer, &mixed).expect(201)),
        ["pushed to main", "pushed new v1", "pushed new 4 branch"]
    );
}

#[test]
fn the_limit_of_events_is_configured() {
    let server = TestServer::start_configured("[events]\npush_events_limit = 1\n");
    let changes = ["a", "b"].map(|name| created(&format!("refs/tags/{name}")));
    let events = report(&server, &server.developer(), &changes).expect(201);
    assert_eq!(short(&events), ["pushed new 2 tag"]);
    let events = report(&server, &server.developer(), &changes[..1]).expect(201);
    assert_eq!(short(&events), ["pushed new a"]);
}

#[test]
fn other_refs_are_ignored_and_counted() {
    let server = TestServer::start();
    let changes = [
        created("refs/notes/commits"),
        created("refs/heads/a"),
        created("HEAD"),
    ];
    let response = report(&server, &server.developer(), &changes);
    assert_eq!(short(&response.expect(201)), ["pushed new a"]);
    assert_eq!(response.header("x-gatehouse-ignored-refs"), Some("2"));
    let response = report(&server, &server.developer(), &changes[..1]);
    response.assert_is(201, &json!([]));
    assert_eq!(response.header("x-gatehouse-ignored-refs"), Some("1"));
}

/// AUTH-09, AUTH-10.
#[test]
fn a_report_takes_the_developer_role_and_a_scope() {
    let server = TestServer::start();
    let changes = [created("refs/heads/a")];
    let before = count(&server, "events");
    assert_eq!(report(&server, &server.anonymous(), &changes).status, 401);
    assert_eq!(report(&server, &server.reporter(), &changes).status, 403);
    for (scope, status) in [
        ("read_api", 403),
        ("read_repository", 403),
        ("read_user", 403),
    ] {
        let token = server.token("dev", scope);
        let caller = TestCaller::new(server.base_url(), Some(&token));
        assert_eq!(report(&server, &caller, &changes).status, status, "{scope}");
    }
    assert_eq!(count(&server, "events"), before);
    for scope in ["write_repository", "api"] {
        let token = server.token("dev", scope);
        let caller = TestCaller::new(server.base_url(), Some(&token));
        report(&server, &caller, &changes).expect(201);
    }
}

#[test]
fn an_archived_project_and_a_disabled_repository_take_no_pushes() {
    let server = TestServer::start();
    let (admin, project) = (server.admin(), server.below_project(""));
    let changes = [created("refs/heads/a")];
    let set = |level: &str| {
        let settings = json!({ "repository_access_level": level });
        admin.put(&project, &settings).assert_ok();
    };
    set("disabled");
    assert_eq!(report(&server, &server.developer(), &changes).status, 403);
    set("private");
    report(&server, &server.developer(), &changes).expect(201);
    admin
        .post(&format!("{project}/archive"), &json!({}))
        .assert_ok();
    let refusal = json!({ "message": "403 Forbidden - the project is archived" });
    for caller in [server.developer(), server.admin()] {
        report(&server, &caller, &changes).assert_is(403, &refusal);
    }
}

#[test]
fn only_administrators_report_the_pushes_of_others() {
    let server = TestServer::start();
    let path = server.below_project("/events/push");
    let send = |caller: &TestCaller, user: &Value| {
        let body = json!({ "user": user, "changes": [created("refs/heads/a")] });
        caller.post(&path, &body)
    };
    let developer = server.developer();
    let id = developer.get("/api/v4/user").expect(200)["id"].clone();
    let text = "403 Forbidden - only administrators may report a push of another user";
    let refusal = json!({ "message": text });
    for other in ["root", "nobody-of-this-name"] {
        send(&developer, &json!(other)).assert_is(403, &refusal);
    }
    for (caller, user) in [
        (&developer, json!("dev")),
        (&developer, id.clone()),
        (&developer, Value::Null),
        (&server.admin(), json!("dev")),
        (&server.admin(), id.clone()),
    ] {
        let events = send(caller, &user).expect(201);
        assert_eq!(events[0]["author_id"], id, "{user}");
    }
    let unknown = send(&server.admin(), &json!("nobody-of-this-name"));
    unknown.assert_is(404, &json!({ "message": "404 User Not Found" }));
}

#[test]
fn wrong_reports_are_refused_as_a_whole() {
    let server = TestServer::start();
    let path = server.below_project("/events/push");
    let before = count(&server, "events");
    let good = created("refs/heads/good");
    let many: Vec<Value> = (0..1001)
        .map(|number| created(&format!("refs/heads/{number}")))
        .collect();
    let long = "3c".repeat(32);
    for (changes, error) in [
        (json!("x"), "changes is invalid"),
        (
            json!(many),
            "changes must have 1 to 1000 items: report larger pushes in parts",
        ),
        (json!([good, 1]), "changes[1]: must be an object"),
        (
            json!([good, {}]),
            "changes[1]: ref, before and after are required",
        ),
        (
            json!([good, change("refs/heads/x", "1a", NEW)]),
            "changes[1]: before does not have a valid value",
        ),
        (
            json!([good, change("refs/heads/x", ZEROS, ZEROS)]),
            "changes[1]: before and after are both zeros",
        ),
        (
            json!([good, change("refs/heads/x", OLD, &long)]),
            "changes[1]: before and after must have the same length",
        ),
        (
            json!([change("refs/heads/a b", OLD, NEW)]),
            "changes[0]: ref does not have a valid value",
        ),
        (
            json!([change("refs/heads/", OLD, NEW)]),
            "changes[0]: ref does not have a valid value",
        ),
        (
            json!([{ "ref": "refs/heads/a", "before": OLD, "after": NEW, "commit_count": -1 }]),
            "changes[0]: commit_count does not have a valid value",
        ),
        (
            json!([good, created("refs/tags/good"), good]),
            "changes[2]: refs/heads/good is listed twice",
        ),
    ] {
        let body = json!({ "changes": changes });
        let refused = server.developer().post(&path, &body);
        refused.assert_is(400, &json!({ "error": error }));
    }
    for nothing in [json!({}), json!({ "changes": null })] {
        let refused = server.developer().post(&path, &nothing);
        let text = "400 (Bad request) \"changes\" not given";
        refused.assert_is(400, &json!({ "message": text }));
    }
    let empty = server.developer().post(&path, &json!({ "changes": [] }));
    assert_eq!(empty.status, 400);
    assert_eq!(count(&server, "events"), before);
    let full = server
        .developer()
        .post(&path, &json!({ "changes": many[..1000] }));
    assert_eq!(short(&full.expect(201)), ["pushed new 1000 branch"]);
}

/// EVT-03, EVT-08. Pushes are for those who may fetch, whenever the feed is read.
#[test]
fn only_those_who_may_fetch_see_pushes() {
    let server = TestServer::start();
    let id = server.create_project("open/tools", "public", "dev")["id"].clone();
    let project = format!("/api/v4/projects/{id}");
    let body = json!({ "changes": [created("refs/heads/a")] });
    let developer = server.developer();
    developer
        .post(&format!("{project}/events/push"), &body)
        .expect(201);
    let set = |settings: &Value| server.admin().put(&project, settings).assert_ok();
    let guest = server.stranger("guest");
    let guest_id = guest.get("/api/v4/user").expect(200)["id"].clone();
    let member = json!({ "user_id": guest_id, "access_level": 10 });
    let members = format!("{project}/members");
    server.admin().post(&members, &member).expect(201);
    let seen = |caller: &TestCaller| {
        let feeds = [
            format!("{project}/events"),
            "/api/v4/users/dev/events".to_owned(),
        ];
        feeds.map(|feed| {
            let labels = column(caller, &feed, "action_name");
            labels.contains(&"pushed new".to_owned())
        })
    };
    assert_eq!(seen(&server.anonymous()), [true, true]);
    set(&json!({ "repository_access_level": "private" }));
    assert_eq!(seen(&server.anonymous()), [false, false]);
    assert_eq!(seen(&guest), [false, false]);
    assert_eq!(seen(&developer), [true, true]);
    let total = |caller: &TestCaller| {
        let answer = caller.get(&format!("{project}/events"));
        answer.header("x-total").map(str::to_owned)
    };
    assert_ne!(total(&guest), total(&developer));
    set(&json!({ "repository_access_level": "enabled", "visibility": "private" }));
    assert_eq!(seen(&guest), [false, false]);
    assert_eq!(seen(&developer), [true, true]);
    set(&json!({ "repository_access_level": "disabled" }));
    assert_eq!(seen(&developer), [false, false]);
    assert_eq!(seen(&server.admin()), [false, false]);
}

/// EVT-08.
#[test]
fn pages_describe_pushes() {
    let server = TestServer::start();
    let moved = change("refs/heads/main", OLD, NEW);
    let removed = change("refs/tags/v1", OLD, ZEROS);
    let branches = ["a", "b", "c", "d"].map(|name| created(&format!("refs/heads/{name}")));
    let changes = [&[moved, removed][..], &branches].concat();
    report(&server, &server.developer(), &changes).expect(201);
    let mut browser = server.signed_in("developer");
    for path in ["/acme/web-shop/-/activity", "/acme/web-shop", "/"] {
        let page = browser.visit(path).expect_text(200);
        for sentence in [
            "pushed to branch <bdi title=\"main\">main</bdi>",
            "deleted tag <bdi title=\"v1\">v1</bdi>",
            "pushed 4 new branches",
        ] {
            assert!(page.contains(sentence), "{path}: {sentence}");
        }
    }
}
