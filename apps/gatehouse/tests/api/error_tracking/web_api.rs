//! The tracker's web API, `/api/0` (`ERR-06`), as its clients use it.

use error_tracking::external::{Cursors, ExternalIssue, ExternalProject, issues, read_event};
use error_tracking::model::EventId;
use serde_json::{Value, json};

use super::{error, report};
use crate::support::TestServer;

const ISSUES: &str = "/api/0/projects/acme/web-shop/issues/";

/// The titles of a list, as a client reads it.
#[track_caller]
fn titles(server: &TestServer, query: &str) -> Vec<String> {
    let answer = server.reporter().get(&format!("{ISSUES}?{query}"));
    let found = issues(&answer.expect(200)).unwrap();
    found.into_iter().map(|issue| issue.title).collect()
}

#[test]
fn a_client_finds_its_projects_and_their_errors() {
    let server = TestServer::start();
    server.create_project("acme/deep/down", "private", "dev");
    let list = server.developer().get("/api/0/projects/").expect(200);
    let projects = ExternalProject::list(&list).unwrap();
    let places: Vec<(&str, &str)> = projects
        .iter()
        .map(|project| (project.organization.as_str(), project.slug.as_str()))
        .collect();
    assert!(places.contains(&("acme", "web-shop")), "{places:?}");
    assert!(places.contains(&("acme%2Fdeep", "down")), "{places:?}");
    for (organization, slug) in places {
        let path = format!("/api/0/projects/{organization}/{slug}/issues/");
        server.developer().get(&path).assert_ok();
    }
    let all = titles(&server, "");
    assert_eq!(all.len(), 3, "{all:?}");
    assert_eq!(titles(&server, "query=is%3Aresolved"), Vec::<String>::new());
    // Without a query, the list has unresolved errors; with an empty one, all errors.
    let path = format!("/api/0/issues/{}/", error(&server, &all[0])["id"]);
    let resolved = server
        .developer()
        .put(&path, &json!({ "status": "resolved" }));
    resolved.expect(200);
    assert_eq!(
        (titles(&server, "").len(), titles(&server, "query=").len()),
        (2, 3)
    );
    server
        .developer()
        .put(&path, &json!({ "status": "unresolved" }))
        .expect(200);
    assert_eq!(titles(&server, "query=level%3Awarning").len(), 1);
    assert_eq!(
        titles(&server, "query=browser%3A%22Firefox+128.0%22+price").len(),
        1
    );
    assert_eq!(titles(&server, "environment=nowhere"), Vec::<String>::new());
    for query in [
        "query=is%3Afor_review",
        "query=%21level%3Aerror",
        "sort=trends",
        "cursor=0:7:0",
    ] {
        server
            .reporter()
            .get(&format!("{ISSUES}?{query}"))
            .expect(400);
    }
}

#[test]
fn pages_follow_the_cursors_of_the_header() {
    let server = TestServer::start();
    let mut seen = Vec::new();
    let mut path = format!("{ISSUES}?limit=2&query=is%3Aunresolved&sort=new");
    for page in [2, 1] {
        let answer = server.reporter().get(&path);
        let link = answer.header("link").unwrap().to_owned();
        let found = issues(&answer.expect(200)).unwrap();
        assert_eq!(found.len(), page);
        seen.extend(found.into_iter().map(|issue| issue.id.get()));
        let cursors = Cursors::of_header(&link);
        assert_eq!(cursors.next.is_some(), page == 2);
        assert_eq!(cursors.previous.is_some(), page == 1);
        if let Some(cursor) = cursors.next {
            path = format!("{ISSUES}?limit=2&query=is%3Aunresolved&sort=new&cursor={cursor}");
        }
    }
    assert_eq!(seen, [3, 2, 1]);
}

#[test]
fn an_error_and_its_latest_event_are_read_as_a_client_reads_them() {
    let server = TestServer::start();
    let answer = server.reporter().get("/api/0/issues/3/");
    let json = answer.expect(200);
    let issue = ExternalIssue::read(&json).unwrap();
    assert_eq!(issue.title, "PaymentError: order 8814 has no amount");
    assert_eq!((issue.count, issue.user_count), (24, 7));
    assert_eq!(issue.last_release.as_deref(), Some("web-shop@1.5.0"));
    assert!(
        issue
            .permalink
            .unwrap()
            .ends_with("/acme/web-shop/-/error_tracking/3/details")
    );
    let keys = json["tags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tag| &tag["key"]);
    assert!(keys.clone().any(|key| key == "environment"), "{json}");
    let event = server
        .reporter()
        .get("/api/0/issues/3/events/latest/")
        .expect(200);
    let spare = EventId::from_random(|| [7; 16]);
    let event = read_event(&event, api_conventions::time::Timestamp::MIN, spare).unwrap();
    assert_eq!(event.report.exceptions.len(), 2);
    let frames = &event.report.exceptions[1]
        .stacktrace
        .as_ref()
        .unwrap()
        .frames;
    assert_eq!(
        frames[2].context_line.as_deref(),
        Some("    raise PaymentError(order) from error")
    );
    server
        .reporter()
        .get("/api/0/issues/3/events/oldest/")
        .assert_ok();
    server
        .reporter()
        .get("/api/0/issues/3/events/none/")
        .expect(404);
    server.reporter().get("/api/0/issues/999/").expect(404);
}

#[test]
fn an_error_is_resolved_ignored_and_assigned() {
    let server = TestServer::start();
    let created = report(&server, "Updated");
    let path = format!("/api/0/issues/{}/", created["id"]);
    let put = |body: Value| server.developer().put(&path, &body).expect(200);
    assert_eq!(put(json!({ "status": "resolved" }))["status"], "resolved");
    assert_eq!(
        put(json!({ "status": "unresolved" }))["status"],
        "unresolved"
    );
    put(json!({ "status": "resolved", "statusDetails": { "inRelease": "shop@9" } }));
    assert_eq!(status_details(&server)["in_release"], "shop@9");
    put(
        json!({ "status": "ignored", "statusDetails": { "ignoreDuration": 30, "ignoreCount": 5 } }),
    );
    let details = status_details(&server);
    assert!(details["ignore_until"].is_string(), "{details}");
    assert_eq!(details["ignore_until_count"], 6);
    put(json!({ "assignedTo": "dev" }));
    let path_of = server.below_project(&format!("/error_tracking/errors/{}", created["iid"]));
    assert_eq!(
        server.developer().get(&path_of).expect(200)["assignee_id"],
        2
    );
    put(json!({ "assignedTo": "" }));
    for body in [
        json!({}),
        json!({ "status": "gone" }),
        json!({ "assignedTo": "nobody.here" }),
    ] {
        server.developer().put(&path, &body).expect(400);
    }
    server
        .reporter()
        .put(&path, &json!({ "status": "resolved" }))
        .expect(403);
}

fn status_details(server: &TestServer) -> Value {
    let all = server.below_project("/error_tracking/errors?status=all&search=Updated");
    server.developer().get(&all).list()[0]["status_details"].clone()
}

/// An error is addressed by its number alone, so users who may not see its project must not learn of it.
#[test]
fn errors_of_invisible_projects_are_not_found() {
    let server = TestServer::start();
    let iid = error(&server, "PaymentError")["iid"].clone();
    assert_eq!(iid, 3);
    let stranger = server.stranger("stranger");
    for path in ["/api/0/issues/3/", "/api/0/issues/3/events/latest/", ISSUES] {
        assert_eq!(stranger.get(path).status, 404, "{path}");
        assert_eq!(server.anonymous().get(path).status, 401, "{path}");
    }
    assert_eq!(stranger.get("/api/0/projects/").list().len(), 0);
}
