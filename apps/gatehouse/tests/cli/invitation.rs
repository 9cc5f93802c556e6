//! `gatehouse invitation`: creating, listing and revoking invitations.

use serde_json::{Value, json};

use crate::shell::TestShell;

#[test]
fn an_invitation_is_created_listed_and_revoked() {
    let shell = TestShell::migrated();
    let flags = ["--username", "robin", "--days", "30", "--json"];
    let created = shell.run(&[&["invitation", "create"], &flags[..]].concat());
    let created = created.json();
    let link = created["link"].as_str().unwrap();
    assert!(link.contains("/invitations/ghin_"), "{link}");
    let listed = shell.run(&["invitation", "list", "--json"]).json();
    assert_eq!(
        (&listed["id"], &listed["username"], &listed["created_by"]),
        (&created["id"], &json!("robin"), &Value::Null)
    );
    let id = created["id"].to_string();
    shell.run(&["invitation", "revoke", &id]).checked_output();
    let again = shell.run(&["invitation", "revoke", &id]);
    assert!(again.error_message().contains("no open invitation"));
    assert_eq!(shell.run(&["invitation", "list"]).checked_output(), "");
    let long = shell.run(&["invitation", "create", "--days", "31"]);
    assert!(long.error_message().contains("1 to 30 days"));
}
