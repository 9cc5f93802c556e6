//! `/api/v4/projects/:id/share` (`PATH-04`).

use serde_json::json;

use super::members::{audited, person};
use crate::support::TestServer;
use crate::support::pages::column;
use crate::support::rows::{change, number};
use crate::support::script::play;

/// Creates a group with a project in it, and returns the group's id.
fn group(server: &TestServer, path: &str, visibility: &str, owner: &str) -> i64 {
    server.create_project(&format!("{path}/project"), visibility, owner);
    number(
        server,
        &format!("SELECT id FROM namespaces WHERE full_path = '{path}'"),
    )
}

#[test]
fn a_project_is_shared_and_unshared() {
    let server = TestServer::start();
    let admin = server.admin();
    let (_, ann) = person(&server, "ann");
    let id = group(&server, "others", "private", "ann");
    assert_eq!(ann.get(&server.alerts()).status, 404);
    let script = format!(
        r#"
        POST . {{"group_id": {id}, "group_access": 30, "expires_at": "2999-01-01"}}
        201 {{"id": 1, "project_id": "*", "group_id": {id}, "group_access": 30, "expires_at": "2999-01-01"}}
        POST . {{"group_id": {id}, "group_access": 20}}
        409 {{"message": "409 Conflict: the project is already shared with this group"}}
        "#
    );
    play(&admin, &server.below_project("/share"), &script);
    // Ann owns the group, and is a Developer here.
    assert_eq!(ann.get(&server.alerts()).status, 200);
    let projects = column(&ann, "/api/v4/projects?membership=true&sort=asc", "path");
    assert_eq!(projects, ["web-shop", "project"]);
    let all = server.below_project("/members/all?query=ann");
    assert_eq!(column(&admin, &all, "access_level"), ["30"]);
    assert_eq!(
        column(&admin, &server.below_project("/members"), "id"),
        [""; 0]
    );

    let one = server.below_project(&format!("/share/{id}"));
    assert_eq!(ann.delete(&one).status, 403, "Maintainers manage shares");
    assert_eq!(admin.delete(&one).status, 204);
    let again = admin.delete(&one);
    assert_eq!(
        (again.status, again.json()),
        (404, json!({ "message": "404 Group Link Not Found" }))
    );
    assert_eq!(ann.get(&server.alerts()).status, 404);
    assert_eq!(
        [5, 6].map(|event_name| audited(&server, 2, event_name)),
        [1, 1]
    );
}

#[test]
fn invalid_share_requests_are_rejected_with_the_reason() {
    let server = TestServer::start();
    let path = server.below_project("/share");
    let (max_id, max) = person(&server, "max");
    person(&server, "ann");
    let hidden = group(&server, "hidden", "private", "ann");
    let seen = group(&server, "seen", "public", "ann");
    let body = json!({ "user_id": max_id, "access_level": 40 });
    server
        .admin()
        .post(&server.below_project("/members"), &body)
        .expect(201);
    let own = number(
        &server,
        "SELECT id FROM namespaces WHERE full_path = 'acme'",
    );
    let script = format!(
        r#"
        POST . {{"group_access": 30}}
        400 {{"message": "400 (Bad request) \"group_id\" not given"}}
        POST . {{"group_id": {seen}}}
        400 {{"message": "400 (Bad request) \"group_access\" not given"}}
        POST . {{"group_id": {seen}, "group_access": 31}}
        400 {{"error": "group_access does not have a valid value"}}
        POST . {{"group_id": {hidden}, "group_access": 30}}
        404 {{"message": "404 Group Not Found"}}
        POST . {{"group_id": 999999, "group_access": 30}}
        404 {{"message": "404 Group Not Found"}}
        POST . {{"group_id": {seen}, "group_access": 50}}
        403 {{"message": "403 Forbidden"}}
        POST . {{"group_id": {seen}, "group_access": 30, "expires_at": "2001-01-01"}}
        400 {{"message": {{"expires_at": ["must be a date after today"]}}}}
        DELETE /{seen}
        404 {{"message": "404 Group Link Not Found"}}
        "#
    );
    play(&max, &path, &script);
    let script = format!(
        r#"
        POST . {{"group_id": {own}, "group_access": 30}}
        400 {{"message": {{"group_id": ["is the project's own group"]}}}}
        "#
    );
    play(&server.admin(), &path, &script);
    change(
        &server,
        "UPDATE namespaces SET share_with_group_lock = TRUE WHERE full_path = 'acme'",
    );
    let script = format!(
        r#"
        POST . {{"group_id": {seen}, "group_access": 30}}
        400 {{"message": "400 Bad request - The project sharing with group is disabled"}}
        "#
    );
    play(&max, &path, &script);
}

#[test]
fn a_share_ends_between_two_requests() {
    let server = TestServer::start();
    let (_, ann) = person(&server, "ann");
    let id = group(&server, "others", "private", "ann");
    let body = json!({ "group_id": id, "group_access": 30 });
    server
        .admin()
        .post(&server.below_project("/share"), &body)
        .expect(201);
    assert_eq!(ann.get(&server.alerts()).status, 200);
    change(&server, "UPDATE project_shares SET expires_on = 1");
    assert_eq!(ann.get(&server.alerts()).status, 404);
}
