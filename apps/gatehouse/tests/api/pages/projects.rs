//! The pages of projects: permissions, contents and forms.

mod access;
mod alerts;
mod endpoint_rules;
mod endpoints;
mod forms;
mod lists;
mod make;
mod receipts;
mod settings;
mod upkeep;

use serde_json::{Value, json};

use crate::support::browser::TestBrowser;
use crate::support::{TestResponse, TestServer};

/// The project of the demo.
const PROJECT: &str = "/acme/web-shop";

/// A page of the demo's project.
pub(crate) fn below(rest: &str) -> String {
    format!("{PROJECT}{rest}")
}

/// Opens an existing page, and returns its text.
#[track_caller]
pub(crate) fn text(browser: &mut TestBrowser, path: &str) -> String {
    let page = browser.open(path);
    assert_eq!(page.status, 200, "{path}: {}", page.text());
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
    let page = text(browser, &below(path));
    assert!(page.contains(&format!(">{notice}</p>")), "{page}");
}

/// Creates a label of the project through the API.
fn label(server: &TestServer, name: &str) -> Value {
    let body = json!({ "name": name, "color": "#abc" });
    server
        .admin()
        .post(&server.below_project("/labels"), &body)
        .expect(201)
}

/// Creates a milestone of the project through the API.
fn milestone(server: &TestServer, title: &str) -> Value {
    let body = json!({ "title": title });
    server
        .admin()
        .post(&server.below_project("/milestones"), &body)
        .expect(201)
}

/// A browser of a new user with a role in the demo's project; 0 is none.
fn member_browser(server: &TestServer, name: &str, level: u8) -> TestBrowser {
    let id = server.stranger(name).get("/api/v4/user").expect(200)["id"].clone();
    if level > 0 {
        let member = json!({ "user_id": id, "access_level": level });
        let path = server.below_project("/members");
        server.admin().post(&path, &member).expect(201);
    }
    let created = server.command_json(&["user", "password", name, "--json"]);
    let mut browser = server.browser();
    browser.sign_in(name, created["password"].as_str().unwrap());
    browser
}

/// Asserts that a form redirected to another page with a notice, at any path.
#[track_caller]
fn assert_redirected_to(
    browser: &mut TestBrowser,
    answer: &TestResponse,
    path: &str,
    notice: &str,
) {
    assert_eq!(answer.status, 303, "{}", answer.text());
    assert_eq!(answer.header("location"), Some(path));
    let page = text(browser, path);
    assert!(page.contains(&format!(">{notice}</p>")), "{page}");
}
