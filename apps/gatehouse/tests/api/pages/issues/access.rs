//! Permissions of the pages of issues.

use serde_json::json;

use super::{below, issue, note};
use crate::support::TestServer;
use crate::support::browser::TestBrowser;

/// A browser of a new user without memberships.
fn stranger(server: &TestServer) -> TestBrowser {
    server.stranger("zoe");
    let created = server.command_json(&["user", "password", "zoe", "--json"]);
    let mut browser = server.browser();
    browser.sign_in("zoe", created["password"].as_str().unwrap());
    browser
}

#[test]
fn pages_are_for_those_who_see_the_project() {
    let server = TestServer::start();
    let created = issue(&server, &json!({ "title": "Disk full" }));
    let written = note(&server, &created["iid"], &json!({ "body": "a" }));
    let edit = format!("/-/issues/1/notes/{}/edit", written["id"]);
    let mut reporter = server.signed_in("reporter");
    let (mut stranger, mut anybody) = (stranger(&server), server.browser());
    for rest in [
        "/-/issues",
        "/-/issues/new",
        "/-/issues/1",
        "/-/issues/1/edit",
        &edit,
    ] {
        let path = below(rest);
        assert_eq!(reporter.open(&path).status, 200, "{path}");
        assert_eq!(stranger.open(&path).status, 404, "{path}");
        assert_eq!(anybody.open(&path).status, 303, "{path}");
        assert_eq!(server.anonymous().get(&path).status, 404, "{path}");
    }
    for rest in [
        "/-/issues/9",
        "/-/issues/x",
        "/-/issues/9/edit",
        "/-/issues/1/notes/9999/edit",
    ] {
        assert_eq!(reporter.open(&below(rest)).status, 404, "{rest}");
    }
    // The note's author is another user, and the Developer is not a Maintainer.
    let mut developer = server.signed_in("developer");
    assert_eq!(developer.open(&below("/-/issues/1")).status, 200);
    assert_eq!(developer.open(&below(&edit)).status, 403);
}

#[test]
fn a_confidential_issue_is_not_there_for_those_who_may_not_see_it() {
    let server = TestServer::start();
    issue(&server, &json!({ "title": "Elsewhere" }));
    server.create_project("open/tools", "public", "dev");
    let id = server
        .developer()
        .get("/api/v4/projects/open%2Ftools")
        .expect(200)["id"]
        .clone();
    let path = format!("/api/v4/projects/{id}/issues");
    let developer = server.developer();
    developer
        .post(&path, &json!({ "title": "Plain" }))
        .expect(201);
    let secret = json!({ "title": "Secret", "confidential": true });
    developer.post(&path, &secret).expect(201);
    let mention = json!({ "title": "Third", "description": "see #2, #1 and acme/web-shop#1" });
    developer.post(&path, &mention).expect(201);
    let mut stranger = stranger(&server);
    assert_eq!(stranger.open("/open/tools/-/issues/1").status, 200);
    assert_eq!(stranger.open("/open/tools/-/issues/2").status, 404);
    assert_eq!(stranger.open("/open/tools/-/issues/2/edit").status, 404);
    assert_eq!(stranger.open("/open/tools/-/issues/1/edit").status, 403);
    assert_eq!(stranger.open("/open/tools/-/issues/new").status, 200);
    let list = stranger.open("/open/tools/-/issues").text();
    assert!(list.contains("Plain") && !list.contains("Secret"), "{list}");
    let page = stranger.open("/open/tools/-/issues/3").text();
    assert!(
        !page.contains("/issues/2\"") && !page.contains("Secret"),
        "{page}"
    );
    assert!(
        page.contains("/open/tools/-/issues/1\" title=\"Plain\""),
        "{page}"
    );
    assert!(!page.contains("Elsewhere"), "{page}");
    let page = server.signed_in("developer").open("/open/tools/-/issues/3");
    for link in [
        "/open/tools/-/issues/2\" title=\"Secret\"",
        "/acme/web-shop/-/issues/1\" title=\"Elsewhere\"",
    ] {
        assert!(page.text().contains(link), "{link}: {}", page.text());
    }
    let comment = [("body", "x")];
    let hidden = stranger.submit("/profile", "/open/tools/-/issues/2/notes", &comment);
    assert_eq!(hidden.status, 404);
    let close = [("_method", "put"), ("state_event", "close")];
    let hidden = stranger.submit("/profile", "/open/tools/-/issues/2", &close);
    assert_eq!(hidden.status, 404);
    let refused = stranger.submit("/profile", "/open/tools/-/issues/1", &close);
    assert_eq!(refused.status, 403);

    let mut anybody = server.browser();
    let page = anybody.open("/open/tools/-/issues/1").text();
    assert!(
        page.contains("Sign in</a> to comment") && !page.contains("<textarea"),
        "{page}"
    );
    assert_eq!(anybody.open("/open/tools/-/issues/2").status, 303);
    assert_eq!(anybody.open("/open/tools/-/issues/new").status, 303);
}

#[test]
fn a_form_without_its_token_is_refused() {
    let server = TestServer::start();
    issue(&server, &json!({ "title": "Disk full" }));
    let mut reporter = server.signed_in("reporter");
    for rest in ["/-/issues", "/-/issues/1", "/-/issues/1/notes"] {
        let refused = reporter.post(&below(rest), &[("title", "x"), ("body", "x")]);
        assert_eq!(refused.status, 403, "{rest}");
    }
}
