//! The pages of issues: permissions, contents and forms.

mod access;
mod comments;
mod forms;
mod lists;

use serde_json::Value;

use crate::support::browser::TestBrowser;
use crate::support::{TestResponse, TestServer};

/// Text that would be harmful as markup.
const HOSTILE: &str = "<script>x</script>\u{202e}\"'><img src=y>";

/// A page of the demo's project.
fn below(rest: &str) -> String {
    format!("/acme/web-shop{rest}")
}

/// Opens an existing page, and returns its text.
#[track_caller]
fn text(browser: &mut TestBrowser, rest: &str) -> String {
    let page = browser.open(&below(rest));
    assert_eq!(page.status, 200, "{rest}: {}", page.text());
    page.text()
}

/// Submits a form of the page at `from`.
#[track_caller]
fn submit(
    browser: &mut TestBrowser,
    from: &str,
    to: &str,
    fields: &[(&str, &str)],
) -> TestResponse {
    browser.submit(&below(from), &below(to), fields)
}

/// Asserts that a form redirected to a page with a notice.
#[track_caller]
fn assert_redirected(browser: &mut TestBrowser, answer: &TestResponse, path: &str, notice: &str) {
    assert_eq!(answer.status, 303, "{}", answer.text());
    assert_eq!(answer.header("location"), Some(&*below(path)));
    let (path, _) = path.split_once('#').unwrap_or((path, ""));
    let page = text(browser, path);
    assert!(page.contains(&format!(">{notice}</p>")), "{page}");
}

/// Creates an issue of the demo's project through the API.
#[track_caller]
fn issue(server: &TestServer, body: &Value) -> Value {
    let path = server.below_project("/issues");
    server.reporter().post(&path, body).expect(201)
}

/// Creates a note on an issue through the API.
#[track_caller]
fn note(server: &TestServer, iid: &Value, body: &Value) -> Value {
    let path = server.below_project(&format!("/issues/{iid}/notes"));
    server.reporter().post(&path, body).expect(201)
}
