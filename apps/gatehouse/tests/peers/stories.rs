//! Widely used API clients, unmodified: each creates places and members, files issues, and deletes everything.

use std::process::Command;

use serde_json::{Value, json};

use crate::clients::{run_client, script};
use crate::support::fake_registry::FakeRegistry;
use crate::support::{TestServer, outside};

/// The last line of each story.
const LAST_LINE: &str = "groups, projects, members, issues and notes, made and gone";
/// The last line of the stories that also use the administration and a registry.
const LONG_LAST_LINE: &str = "groups, projects, members, issues and notes, created and deleted";

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

/// A server with a container registry, for stories that also use that and the administration.
fn set_up_with_registry() -> (TestServer, FakeRegistry, Value) {
    let registry = FakeRegistry::start_with(&[
        ("latest", "2026-01-01T00:00:00Z"),
        ("v1", "2026-01-02T00:00:00Z"),
        ("v2", "2026-01-03T00:00:00Z"),
    ]);
    let server = TestServer::start_configured(&registry.configuration());
    for username in ["olivia", "ben"] {
        let email = format!("{username}@example.com");
        let user = ["user", "create", "--username", username, "--email", &email];
        server.command_json(&[&user[..], &["--json"]].concat());
    }
    let facts = json!({
        "base_url": server.base_url(),
        "token": server.token("olivia", "api,read_registry,write_registry"),
        "admin_token": server.text("/admin/token"),
    });
    (server, registry, facts)
}

#[test]
fn gitlab_api_v4_for_perl_uses_what_the_server_has() {
    let Some(perl) = outside::find("GATEHOUSE_TEST_PERL", &[]) else {
        return;
    };
    let (_server, _registry, facts) = set_up_with_registry();
    let mut command = Command::new(perl);
    command.arg(script("perl_story.pl")).arg(facts.to_string());
    assert_eq!(run_client(&mut command), LONG_LAST_LINE);
}

#[test]
fn the_gem_gitlab_for_ruby_uses_what_the_server_has() {
    let Some(ruby) = outside::find("GATEHOUSE_TEST_RUBY", &[]) else {
        return;
    };
    let (_server, _registry, facts) = set_up_with_registry();
    let mut command = Command::new(ruby);
    command.arg(script("ruby_story.rb")).arg(facts.to_string());
    assert_eq!(run_client(&mut command), LONG_LAST_LINE);
}

#[test]
fn gitbeaker_uses_tokens_images_runners_and_the_administration() {
    let Some(node) = outside::find("GATEHOUSE_TEST_NODE", &[]) else {
        return;
    };
    let Some(packages) = outside::find("GATEHOUSE_TEST_NODE_CLIENTS", &[]) else {
        return;
    };
    let (_server, _registry, facts) = set_up_with_registry();
    let mut command = Command::new(node);
    command
        .arg(script("gitbeaker_new_story.mjs"))
        .arg(packages)
        .arg(facts.to_string());
    assert_eq!(run_client(&mut command), LONG_LAST_LINE);
}
