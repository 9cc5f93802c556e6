//! Widely used OAuth clients, unmodified, sign in to the server: by the forms of its pages, and in a browser.

mod chromium;

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{TestServer, outside};

/// Redirect URI of the confidential application. No server listens there; the clients only read the URL.
const REDIRECT_URI: &str = "https://app.example.com/callback";

/// A file of this directory.
pub(crate) fn script(name: &str) -> PathBuf {
    outside::script(&format!("clients/{name}"))
}

/// Setup of the clients: the server, its user, and two applications.
fn response(server: &TestServer) -> Value {
    let application = |name: &str, redirect_uri: &str, is_confidential: bool| {
        let scopes = "api read_user openid profile email";
        let created = server.create_application(name, &[redirect_uri], scopes, is_confidential);
        let secret = is_confidential.then(|| created["client_secret"].clone());
        json!({ "id": created["client_id"], "secret": secret })
    };
    json!({
        "base_url": server.base_url(),
        "login": server.text("/developer/username"),
        "password": server.text("/developer/password"),
        "redirect_uri": REDIRECT_URI,
        "confidential": application("Confidential client", REDIRECT_URI, true),
        "public": application("Public client", "http://127.0.0.1/callback", false),
    })
}

/// Runs a client to its end. The client makes the assertions, and its last line is returned.
#[track_caller]
pub(crate) fn run_client(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text.trim().to_owned()
}

/// Runs a client in Python, with every warning an error.
fn python(name: &str) -> Option<String> {
    let python = outside::find("GATEHOUSE_TEST_PYTHON", &[])?;
    let server = TestServer::start();
    let mut command = Command::new(python);
    command
        .args(["-B", "-W", "error::UserWarning"])
        .arg(script(name))
        .arg(response(&server).to_string());
    Some(run_client(&mut command))
}

#[test]
fn authlib_discovers_signs_in_refreshes_and_revokes() {
    if let Some(last_line) = python("authlib_client.py") {
        assert_eq!(last_line, "three dances, one denial");
    }
}

#[test]
fn requests_oauthlib_signs_in_and_refreshes_by_itself() {
    if let Some(last_line) = python("requests_oauthlib_client.py") {
        assert_eq!(last_line, "a code, a refresh, a password");
    }
}

#[test]
fn openid_client_for_node_discovers_signs_in_refreshes_and_revokes() {
    let Some(node) = outside::find("GATEHOUSE_TEST_NODE", &[]) else {
        return;
    };
    let Some(packages) = outside::find("GATEHOUSE_TEST_NODE_CLIENTS", &[]) else {
        return;
    };
    let server = TestServer::start();
    let mut command = Command::new(node);
    command
        .arg(script("openid_client.mjs"))
        .arg(packages)
        .arg(response(&server).to_string());
    assert_eq!(run_client(&mut command), "three dances, one refusal");
}

#[test]
fn oauth2_and_openidconnect_for_rust_sign_in() {
    let Some(program) = outside::find("GATEHOUSE_TEST_RUST_CLIENTS", &[]) else {
        return;
    };
    let server = TestServer::start();
    let mut command = Command::new(program);
    command.args(["oauth", &response(&server).to_string()]);
    assert_eq!(run_client(&mut command), "oauth2, openidconnect");
}
