//! The pages of groups and of members: who sees them, what is on them, and what their forms do.

mod access;
mod forms;
mod lists;
mod members;
mod shares;

use serde_json::{Value, json};

use crate::support::browser::Browser;
use crate::support::{Answer, Server};

/// The group of the demo, in which its people have their roles.
const GROUP: &str = "/groups/acme";

/// Opens a page that is there, and gives its text.
#[track_caller]
fn text(browser: &mut Browser, path: &str) -> String {
    let page = browser.open(path);
    assert_eq!(page.status, 200, "{path}: {}", page.text());
    page.text()
}

/// Holds that a form led to a page with a notice, and gives the text of the page.
#[track_caller]
fn led(browser: &mut Browser, answer: &Answer, path: &str, notice: &str) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text());
    assert_eq!(answer.header("location"), Some(path));
    let page = text(browser, path);
    assert!(page.contains(&format!(">{notice}</p>")), "{page}");
    page
}

/// Holds that a form was refused with these words, and gives the text of the page.
#[track_caller]
fn refused(answer: &Answer, words: &str) -> String {
    assert_eq!(answer.status, 422, "{}", answer.text());
    let page = answer.text();
    assert!(page.contains(words), "{words}: {page}");
    page
}

/// A browser in which a new user is signed in, who is a member of nothing.
fn stranger(server: &Server) -> Browser {
    server.stranger("zoe");
    let made = server.command_json(&["user", "password", "zoe", "--json"]);
    let mut browser = server.browser();
    browser.sign_in("zoe", made["password"].as_str().unwrap());
    browser
}

/// A group that the administrator made, by the API.
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
