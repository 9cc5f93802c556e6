//! The pages of groups and of members: permissions, contents and forms.

mod access;
mod forms;
mod lists;
mod members;
mod shares;

use serde_json::{Value, json};

use crate::support::browser::TestBrowser;
use crate::support::{TestResponse, TestServer};

/// The group of the demo, in which its users have their roles.
const GROUP: &str = "/groups/acme";

/// Opens an existing page, and returns its text.
#[track_caller]
fn text(browser: &mut TestBrowser, path: &str) -> String {
    let page = browser.open(path);
    assert_eq!(page.status, 200, "{path}: {}", page.text());
    page.text()
}

/// Asserts that a form redirected to a page with a notice, and returns the text of the page.
#[track_caller]
fn assert_redirected(
    browser: &mut TestBrowser,
    answer: &TestResponse,
    path: &str,
    notice: &str,
) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text());
    assert_eq!(answer.header("location"), Some(path));
    let page = text(browser, path);
    assert!(page.contains(&format!(">{notice}</p>")), "{page}");
    page
}

/// Asserts that a form was refused with this message, and returns the text of the page.
#[track_caller]
fn assert_refused(answer: &TestResponse, words: &str) -> String {
    assert_eq!(answer.status, 422, "{}", answer.text());
    let page = answer.text();
    assert!(page.contains(words), "{words}: {page}");
    page
}

/// A browser of a new user without memberships.
fn stranger(server: &TestServer) -> TestBrowser {
    server.stranger("zoe");
    let created = server.command_json(&["user", "password", "zoe", "--json"]);
    let mut browser = server.browser();
    browser.sign_in("zoe", created["password"].as_str().unwrap());
    browser
}

/// Creates a group as the administrator, through the API.
#[track_caller]
fn group(server: &TestServer, path: &str, parent: Option<&Value>, visibility: &str) -> Value {
    let parent = parent.map_or(&Value::Null, |parent| &parent["id"]);
    let body = json!({
        "name": path, "path": path, "visibility": visibility, "parent_id": parent,
    });
    server.admin().post("/api/v4/groups", &body).expect(201)
}

/// The id of a user.
fn user(server: &TestServer, username: &str) -> String {
    let path = format!("/api/v4/users?username={username}");
    server.admin().get(&path).list()[0]["id"].to_string()
}
