//! The pages of errors: permissions, contents and forms.

mod changes;
mod elsewhere;
mod reading;
mod settings;

use serde_json::{Value, json};

use crate::support::browser::TestBrowser;
use crate::support::{TestResponse, TestServer};

const LIST: &str = "/acme/web-shop/-/error_tracking";
const SETTINGS: &str = "/acme/web-shop/-/settings/error_tracking";

/// The page of an error of the demo's project.
fn page_of(iid: u64) -> String {
    format!("{LIST}/{iid}/details")
}

/// Opens an existing page, and returns its text.
#[track_caller]
fn text(browser: &mut TestBrowser, path: &str) -> String {
    let page = browser.open(path);
    assert_eq!(page.status, 200, "{path}: {}", page.text());
    page.text()
}

/// Submits a form of the page at `path`, whose action is `event`, and returns the page that it redirects to.
#[track_caller]
fn submit_accepted(browser: &mut TestBrowser, path: &str, fields: &[(&str, &str)]) -> String {
    let answer = browser.submit(path, path, fields);
    assert_eq!(answer.status, 303, "{}", answer.text());
    let to = answer.header("location").unwrap().to_owned();
    text(browser, &to)
}

/// Submits a form that is refused, and returns the page with the reason.
#[track_caller]
fn submit_refused(browser: &mut TestBrowser, path: &str, fields: &[(&str, &str)]) -> String {
    let answer = browser.submit(path, path, fields);
    assert_eq!(answer.status, 422, "{}", answer.text());
    answer.text()
}

/// An error of the demo's project, as the API shows it to a Developer.
#[track_caller]
fn error(server: &TestServer, iid: u64) -> Value {
    let path = format!("/error_tracking/errors/{iid}");
    server
        .developer()
        .get(&server.below_project(&path))
        .expect(200)
}

/// Reports an event with texts that would be harmful as markup, and returns the response.
fn report_hostile(server: &TestServer, harm: &str) -> TestResponse {
    let frame = json!({
        "filename": harm, "function": harm, "lineno": 3, "context_line": harm, "pre_context": [harm],
        "in_app": true, "vars": { "name": harm, harm: [harm] },
    });
    server.tracker().store(&json!({
        "exception": { "values": [{ "type": "Hostile", "value": harm, "stacktrace": { "frames": [frame] } }] },
        "breadcrumbs": [{ "category": harm, "message": harm, "data": { harm: harm } }],
        "request": { "url": harm, "method": harm, "headers": { harm: harm }, "data": harm },
        "user": { "id": harm, "username": harm }, "contexts": { harm: { harm: harm } }, "extra": { harm: harm },
        "tags": { "note": harm }, "release": harm, "environment": harm, "transaction": harm,
    }))
}
