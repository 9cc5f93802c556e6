//! The forms about comments on an issue.

use serde_json::json;

use super::{assert_redirected, below, issue, note, submit, text};
use crate::support::TestServer;

#[test]
fn a_comment_is_written_changed_and_deleted() {
    let server = TestServer::start();
    issue(&server, &json!({ "title": "Disk full" }));
    let notes = server.below_project("/issues/1/notes");
    let mut reporter = server.signed_in("reporter");
    let one = "/-/issues/1";
    let answer = submit(
        &mut reporter,
        one,
        "/-/issues/1/notes",
        &[("body", "a\r\n**b**")],
    );
    let written = server.reporter().get(&notes).list().remove(0);
    let id = written["id"].to_string();
    assert_eq!(written["body"], "a\n**b**");
    let at = format!("{one}#note_{id}");
    assert_redirected(&mut reporter, &answer, &at, "Comment added.");
    let link = format!("href=\"{}\"", below(&at));
    for feed in [below("/-/activity"), below(""), "/".to_owned()] {
        let page = reporter.open(&feed).text();
        assert!(page.contains(&link), "{feed}: {page}");
    }
    let path = format!("/-/issues/1/notes/{id}");
    let edit = format!("{path}/edit");
    let page = text(&mut reporter, one);
    assert!(
        page.contains(&format!("href=\"{}\"", below(&edit))),
        "{page}"
    );
    assert!(text(&mut reporter, &edit).contains(">\na\n**b**</textarea>"));

    let refused = submit(
        &mut reporter,
        &edit,
        &path,
        &[("_method", "put"), ("body", " ")],
    );
    assert_eq!(refused.status, 422);
    let message = "The comment can&#39;t be blank.";
    assert!(refused.text().contains(message), "{}", refused.text());
    let answer = submit(
        &mut reporter,
        &edit,
        &path,
        &[("_method", "put"), ("body", "c")],
    );
    assert_redirected(&mut reporter, &answer, one, "Comment saved.");
    let mut developer = server.signed_in("developer");
    let fields = [("_method", "delete")];
    let refused = submit(&mut developer, one, &path, &fields);
    assert_eq!(refused.status, 403);
    let answer = submit(&mut reporter, &edit, &path, &fields);
    assert_redirected(&mut reporter, &answer, one, "Comment deleted.");
    assert_eq!(submit(&mut reporter, one, &path, &fields).status, 404);
    assert_eq!(
        submit(&mut reporter, one, &path, &[("_method", "x")]).status,
        400
    );
}

#[test]
fn a_comment_closes_the_issue_with_it_or_neither_happens() {
    let server = TestServer::start();
    issue(&server, &json!({ "title": "Disk full" }));
    let path = server.below_project("/issues/1");
    let mut reporter = server.signed_in("reporter");
    let one = "/-/issues/1";
    let refused = submit(
        &mut reporter,
        one,
        "/-/issues/1/notes",
        &[("body", ""), ("close", "true")],
    );
    assert_eq!(refused.status, 422);
    assert!(
        refused.text().contains("The comment can&#39;t be blank."),
        "{}",
        refused.text()
    );
    assert_eq!(server.reporter().get(&path).expect(200)["state"], "opened");
    let fields = [("body", "done"), ("close", "true"), ("internal", "true")];
    let answer = submit(&mut reporter, one, "/-/issues/1/notes", &fields);
    assert_eq!(answer.status, 303, "{}", answer.text());
    let page = text(&mut reporter, one);
    assert!(
        page.contains("Issue closed.</p>") && page.contains("Internal</span>"),
        "{page}"
    );
    assert_eq!(server.reporter().get(&path).expect(200)["state"], "closed");
}

#[test]
fn a_new_comment_redirects_to_the_page_that_lists_it() {
    let server = TestServer::start();
    let iid = issue(&server, &json!({ "title": "Disk full" }))["iid"].clone();
    for number in 0..20 {
        note(&server, &iid, &json!({ "body": format!("note {number}") }));
    }
    let mut reporter = server.signed_in("reporter");
    let answer = submit(
        &mut reporter,
        "/-/issues/1",
        "/-/issues/1/notes",
        &[("body", "the last")],
    );
    let to = answer.header("location").unwrap().to_owned();
    assert!(to.starts_with(&below("/-/issues/1?page=2#note_")), "{to}");
    let page = text(&mut reporter, "/-/issues/1?page=2");
    assert!(
        page.contains("<p>the last</p>") && page.contains("21–21 of 21"),
        "{page}"
    );
}
