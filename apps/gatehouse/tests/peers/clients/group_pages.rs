//! The pages of groups, members and users in a real browser.

use std::process::Command;

use super::{response, said, script};
use crate::support::{Server, outside};

#[test]
fn owners_make_groups_and_manage_members_in_chromium_and_axe_finds_nothing() {
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
        .arg(script("groups.mjs"))
        .arg(packages)
        .arg(chromium)
        .arg(pictures.path())
        .arg(owner.to_string());
    assert_eq!(said(&mut command), "4 stories");
    // Each page six times: light and dark, on a desk, on a tablet and on a phone.
    let taken = pictures.path().read_dir().unwrap().count();
    assert_eq!(taken, 17 * 6);
}
