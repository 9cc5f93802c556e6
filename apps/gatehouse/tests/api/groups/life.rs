//! Groups are created, changed, moved, deleted and restored (`PATH-01`, `API-19`).

use crate::support::TestServer;
use crate::support::script::play;

const GROUPS: &str = "/api/v4/groups";

/// PATH-01, API-06, API-12.
#[test]
fn groups_are_created_updated_and_transferred_with_their_contents() {
    let server = TestServer::start();
    let script = r#"
        POST . {"name": "Team", "path": "team", "visibility": "public"}
        201 {"...": 0, "full_path": "team", "full_name": "Team", "visibility": "public", "parent_id": null}
        POST . {"name": " Sub ", "path": "Sub", "parent_id": 6, "visibility": "public"}
        201 {"...": 0, "id": 7, "full_path": "team/Sub", "full_name": "Team / Sub", "name": "Sub", "parent_id": 6}
        POST . {"name": "Again", "path": "sUB", "parent_id": 6}
        409 {"message": "409 Conflict: path has already been taken"}
        PUT /team {"path": "crew", "name": "Crew", "share_with_group_lock": true}
        200 {"...": 0, "full_path": "crew", "share_with_group_lock": true}
        GET /crew%2Fsub
        200 {"...": 0, "id": 7, "full_path": "crew/Sub", "full_name": "Crew / Sub"}
        GET /team%2Fsub
        301 {"message": "*"}
        POST /7/transfer {}
        201 {"...": 0, "full_path": "Sub", "parent_id": null}
        POST /6/transfer {"group_id": 7}
        201 {"...": 0, "full_path": "Sub/crew", "parent_id": 7}
        POST /7/transfer {"group_id": 6}
        400 {"message": "400 Bad request - a group cannot be moved into itself"}
        POST /7/transfer {}
        400 {"message": "400 Bad request - the group already has this parent"}
        PUT /7 {"visibility": "private"}
        400 {"message": {"visibility": ["private is not allowed, because there are public projects or subgroups in the group"]}}
    "#;
    play(&server.developer(), GROUPS, script);
}

/// API-11, API-12, API-16, AUTH-11.
#[test]
fn invalid_group_parameters_are_reported_by_name() {
    let server = TestServer::start();
    let long = "x".repeat(501);
    let slug = "can contain only letters, digits, '_', '-' and '.', cannot start with '-' or '.', and cannot end in '.', '.git' or '.atom'";
    let script = format!(
        r#"
        POST . {{"path": "x"}}
        400 {{"message": "400 (Bad request) \"name\" not given"}}
        POST . {{"name": "x", "path": "-x", "description": "{long}"}}
        400 {{"message": {{"path": ["{slug}"], "description": ["is too long (maximum is 500 characters)"]}}}}
        POST . {{"name": "x", "path": "x", "visibility": "secret", "project_creation_level": "all"}}
        400 {{"error": "visibility does not have a valid value, project_creation_level does not have a valid value"}}
        POST . {{"name": "x", "path": "x", "parent_id": 4711}}
        404 {{"message": "404 Group Not Found"}}
        POST . {{"name": "Private", "path": "private"}}
        201 {{"...": 0, "id": 6, "visibility": "private", "subgroup_creation_level": "maintainer"}}
        POST . {{"name": "x", "path": "x", "parent_id": 6, "visibility": "public"}}
        400 {{"message": {{"visibility": ["public is not allowed in a private group"]}}}}
        PUT /6 {{}}
        400 {{"error": "*"}}
        "#
    );
    play(&server.developer(), GROUPS, &script);
    let stranger = r#"
        GET /private
        404 {"message": "404 Group Not Found"}
        POST . {"name": "x", "path": "x", "parent_id": 6}
        404 {"message": "404 Group Not Found"}
    "#;
    play(&server.reporter(), GROUPS, stranger);
}

/// API-19, API-06.
#[test]
fn a_deleted_group_returns_404_until_restored() {
    let server = TestServer::start();
    let dev = server.developer();
    let script = r#"
        POST /groups {"name": "Team", "path": "team"}
        201 {"...": 0, "id": 6}
        POST /projects {"name": "Inner", "namespace_id": 6}
        201 {"...": 0, "id": 2, "path_with_namespace": "team/inner"}
        DELETE /groups/team
        202 {"message": "202 Accepted"}
        GET /groups/6
        404 {"message": "404 Group Not Found"}
        GET /projects/2
        404 {"message": "404 Project Not Found"}
        DELETE /groups/6
        404 {"message": "404 Group Not Found"}
        POST /projects/2/restore
        404 {"message": "404 Project Not Found"}
        POST /groups {"name": "Other", "path": "team"}
        201 {"...": 0, "id": 7}
        POST /groups/6/restore
        409 {"message": "409 Conflict: path has already been taken"}
        PUT /groups/7 {"path": "away"}
        200 {"...": 0, "full_path": "away"}
        POST /groups/6/restore
        201 {"...": 0, "id": 6, "full_path": "team"}
        GET /projects/team%2Finner
        200 {"...": 0, "id": 2}
        POST /groups/6/restore
        404 {"message": "404 Group Not Found"}
    "#;
    play(&dev, "/api/v4", script);
}

/// A group that forbids sharing also forbids it in every subgroup and project.
#[test]
fn projects_below_a_group_with_a_share_lock_cannot_be_shared() {
    let server = TestServer::start();
    let script = r#"
        POST /groups {"name": "Top", "path": "top", "share_with_group_lock": true}
        201 {"...": 0, "id": 6}
        POST /groups {"name": "Sub", "path": "sub", "parent_id": 6}
        201 {"...": 0, "id": 7, "share_with_group_lock": false}
        POST /projects {"name": "Inner", "namespace_id": 7}
        201 {"...": 0, "id": 2}
        POST /groups {"name": "Other", "path": "other"}
        201 {"...": 0, "id": 8}
        POST /projects/2/share {"group_id": 8, "group_access": 30}
        400 {"message": "400 Bad request - The project sharing with group is disabled"}
        PUT /groups/6 {"share_with_group_lock": false}
        200 {"...": 0}
        POST /projects/2/share {"group_id": 8, "group_access": 30}
        201 {"...": 0, "group_id": 8}
    "#;
    play(&server.developer(), "/api/v4", script);
}
