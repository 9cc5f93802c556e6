//! The pages of groups and of members: permissions, contents and forms.

mod access;
mod forms;
mod lists;
mod members;
mod shares;

use serde_json::{Value, json};

use crate::support::browser::Browser;
use crate::support::{Answer, Server};

/// The group of the demo, in which its users have their roles.
const GROUP: &str = "/groups/acme";

/// Opens an existing page, and returns its text.
#[track_caller]
fn text(browser: &mut Browser, path: &str) -> String {
    let page = browser.open(path);
    assert_eq!(page.status, 200, "{path}: {}", page.text());
    page.text()
}

/// Asserts that a form redirected to a page with a notice, and returns the text of the page.
#[track_caller]
fn led(browser: &mut Browser, answer: &Answer, path: &str, notice: &str) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text());
    assert_eq!(answer.header("location"), Some(path));
    let page = text(browser, path);
    assert!(page.contains(&format!(">{notice}</p>")), "{page}");
    page
}

/// Asserts that a form was refused with this message, and returns the text of the page.
#[track_caller]
fn refused(answer: &Answer, words: &str) -> String {
    assert_eq!(answer.status, 422, "{}", answer.text());
    let page = answer.text();
    assert!(page.contains(words), "{words}: {page}");
    page
}

/// A browser of a new user without memberships.
fn stranger(server: &Server) -> Browser {
    server.stranger("zoe");
    let made = server.command_json(&["user", "password", "zoe", "--json"]);
    let mut browser = server.browser();
    browser.sign_in("zoe", made["password"].as_str().unwrap());
    browser
}

/// Creates a group as the administrator, through the API.
#[track_caller]
fn group(server: &Server, path: &str, parent: Option<&Value>, visibility: &str) -> Value {
    let parent = parent.map_or(&Value::Null, |parent| &parent["id"]);
    let body = json!({
        "name": path, "path": path, "visibility": visibility, "parent_id": parent,
    });
    server.admin().post("/api/v4/groups", &body).expect(201)
}

/// The id of a user.
fn user(server: &Server, username: &str) -> String {
    let path = format!("/api/v4/users?username={username}");
    server.admin().get(&path).list()[0]["id"].to_string()
}
