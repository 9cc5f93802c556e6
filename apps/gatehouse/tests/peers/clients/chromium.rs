//! The pages in a real browser.

use std::process::Command;

use super::{response, said, script};
use crate::support::{Server, outside};

#[test]
fn oidc_client_ts_signs_in_and_ends_the_session_of_the_server_in_chromium() {
    let Some(chromium) = outside::find("GATEHOUSE_TEST_CHROMIUM", &["/usr/bin/chromium"]) else {
        return;
    };
    let Some(node) = outside::find("GATEHOUSE_TEST_NODE", &[]) else {
        return;
    };
    let Some(packages) = outside::find("GATEHOUSE_TEST_NODE_CLIENTS", &[]) else {
        return;
    };
    let server = Server::start();
    let pictures = tempfile::tempdir().unwrap();
    let mut response = response(&server);
    response["admin_token"] = server.text("/admin/token").into();
    let mut command = Command::new(node);
    command
        .arg(script("single_page.mjs"))
        .arg(packages)
        .arg(chromium)
        .arg(pictures.path())
        .arg(response.to_string());
    assert_eq!(said(&mut command), "2 stories");
}

#[test]
fn people_sign_in_consent_deny_register_and_set_up_a_second_factor_in_chromium() {
    let Some(chromium) = outside::find("GATEHOUSE_TEST_CHROMIUM", &["/usr/bin/chromium"]) else {
        return;
    };
    let Some(node) = outside::find("GATEHOUSE_TEST_NODE", &[]) else {
        return;
    };
    let Some(packages) = outside::find("GATEHOUSE_TEST_NODE_CLIENTS", &[]) else {
        return;
    };
    let server = Server::start();
    let pictures = tempfile::tempdir().unwrap();
    // A browser that is killed because a story failed leaves its own files behind.
    let temporary = tempfile::tempdir().unwrap();
    let mut command = Command::new(node);
    command
        .env("TMPDIR", temporary.path())
        .arg(script("browser.mjs"))
        .arg(packages)
        .arg(chromium)
        .arg(pictures.path())
        .arg(response(&server).to_string());
    assert_eq!(said(&mut command), "13 stories");
    // Each page six times: light and dark, on a desk, on a tablet and on a phone.
    let taken = pictures.path().read_dir().unwrap().count();
    assert_eq!(taken, 23 * 6);
}

#[test]
fn owners_set_up_projects_endpoints_and_issues_in_chromium_and_axe_finds_nothing() {
    let Some(chromium) = outside::find("GATEHOUSE_TEST_CHROMIUM", &["/usr/bin/chromium"]) else {
        return;
    };
    let Some(node) = outside::find("GATEHOUSE_TEST_NODE", &[]) else {
        return;
    };
    let Some(packages) = outside::find("GATEHOUSE_TEST_NODE_CLIENTS", &[]) else {
        return;
    };
    let server = Server::start();
    let pictures = tempfile::tempdir().unwrap();
    let temporary = tempfile::tempdir().unwrap();
    let mut owner = response(&server);
    owner["login"] = server.text("/admin/username").into();
    owner["password"] = server.text("/admin/password").into();
    let mut command = Command::new(node);
    command
        .env("TMPDIR", temporary.path())
        .arg(script("places.mjs"))
        .arg(packages)
        .arg(chromium)
        .arg(pictures.path())
        .arg(owner.to_string());
    assert_eq!(said(&mut command), "4 stories");
    // Each page six times: light and dark, on a desk, on a tablet and on a phone.
    let taken = pictures.path().read_dir().unwrap().count();
    assert_eq!(taken, 22 * 6);
}
