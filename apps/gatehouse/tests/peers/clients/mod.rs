//! OAuth clients that people use, unmodified, sign in to the server: by the forms of its pages, and in a browser.

mod chromium;

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Server, outside};

/// Where the redirects of the confidential application lead. Nobody is there; the clients read the URL alone.
const REDIRECT_URI: &str = "https://app.example.com/callback";

/// A file of this directory.
pub(crate) fn script(name: &str) -> PathBuf {
    outside::script(&format!("clients/{name}"))
}

/// What the clients get: the server, its user, and two applications.
fn response(server: &Server) -> Value {
    let application = |name: &str, redirect_uri: &str, is_confidential: bool| {
        let scopes = "api read_user openid profile email";
        let made = server.create_application(name, &[redirect_uri], scopes, is_confidential);
        let secret = is_confidential.then(|| made["client_secret"].clone());
        json!({ "id": made["client_id"], "secret": secret })
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

/// Runs a client to its end. It asserts by itself, and the last line that it prints says what it did.
#[track_caller]
pub(crate) fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text.trim().to_owned()
}

/// A client in Python, with every warning an error.
fn python(name: &str) -> Option<String> {
    let python = outside::find("GATEHOUSE_TEST_PYTHON", &[])?;
    let server = Server::start();
    let mut command = Command::new(python);
    command
        .args(["-B", "-W", "error::UserWarning"])
        .arg(script(name))
        .arg(response(&server).to_string());
    Some(said(&mut command))
}

#[test]
fn authlib_discovers_signs_in_refreshes_and_revokes() {
    if let Some(said) = python("authlib_client.py") {
        assert_eq!(said, "three dances, one denial");
    }
}

#[test]
fn requests_oauthlib_signs_in_and_refreshes_by_itself() {
    if let Some(said) = python("requests_oauthlib_client.py") {
        assert_eq!(said, "a code, a refresh, a password");
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
    let server = Server::start();
    let mut command = Command::new(node);
    command
        .arg(script("openid_client.mjs"))
        .arg(packages)
        .arg(response(&server).to_string());
    assert_eq!(said(&mut command), "three dances, one refusal");
}

#[test]
fn oauth2_and_openidconnect_for_rust_sign_in() {
    let Some(program) = outside::find("GATEHOUSE_TEST_RUST_CLIENTS", &[]) else {
        return;
    };
    let server = Server::start();
    let mut command = Command::new(program);
    command.args(["oauth", &response(&server).to_string()]);
    assert_eq!(said(&mut command), "oauth2, openidconnect");
}
