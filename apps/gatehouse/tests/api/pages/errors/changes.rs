//! Forms about errors (`ERR-05`).

use serde_json::json;

use super::{LIST, error, page_of, submit_accepted, submit_refused, text};
use crate::support::TestServer;

#[test]
fn an_error_is_resolved_ignored_and_reopened() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    let path = page_of(1);
    let page = submit_accepted(&mut developer, &path, &[("event", "resolve")]);
    assert!(page.contains("Error resolved."), "{page}");
    assert_eq!(error(&server, 1)["status"], "resolved");
    submit_accepted(&mut developer, &path, &[("event", "unresolve")]);
    submit_accepted(
        &mut developer,
        &path,
        &[("event", "resolve_in"), ("release", "web-shop@2.0")],
    );
    assert_eq!(
        error(&server, 1)["status_details"]["in_release"],
        "web-shop@2.0"
    );
    submit_accepted(&mut developer, &path, &[("event", "unresolve")]);
    let until = [
        ("event", "ignore"),
        ("span", "1d"),
        ("events", "100"),
        ("users", ""),
    ];
    let page = submit_accepted(&mut developer, &path, &until);
    assert!(
        page.contains("Ignored until") && page.contains("or 124 events"),
        "{page}"
    );
    let found = error(&server, 1);
    assert_eq!(found["status"], "ignored");
    assert!(
        found["status_details"]["ignore_until"].is_string(),
        "{found}"
    );
    let page = submit_refused(
        &mut developer,
        &path,
        &[("event", "resolve_in"), ("release", " ")],
    );
    assert!(page.contains("Enter the release"), "{page}");
}

#[test]
fn all_chosen_errors_are_changed_together() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    let list = format!("{LIST}?level=error");
    let chosen = [
        ("iids[]", "1"),
        ("iids[]", "2"),
        ("iids[]", "77"),
        ("event", "resolve_next"),
    ];
    let answer = developer.submit(&list, &list, &chosen);
    assert_eq!(answer.status, 303, "{}", answer.text());
    assert_eq!(answer.header("location"), Some(&*list));
    let after = [1, 2, 3].map(|iid| error(&server, iid)["status"].clone());
    assert_eq!(after, ["resolved", "resolved", "unresolved"]);
    for fields in [&[("event", "resolve")][..], &[("iids[]", "3")]] {
        assert_eq!(developer.submit(LIST, LIST, fields).status, 400);
    }
}

#[test]
fn an_error_is_assigned_and_gets_an_issue_that_ends_with_it() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    let path = page_of(2);
    submit_accepted(
        &mut developer,
        &path,
        &[("event", "assign"), ("username", "me")],
    );
    let mine = text(&mut developer, &format!("{LIST}?assigned=me"));
    assert!(
        mine.contains("TypeError") && !mine.contains("PaymentError"),
        "{mine}"
    );
    let page = submit_refused(
        &mut developer,
        &path,
        &[("event", "assign"), ("username", "nobody.here")],
    );
    assert!(page.contains("No user has this username."), "{page}");
    let page = submit_accepted(&mut developer, &path, &[("event", "open_issue")]);
    assert!(page.contains("Issue created and linked."), "{page}");
    assert!(page.contains("/acme/web-shop/-/issues/1"), "{page}");
    let issue = server.below_project("/issues/1");
    let found = server.developer().get(&issue).expect(200);
    assert!(
        found["description"].as_str().unwrap().contains(&path),
        "{found}"
    );
    submit_accepted(&mut developer, &path, &[("event", "resolve")]);
    assert_eq!(
        server.developer().get(&issue).expect(200)["state"],
        "closed"
    );
    let notes = server.developer().get(&format!("{issue}/notes")).list();
    let bodies: Vec<_> = notes.iter().map(|note| &note["body"]).collect();
    assert!(
        bodies.contains(&&json!("resolved the corresponding error")),
        "{bodies:?}"
    );
    let page = submit_refused(
        &mut developer,
        &path,
        &[("event", "link"), ("issue", "one")],
    );
    assert!(page.contains("Enter the number of an issue"), "{page}");
    submit_accepted(&mut developer, &path, &[("event", "unlink")]);
    assert_eq!(error(&server, 2)["issue_id"], json!(null));
}

#[test]
fn errors_are_merged_and_split() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    let page = submit_accepted(
        &mut developer,
        &page_of(2),
        &[("event", "merge"), ("into", "1")],
    );
    assert!(page.contains("Errors merged."), "{page}");
    assert_eq!(error(&server, 1)["count"], 48);
    let led = developer.open(&page_of(2));
    assert_eq!(
        (led.status, led.header("location")),
        (301, Some(page_of(1).as_str()))
    );
    let stale = developer.submit(&page_of(1), &page_of(2), &[("event", "resolve")]);
    assert_eq!(
        (stale.status, stale.header("location")),
        (301, Some(page_of(1).as_str()))
    );
    let key = error(&server, 1)["grouping"][1]["id"].to_string();
    let page = submit_accepted(
        &mut developer,
        &page_of(1),
        &[("event", "split"), ("key", &key)],
    );
    assert!(page.contains("an error of their own now"), "{page}");
    assert_eq!(error(&server, 1)["count"], 24);
    assert_eq!(error(&server, 4)["count"], 24);
    let page = submit_refused(
        &mut developer,
        &page_of(1),
        &[("event", "merge"), ("into", "1")],
    );
    assert!(page.contains("merged into itself"), "{page}");
}

#[test]
fn an_error_is_deleted_by_maintainers_who_repeat_its_number() {
    let server = TestServer::start();
    let fields = [("event", "delete"), ("confirm", "3")];
    let mut developer = server.signed_in("developer");
    assert_eq!(developer.submit(LIST, &page_of(3), &fields).status, 403);
    let mut admin = server.signed_in("admin");
    let page = submit_refused(
        &mut admin,
        &page_of(3),
        &[("event", "delete"), ("confirm", "1")],
    );
    assert!(page.contains("Enter the error number to confirm"), "{page}");
    let page = submit_accepted(&mut admin, &page_of(3), &fields);
    assert!(page.contains("Error deleted, with its events."), "{page}");
    assert_eq!(admin.open(&page_of(3)).status, 404);
}
