//! Widely used API clients, unmodified: each creates places and members, files issues, and deletes everything.

use std::process::Command;

use serde_json::{Value, json};

use crate::clients::{run_client, script};
use crate::support::{TestServer, outside};

/// The last line of each story.
const LAST_LINE: &str = "groups, projects, members, issues and notes, made and gone";

/// A server with two users: Olivia, who runs the story, and Ben, her colleague.
fn set_up() -> (TestServer, Value) {
    let server = TestServer::start();
    for username in ["olivia", "ben"] {
        let email = format!("{username}@example.com");
        let user = ["user", "create", "--username", username, "--email", &email];
        server.command_json(&[&user[..], &["--json"]].concat());
    }
    let facts = json!({ "base_url": server.base_url(), "token": server.token("olivia", "api") });
    (server, facts)
}

#[test]
fn python_gitlab_creates_updates_lists_and_deletes_resources() {
    let Some(python) = outside::find("GATEHOUSE_TEST_PYTHON", &[]) else {
        return;
    };
    let (_server, facts) = set_up();
    let mut command = Command::new(python);
    command
        .args(["-B", "-W", "error::UserWarning"])
        .arg(script("python_gitlab_story.py"))
        .arg(facts.to_string());
    assert_eq!(run_client(&mut command), LAST_LINE);
}

#[test]
fn gitbeaker_creates_updates_lists_and_deletes_resources() {
    let Some(node) = outside::find("GATEHOUSE_TEST_NODE", &[]) else {
        return;
    };
    let Some(packages) = outside::find("GATEHOUSE_TEST_NODE_CLIENTS", &[]) else {
        return;
    };
    let (_server, facts) = set_up();
    let mut command = Command::new(node);
    command
        .arg(script("gitbeaker_story.mjs"))
        .arg(packages)
        .arg(facts.to_string());
    assert_eq!(run_client(&mut command), LAST_LINE);
}

#[test]
fn gitlab_for_rust_creates_updates_lists_and_deletes_resources() {
    let Some(program) = outside::find("GATEHOUSE_TEST_RUST_CLIENTS", &[]) else {
        return;
    };
    let (_server, facts) = set_up();
    let mut command = Command::new(program);
    command.args(["api", &facts.to_string()]);
    assert_eq!(run_client(&mut command), LAST_LINE);
}
