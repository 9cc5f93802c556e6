//! Requests of clients that may already have the response.

use serde_json::json;

use crate::support::{TestCaller, TestServer};

fn knowing(caller: TestCaller, tags: &str) -> TestCaller {
    caller.with("If-None-Match", tags)
}

/// API-14.
#[test]
fn a_client_that_has_the_body_is_not_sent_it_again() {
    let server = TestServer::start();
    for path in [
        "/api/v4/version".to_owned(),
        "/api/v4/user".to_owned(),
        "/api/v4/projects".to_owned(),
        server.below_project(""),
        server.below_project("/events"),
        "/api/v4/events".to_owned(),
        "/api/v4/events?scope=all".to_owned(),
        "/api/v4/users/dev/events".to_owned(),
        server.alerts(),
        format!("{}/1", server.alerts()),
        server.below_project("/alert_receipts"),
    ] {
        let first = server.developer().get(&path);
        first.assert_ok();
        let tag = first.header("etag").unwrap();
        assert!(tag.starts_with("W/\"") && tag.len() == 36, "{tag}");
        let strong = tag.trim_start_matches("W/");
        for known in [tag, strong, "*", &format!("\"other\", {tag}")] {
            let again = knowing(server.developer(), known).get(&path);
            assert_eq!(
                (again.status, again.body.len()),
                (304, 0),
                "{known} at {path}"
            );
            assert_eq!(again.header("etag"), Some(tag), "{path}");
            let head = knowing(server.developer(), known).send("HEAD", &path, b"");
            assert_eq!(head.status, 304, "{path}");
        }
        let other = knowing(server.developer(), "W/\"00000000000000000000000000000000\"");
        other.get(&path).assert_ok();
        let headers = first.header("cache-control");
        assert_eq!(
            headers,
            Some("max-age=0, private, must-revalidate"),
            "{path}"
        );
    }
}

/// API-14.
#[test]
fn a_new_alert_changes_the_etag_of_the_list() {
    let server = TestServer::start();
    let path = server.alerts();
    let before = server.developer().get(&path);
    let tag = before.header("etag").unwrap();
    server.raise(&json!({ "title": "News" }));
    let after = knowing(server.developer(), tag).get(&path);
    assert_eq!(after.status, 200);
    assert_ne!(after.header("etag"), Some(tag));
}

/// API-14. Knowing the tag of a response does not grant access to it.
#[test]
fn a_tag_opens_nothing() {
    let server = TestServer::start();
    let path = server.alerts();
    let tag = server.developer().get(&path);
    let tag = tag.header("etag").unwrap();
    for known in [tag, "*"] {
        assert_eq!(knowing(server.anonymous(), known).get(&path).status, 401);
        assert_eq!(knowing(server.reporter(), known).get(&path).status, 403);
    }
}

/// API-14. Paging continues: the headers of an unchanged page are those of the page.
#[test]
fn a_304_response_keeps_the_paging_headers() {
    let server = TestServer::start();
    let path = format!("{}?per_page=1", server.alerts());
    let first = server.developer().get(&path);
    let again = knowing(server.developer(), first.header("etag").unwrap()).get(&path);
    assert_eq!(again.status, 304);
    assert_eq!(again.header("link"), first.header("link"));
    assert_eq!(again.header("x-total"), Some("3"));
}

/// API-14. Conditions on the resource that the request itself changes are not supported.
#[test]
fn writing_knows_no_tags() {
    let server = TestServer::start();
    let path = format!("{}/1", server.alerts());
    let body = json!({ "status": "acknowledged" });
    let answer = knowing(server.developer(), "*").put(&path, &body);
    assert_eq!(answer.expect(200)["status"], "acknowledged");
    assert_eq!(answer.header("etag"), None);
}

/// API-15. Every single resource may be deleted on the condition that it has not changed.
#[test]
fn resources_modified_since_the_given_date_are_not_deleted() {
    let server = TestServer::start();
    let admin = server.admin();
    for (path, body) in [
        ("/labels", json!({ "name": "bug", "color": "#fff" })),
        ("/milestones", json!({ "title": "M1" })),
        ("/issues", json!({ "title": "Broken" })),
        ("/issues/1/notes", json!({ "body": "Look" })),
    ] {
        admin.post(&server.below_project(path), &body).expect(201);
    }
    let refused = json!({ "message": "412 Precondition Failed" });
    for path in [
        "/labels/1",
        "/milestones/1",
        "/issues/1/notes/1",
        "/issues/1",
        "",
    ] {
        let path = server.below_project(path);
        let seen = |date: &str| {
            let conditional = admin.clone().with("If-Unmodified-Since", date);
            conditional.delete(&path)
        };
        seen("Thu, 29 Feb 2024 08:12:31 GMT").assert_is(412, &refused);
        assert_eq!(admin.get(&path).status, 200, "{path}");
        // An invalid date is ignored, and a condition that holds permits the deletion.
        let deleted = seen("Thu, 29 Feb 2924 08:12:31 GMT").status;
        assert!([202, 204].contains(&deleted), "{path}: {deleted}");
        assert_eq!(admin.get(&path).status, 404, "{path}");
    }
    let label = json!({ "name": "bug", "color": "#fff" });
    let created = server
        .developer()
        .post("/api/v4/projects", &json!({ "name": "Own" }))
        .expect(201);
    let labels = format!("/api/v4/projects/{}/labels", created["id"]);
    server.developer().post(&labels, &label).expect(201);
    let vague = server.developer().with("If-Unmodified-Since", "yesterday");
    assert_eq!(vague.delete(&format!("{labels}/bug")).status, 204);
}
