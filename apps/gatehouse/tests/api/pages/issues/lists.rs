//! The list of issues, and the page of one.

use serde_json::json;

use super::{HOSTILE, below, issue, note, text};
use crate::support::TestServer;

#[test]
fn issues_are_open_closed_or_all_with_their_counts_and_the_filters_of_the_api() {
    let server = TestServer::start();
    let developer = server.name_of("developer");
    let body = json!({ "title": "Disk full", "labels": "bug,two words", "due_date": "2001-02-03" });
    issue(&server, &body);
    issue(
        &server,
        &json!({ "title": "Login fails", "issue_type": "incident" }),
    );
    let done = issue(&server, &json!({ "title": "Old work" }));
    let path = server.below_project(&format!("/issues/{}", done["iid"]));
    let close = json!({ "state_event": "close" });
    server.reporter().put(&path, &close).expect(200);
    let id = server.developer().get("/api/v4/user").expect(200)["id"].clone();
    let first = server.below_project("/issues/1");
    let edit = json!({ "assignee_ids": [id] });
    server.reporter().put(&first, &edit).expect(200);

    let mut reporter = server.signed_in("reporter");
    let open = text(&mut reporter, "/-/issues");
    for part in [
        "Issues <span class=\"count\">2 issues</span>",
        "Open <span class=\"count\">2</span>",
        "Closed <span class=\"count\">1</span>",
        "All <span class=\"count\">3</span>",
        "href=\"/acme/web-shop/-/issues/1\"",
        "href=\"/acme/web-shop/-/issues?labels=two+words\"",
        "Past due",
        "Incident",
        "href=\"/acme/web-shop/-/issues/new\"",
        &format!("@{developer}"),
    ] {
        assert!(open.contains(part), "{part}: {open}");
    }
    assert!(!open.contains("Old work"), "{open}");
    for (query, title) in [
        ("state=closed", "Old work"),
        ("label_name=two%20words", "Disk full"),
        (
            "label_name%5B%5D=bug&label_name%5B%5D=two%20words",
            "Disk full",
        ),
        ("labels=bug", "Disk full"),
        ("issue_type=incident", "Login fails"),
        (&format!("assignee_username={developer}"), "Disk full"),
        ("search=login&milestone=&order_by=updated_at", "Login fails"),
        ("state=all&milestone=None&search=old", "Old work"),
    ] {
        let page = text(&mut reporter, &format!("/-/issues?{query}"));
        assert!(
            page.contains(title) && (page.contains("1 issue<") || page.contains("1 incident<")),
            "{query}: {page}"
        );
    }
    let sorted = text(&mut reporter, "/-/issues?order_by=updated_at&sort=asc");
    assert!(sorted.contains("aria-sort=\"ascending\""), "{sorted}");
    let none = text(&mut reporter, "/-/issues?search=nothing");
    assert!(none.contains("No issue matches"), "{none}");
    for wrong in [
        "state=late",
        "weight=1",
        "order_by=x",
        "milestone=Started",
        "page=x",
    ] {
        let path = below(&format!("/-/issues?{wrong}"));
        assert_eq!(reporter.open(&path).status, 400, "{wrong}");
    }
}

#[test]
fn an_issue_shows_its_story_and_its_facts() {
    let server = TestServer::start();
    let milestones = server.below_project("/milestones");
    let milestone = json!({ "title": "Release 1" });
    let milestone = server.admin().post(&milestones, &milestone).expect(201)["id"].clone();
    issue(&server, &json!({ "title": "The first" }));
    let body = json!({
        "title": "Disk full", "description": "**Bold** and #1, ~bug, #99\n\n- [x] done",
        "labels": "bug", "milestone_id": milestone, "due_date": "2030-02-03", "confidential": true,
        "issue_type": "incident",
    });
    let created = issue(&server, &body);
    let written = note(
        &server,
        &created["iid"],
        &json!({ "body": "See *this*[^1]\n\n[^1]: note" }),
    );
    let path = server.below_project("/issues/2");
    let close = json!({ "state_event": "close" });
    server.reporter().put(&path, &close).expect(200);
    let mut reporter = server.signed_in("reporter");
    let page = text(&mut reporter, "/-/issues/2");
    let id = &written["id"];
    let base = server.base_url();
    for part in [
        "Disk full",
        "<strong>Bold</strong>",
        &format!("href=\"{base}/acme/web-shop/-/issues/1\" title=\"The first\""),
        "#99",
        "<em>this</em>",
        &format!("id=\"note_{id}\""),
        &format!("note-{id}-"),
        "<p>closed</p>",
        "Confidential",
        "3 Feb 2030",
        "href=\"/acme/web-shop/-/milestones/1\"",
        "href=\"/acme/web-shop/-/issues?labels=bug\"",
        "Reopen the issue",
        "aria-current=\"page\">Issues</a>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let feed = text(&mut reporter, "/-/activity");
    assert!(
        feed.contains("href=\"/acme/web-shop/-/issues/2\""),
        "{feed}"
    );
}

#[test]
fn hostile_issue_text_is_escaped_and_long_lists_are_paginated() {
    let server = TestServer::start();
    let mut iid = json!(0);
    for number in 0..21 {
        let title = format!("{number} {HOSTILE}");
        let text = HOSTILE.repeat(50);
        let body = json!({ "title": title, "labels": HOSTILE, "description": text });
        iid = issue(&server, &body)["iid"].clone();
    }
    for _ in 0..21 {
        note(&server, &iid, &json!({ "body": HOSTILE }));
    }
    let long = json!({ "body": "word ".repeat(5_000) });
    note(&server, &iid, &long);
    let mut reporter = server.signed_in("reporter");
    let one = format!("/-/issues/{iid}");
    for (path, next) in [
        ("/-/issues", "/-/issues?page=2"),
        (&*one, &*format!("{one}?page=2")),
    ] {
        let page = text(&mut reporter, path);
        let next = format!("rel=\"next\" href=\"{}\"", below(next));
        assert!(page.contains(&next), "{page}");
        assert!(page.len() < 60_000, "{path}: {} bytes", page.len());
        assert!(
            !page.contains("<script>x") && !page.contains("<img"),
            "{page}"
        );
    }
    let list = text(&mut reporter, "/-/issues");
    assert!(!list.contains('\u{202e}'), "a title reorders text");
    let second = text(&mut reporter, &format!("{one}?page=2"));
    assert!(second.contains("Only the beginning is shown."), "{second}");
    let edit = text(&mut reporter, &format!("{one}/edit"));
    assert!(
        !edit.contains("<script>x") && !edit.contains("<img"),
        "{edit}"
    );
}
