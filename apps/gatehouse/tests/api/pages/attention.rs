//! The home page and its lists, Atom feeds, and the calendar of contributions.

use serde_json::{Value, json};

use crate::support::{TestServer, browser::TestBrowser, rows};

/// Title that would be harmful as markup.
const HOSTILE: &str = "<script>x</script>]]>&\"'";

/// The same title in a page or a feed.
const ESCAPED: &str = "&#60;script&#62;x&#60;/script&#62;]]&#62;&#38;&#34;&#39;";

fn text(browser: &mut TestBrowser, path: &str) -> String {
    browser.open(path).expect_text(200)
}

fn stranger(server: &TestServer, username: &str) -> TestBrowser {
    server.stranger(username);
    let created = server.command_json(&["user", "password", username, "--json"]);
    let mut browser = server.browser();
    browser.sign_in(username, created["password"].as_str().unwrap());
    browser
}

#[test]
fn home_shows_what_needs_the_visitor_and_its_lists_have_the_same_rows() {
    let server = TestServer::start();
    let developer = server.developer();
    let me = developer.get("/api/v4/user").expect(200)["id"].clone();
    let issue = json!({ "title": HOSTILE, "assignee_ids": [me] });
    let issue = developer.post(&server.below_project("/issues"), &issue);
    let iid = issue.expect(201)["iid"].clone();
    let error = "INSERT INTO errors (project_id, iid, status, title, culprit, level, platform, first_seen, last_seen, events, \
        users, regressed_at) SELECT 1, 900 + value, value, 'Boom ' || value, '', 40, 'rust', value, value, 1, 1, NULL \
        FROM (SELECT 0 AS value UNION ALL SELECT 1); \
        UPDATE errors SET first_seen = CAST(strftime('%s', 'now') AS INTEGER) * 1000000 WHERE iid >= 900";
    rows::change(&server, error);
    let mut browser = server.signed_in("developer");
    let page = text(&mut browser, "/");
    let issue = format!("href=\"/acme/web-shop/-/issues/{iid}\"");
    let alert = "href=\"/acme/web-shop/-/alert_management/1/details\"";
    let error = "href=\"/acme/web-shop/-/error_tracking/900/details\"";
    let blocks = [
        "Firing alerts",
        "New and regressed errors",
        "Issues assigned to you",
        "Recent activity",
    ];
    let places: Vec<usize> = blocks
        .iter()
        .map(|block| page.find(block).expect(block))
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    for part in [
        alert,
        error,
        &issue,
        ESCAPED,
        "href=\"/dashboard/projects\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // A resolved error needs nobody.
    assert!(!page.contains("Boom 1"), "{page}");
    for (path, row) in [
        ("/dashboard/alerts", alert),
        ("/dashboard/errors", error),
        ("/dashboard/issues", issue.as_str()),
    ] {
        let list = text(&mut browser, path);
        assert!(list.contains(row), "{path}: {list}");
    }
    // Alerts are for Developers, errors for Reporters, and both for members only.
    let mut reporter = server.signed_in("reporter");
    let page = text(&mut reporter, "/");
    assert!(
        page.contains(error) && !page.contains("Firing alerts"),
        "{page}"
    );
    assert!(!page.contains("Issues assigned to you"), "{page}");
    assert!(text(&mut reporter, "/dashboard/alerts").contains("No open alerts"));
    let mut zoe = stranger(&server, "zoe");
    for path in [
        "/",
        "/dashboard/alerts",
        "/dashboard/errors",
        "/dashboard/issues",
    ] {
        let page = text(&mut zoe, path);
        assert!(!page.contains("/acme/web-shop"), "{path}: {page}");
    }
    assert_eq!(server.browser().open("/dashboard/alerts").status, 303);
}

/// Total of a calendar.
fn contributions(browser: &mut TestBrowser, username: &str) -> u64 {
    let calendar = browser.open(&format!("/users/{username}/calendar.json"));
    let days: Value = serde_json::from_str(&calendar.expect_text(200)).unwrap();
    let days = days.as_object().unwrap().values();
    days.map(|count| count.as_u64().unwrap()).sum()
}

#[test]
fn feeds_and_calendars_show_each_visitor_what_the_visitor_may_see() {
    let server = TestServer::start();
    let developer = server.developer();
    let mut browser = server.signed_in("developer");
    let mut zoe = stranger(&server, "zoe");
    let mut anonymous = server.browser();
    let before = contributions(&mut browser, "dev");
    let issues = server.below_project("/issues");
    let issue = developer
        .post(&issues, &json!({ "title": HOSTILE }))
        .expect(201);
    let path = format!("{issues}/{}", issue["iid"]);
    let note = json!({ "body": "Seen." });
    developer.post(&format!("{path}/notes"), &note).expect(201);
    developer
        .put(&path, &json!({ "state_event": "close" }))
        .expect(200);
    let feed = browser.open("/acme/web-shop/-/activity.atom");
    let tag = feed.header("etag").unwrap().to_owned();
    assert_eq!(
        feed.header("content-type"),
        Some("application/atom+xml; charset=utf-8")
    );
    let body = feed.expect_text(200);
    let entries = body.matches("<entry>").count();
    let listed = developer.get(&server.below_project("/events?per_page=20"));
    let listed = listed.expect(200).as_array().unwrap().clone();
    assert_eq!(entries, listed.len());
    for event in &listed {
        let id = format!(":/events/{}</id>", event["id"]);
        assert!(body.contains(&id), "{id}: {body}");
    }
    assert!(
        body.contains(ESCAPED) && !body.contains("<script"),
        "{body}"
    );
    let known = browser.with("if-none-match", &tag);
    let mut browser = known;
    assert_eq!(browser.open("/acme/web-shop/-/activity.atom").status, 304);
    let mut browser = browser.with("if-none-match", "\"other\"");
    // The project is private.
    assert_ne!(zoe.open("/acme/web-shop/-/activity.atom").status, 200);
    assert_ne!(anonymous.open("/acme/web-shop/-/activity.atom").status, 200);
    let own = browser.open("/users/dev/activity.atom").expect_text(200);
    assert!(own.contains(ESCAPED), "{own}");
    for other in [&mut zoe, &mut anonymous] {
        let feed = other.open("/users/dev/activity.atom").expect_text(200);
        assert!(!feed.contains("script"), "{feed}");
        assert_eq!(contributions(other, "dev"), 0);
        assert_eq!(other.open("/users/nobody/activity.atom").status, 404);
        assert_eq!(other.open("/users/nobody/calendar.json").status, 404);
    }
    // Opened, commented and closed.
    assert_eq!(contributions(&mut browser, "dev"), before + 3);
    let page = text(&mut browser, "/dev");
    for part in [
        "<svg class=\"contributions year\"",
        "By month",
        "/users/dev/activity.atom",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // Guests do not see what is confidential, and it is not counted for them either.
    let mut reporter = server.signed_in("reporter");
    assert_eq!(contributions(&mut reporter, "dev"), before + 3);
    let lower = "UPDATE namespace_members SET access_level = 10 WHERE access_level = 20";
    rows::change(&server, lower);
    developer
        .put(&path, &json!({ "confidential": true }))
        .expect(200);
    assert_eq!(contributions(&mut reporter, "dev"), before);
    assert_eq!(contributions(&mut browser, "dev"), before + 3);
    // A private profile shows nothing to others.
    rows::change(
        &server,
        "UPDATE namespace_members SET access_level = 20 WHERE access_level = 10",
    );
    rows::change(
        &server,
        "UPDATE users SET private_profile = TRUE WHERE username = 'dev'",
    );
    let feed = reporter.open("/users/dev/activity.atom").expect_text(200);
    assert!(!feed.contains("<entry>"), "{feed}");
    assert_eq!(contributions(&mut reporter, "dev"), 0);
    assert!(!text(&mut reporter, "/dev").contains("contributions"));
}
