//! `/api/v4/events` and `/api/v4/users/:id/events`: events of a user.

use serde_json::{Value, json};

use crate::support::pages::column;
use crate::support::script::play;
use crate::support::{TestCaller, TestServer, rows};

const FEED: &str = "/api/v4/users/dev/events";

/// A server whose developer created an internal project with an issue, a confidential one, and a comment on each.
fn server_with_work() -> TestServer {
    let server = TestServer::start();
    let script = r#"
        POST /projects {"name": "Mine", "visibility": "internal"}
        201 {"...": 0, "id": 2}
        POST /projects/2/issues {"title": "Open"}
        201 {"...": 0, "iid": 1}
        POST /projects/2/issues {"title": "Secret", "confidential": true}
        201 {"...": 0, "iid": 2}
        POST /projects/2/issues/1/notes {"body": "Look"}
        201 {"...": 0}
        POST /projects/2/issues/2/notes {"body": "Hush"}
        201 {"...": 0}
        PUT /projects/2/issues/1 {"state_event": "close"}
        200 {"...": 0}
    "#;
    play(&server.developer(), "/api/v4", script);
    server
}

/// Entries of a feed, in short: the action, and the title.
fn feed_entries(caller: &TestCaller, path: &str) -> Vec<String> {
    let answer = caller.get(path).expect(200);
    let events = answer.as_array().unwrap().iter();
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    events
        .map(|event| {
            format!(
                "{} {}",
                word(&event["action_name"]),
                word(&event["target_title"])
            )
        })
        .collect()
}

/// EVT-01, EVT-02, EVT-05.
#[test]
fn a_user_feed_contains_only_events_visible_to_the_reader() {
    let server = server_with_work();
    let all = [
        "closed Open",
        "commented on Secret",
        "commented on Open",
        "opened Secret",
        "opened Open",
        "created -",
    ];
    let open = [
        "closed Open",
        "commented on Open",
        "opened Open",
        "created -",
    ];
    let dev = server.developer();
    assert_eq!(feed_entries(&dev, "/api/v4/events"), all);
    assert_eq!(feed_entries(&dev, "/api/v4/events?scope=mine"), all);
    assert_eq!(feed_entries(&dev, FEED), all);
    assert_eq!(feed_entries(&server.admin(), FEED), all);
    assert_eq!(feed_entries(&server.reporter(), FEED), open);
    let number = dev.get("/api/v4/user").expect(200)["id"].to_string();
    let by_number = format!("/api/v4/users/{number}/events");
    assert_eq!(feed_entries(&server.reporter(), &by_number), open);
    assert_eq!(feed_entries(&server.reporter(), "/api/v4/events"), [""; 0]);
    assert_eq!(
        feed_entries(&server.anonymous(), FEED),
        [""; 0],
        "it is internal"
    );
    assert_eq!(server.anonymous().get("/api/v4/events").status, 401);
    let first = &dev.get(&format!("{FEED}?per_page=2")).expect(200)[1];
    assert_eq!(first.get("data"), None, "it stands in feeds of projects");
    assert_eq!(
        (
            &first["note"]["body"],
            &first["author_username"],
            &first["title"]
        ),
        (&json!("Hush"), &json!("dev"), &json!(null))
    );
    let unknown = dev.get("/api/v4/users/nobody/events");
    unknown.assert_is(404, &json!({ "message": "404 User Not Found" }));
    // A change of visibility takes effect at once.
    let hide = json!({ "visibility": "private" });
    dev.put("/api/v4/projects/2", &hide).expect(200);
    assert_eq!(feed_entries(&server.reporter(), FEED), [""; 0]);
    dev.delete("/api/v4/projects/2").expect(202);
    assert_eq!(feed_entries(&dev, "/api/v4/events"), [""; 0]);
}

/// EVT-02, PAGE-01.
#[test]
fn pages_are_filled_with_visible_events_only() {
    let server = server_with_work();
    let reporter = server.reporter();
    let answer = reporter.get(&format!("{FEED}?per_page=3&page=1"));
    assert_eq!(answer.list().len(), 3);
    let headers = ["x-total", "x-total-pages", "x-next-page", "x-prev-page"];
    let of = |answer: &crate::support::TestResponse| {
        headers.map(|name| answer.header(name).map(str::to_owned))
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(of(&answer), [some("4"), some("2"), some("2"), some("")]);
    let last = reporter.get(&format!("{FEED}?per_page=3&page=2"));
    assert_eq!(
        (last.list().len(), &of(&last)[2..]),
        (1, &[some(""), some("1")][..])
    );
    let ids = column(&reporter, &format!("{FEED}?sort=asc&per_page=2"), "id");
    assert!(ids[0].parse::<i64>().unwrap() < ids[1].parse::<i64>().unwrap());
    let keyset = reporter.get(&format!("{FEED}?pagination=keyset"));
    assert_eq!(keyset.status, 405);
}

/// EVT-04.
#[test]
fn the_filters_are_those_of_the_feed_of_a_project() {
    let server = server_with_work();
    let dev = server.developer();
    for (query, expected) in [
        ("action=closed", &["closed Open"][..]),
        (
            "action=created&target_type=issue&sort=asc",
            &["opened Open", "opened Secret"],
        ),
        (
            "target_type=note",
            &["commented on Secret", "commented on Open"],
        ),
        ("before=2001-01-01", &[]),
        ("after=2001-01-01&action=closed", &["closed Open"]),
        ("after=2999-01-01", &[]),
    ] {
        assert_eq!(
            feed_entries(&dev, &format!("/api/v4/events?{query}")),
            expected,
            "{query}"
        );
    }
    let wrong = dev.get("/api/v4/events?action=opened&before=x&sort=up");
    let text =
        "action does not have a valid value, before is invalid, sort does not have a valid value";
    wrong.assert_is(400, &json!({ "error": text }));
}

/// EVT-01, AUTH-05.
#[test]
fn a_token_that_reads_users_reads_feeds_of_users() {
    let server = server_with_work();
    let with = |scope: &str| {
        let token = server.token("dev", scope);
        TestCaller::new(server.base_url(), Some(&token))
    };
    for path in ["/api/v4/events", FEED] {
        for scope in ["read_user", "read_api", "api"] {
            assert_eq!(with(scope).get(path).status, 200, "{path} {scope}");
        }
        assert_eq!(with("profile").get(path).status, 403, "{path}");
    }
}

/// EVT-02, PAGE-03. A reader who may not see most of a user's work gets an answer at bounded cost.
#[test]
fn no_page_examines_the_feed_without_end() {
    let server = server_with_work();
    let dev = server.developer();
    let id = dev.get("/api/v4/user").expect(200)["id"].to_string();
    let many = |number: u32, audience: u8| {
        let numbers = format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {number})"
        );
        let statement = format!(
            "{numbers} INSERT INTO events (project_id, author_id, action, audience, created_at) \
             SELECT 2, {id}, 1, {audience}, (SELECT MAX(created_at) FROM events) FROM n"
        );
        rows::change(&server, &statement);
    };
    many(2_500, 0);
    let page = server.reporter().get(&format!("{FEED}?per_page=5"));
    assert_eq!(page.list().len(), 5);
    assert_eq!(
        (page.header("x-total"), page.header("x-next-page")),
        (None, Some("2"))
    );
    many(10_500, 30);
    // The examined entries include none that the reporter may see; the list continues by key, and page numbers do not
    // lead further.
    let hidden = server.reporter().get(&format!("{FEED}?per_page=5"));
    assert_eq!(hidden.list().len(), 0);
    assert_eq!(
        (hidden.header("x-total"), hidden.header("x-next-page")),
        (None, Some(""))
    );
    let cursor = hidden.header("x-next-cursor").unwrap().to_owned();
    let link = hidden.header("link").unwrap().to_owned();
    let next = format!("cursor={cursor}&page=1&per_page=5>; rel=\"next\"");
    assert!(link.contains(&next), "{link}");
    let rest = server
        .reporter()
        .get(&format!("{FEED}?per_page=5&cursor={cursor}"));
    assert_eq!(rest.list().len(), 5);
    assert_eq!(rest.header("x-next-cursor"), None);
    let wrong = server.reporter().get(&format!("{FEED}?cursor=5"));
    assert_eq!(
        wrong.expect(400)["error"],
        "cursor does not have a valid value"
    );
    assert_eq!(
        feed_entries(&dev, &format!("{FEED}?per_page=1")),
        ["created -"]
    );
    let narrow = format!("{FEED}?action=closed&sort=asc&per_page=1&before=2001-01-01");
    assert_eq!(feed_entries(&server.reporter(), &narrow), [""; 0]);
}
