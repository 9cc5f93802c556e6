//! Redirects of old paths after renames and moves.

use serde_json::json;

use crate::support::script::play;
use crate::support::{TestResponse, TestServer};

fn location(answer: &TestResponse) -> &str {
    assert_eq!(answer.status, 301, "{answer:?}");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    answer.header("location").unwrap()
}

/// PATH-01, API-03, API-16.
#[test]
fn an_old_path_redirects_readers_until_another_project_reuses_it() {
    let server = TestServer::start();
    let dev = server.developer();
    let script = r#"
        POST /projects {"name": "Old"}
        201 {"...": 0, "id": 2, "path_with_namespace": "dev/old"}
        PUT /projects/2 {"path": "new"}
        200 {"...": 0, "path_with_namespace": "dev/new"}
    "#;
    play(&dev, "/api/v4", script);
    let base = server.base_url();
    let led = dev.get("/api/v4/projects/DEV%2Fold/issues?state=all&per_page=3");
    let to = format!("{base}/api/v4/projects/2/issues?state=all&per_page=3");
    assert_eq!(location(&led), to);
    let text = format!("This resource has been moved permanently to {to}");
    assert_eq!(led.json(), json!({ "message": text }));
    assert_eq!(
        location(&dev.get("/api/v4/projects/dev%2Fold")),
        format!("{base}/api/v4/projects/2")
    );
    let write = dev.put("/api/v4/projects/dev%2Fold", &json!({ "name": "X" }));
    let text = "Non GET methods are not allowed for moved projects";
    write.assert_is(405, &json!({ "message": text }));
    // Other callers do not learn that it existed.
    let hidden = server.reporter().get("/api/v4/projects/dev%2Fold");
    hidden.assert_is(404, &json!({ "message": "404 Project Not Found" }));
    assert_eq!(
        server.anonymous().get("/api/v4/projects/dev%2Fold").status,
        404
    );
    let script = r#"
        POST /projects {"name": "Next", "path": "old"}
        201 {"...": 0, "id": 3}
        GET /projects/dev%2Fold
        200 {"...": 0, "id": 3}
        DELETE /projects/2
        202
        GET /projects/dev%2Fnew
        404 {"message": "404 Project Not Found"}
    "#;
    play(&dev, "/api/v4", script);
}

/// PATH-01.
#[test]
fn a_renamed_group_takes_its_projects_along() {
    let server = TestServer::start();
    let dev = server.developer();
    let script = r#"
        POST /groups {"name": "Team", "path": "team"}
        201 {"...": 0, "id": 6}
        POST /projects {"name": "Tool", "namespace_id": 6}
        201 {"...": 0, "id": 2, "path_with_namespace": "team/tool"}
        PUT /groups/team {"path": "crew"}
        200 {"...": 0, "full_path": "crew"}
        POST /groups/team/transfer {}
        405 {"message": "Non GET methods are not allowed for moved groups"}
    "#;
    play(&dev, "/api/v4", script);
    let base = server.base_url();
    for (old, new) in [
        (
            "/groups/team?with_projects=no",
            "/groups/6?with_projects=no",
        ),
        ("/groups/TEAM/issues", "/groups/6/issues"),
        ("/projects/team%2Ftool", "/projects/2"),
    ] {
        let led = dev.get(&format!("/api/v4{old}"));
        assert_eq!(location(&led), format!("{base}/api/v4{new}"), "{old}");
    }
    assert_eq!(server.reporter().get("/api/v4/groups/team").status, 404);
}

#[test]
fn pages_redirect_to_the_new_path_of_a_moved_project() {
    let server = TestServer::start();
    let dev = server.developer();
    let script = r#"
        POST /projects {"name": "Old"}
        201 {"...": 0, "id": 2}
        PUT /projects/2 {"path": "new"}
        200 {"...": 0, "path_with_namespace": "dev/new"}
    "#;
    play(&dev, "/api/v4", script);
    let mut browser = server.signed_in("developer");
    for rest in ["", "/-/issues?state=all", "/-/labels"] {
        let led = browser.open(&format!("/dev/old{rest}"));
        assert_eq!(location(&led), format!("/dev/new{rest}"));
    }
    assert_eq!(browser.open("/dev/older").status, 404);
    assert_eq!(server.signed_in("reporter").open("/dev/old").status, 404);
    let led = server.browser().open("/dev/old");
    assert_eq!(led.status, 303, "to where one signs in");
}

/// PATH-02, AUTH-11.
#[test]
fn a_group_takes_a_project_from_its_owner() {
    let server = TestServer::start();
    let script = r#"
        POST /groups {"name": "Team", "path": "team"}
        201 {"...": 0, "id": 6}
        POST /projects {"name": "Tool"}
        201 {"...": 0, "id": 2}
        POST /groups/6/projects/dev%2Ftool
        201 {"...": 0, "id": 6, "full_path": "team"}
        GET /projects/2
        200 {"...": 0, "path_with_namespace": "team/tool"}
        POST /groups/6/projects/2
        400 {"message": "400 Bad request - the project is already in this namespace"}
        POST /projects {"name": "Other", "path": "tool"}
        201 {"...": 0, "id": 3}
        POST /groups/team/projects/3
        409 {"message": "409 Conflict: path has already been taken"}
        POST /groups/6/projects/1
        403 {"message": "403 Forbidden"}
        POST /groups/6/projects/4711
        404 {"message": "404 Project Not Found"}
    "#;
    play(&server.developer(), "/api/v4", script);
    let stranger = r#"
        POST /groups/6/projects/3
        404 {"message": "404 Group Not Found"}
    "#;
    play(&server.reporter(), "/api/v4", stranger);
}

/// PATH-01.
#[test]
fn namespace_exists_reports_a_conflict_and_suggests_a_free_path() {
    let server = TestServer::start();
    let script = r#"
        POST /groups {"name": "Team", "path": "team"}
        201 {"...": 0, "id": 6}
        POST /projects {"name": "Tool", "namespace_id": 6}
        201 {"...": 0, "id": 2}
        GET /namespaces/TEAM/exists
        200 {"exists": true, "suggests": ["TEAM1"]}
        GET /namespaces/fresh/exists
        200 {"exists": false, "suggests": []}
        GET /namespaces/team/exists?parent_id=6
        200 {"exists": false, "suggests": []}
        GET /namespaces/tool/exists?parent_id=6
        200 {"exists": true, "suggests": ["tool1"]}
        GET /namespaces/a%20b/exists?parent_id=x
        400 {"error": "parent_id is invalid, id is invalid"}
    "#;
    play(&server.developer(), "/api/v4", script);
    let below = "/api/v4/namespaces/tool/exists?parent_id=6";
    let hidden = server.reporter().get(below);
    hidden.assert_is(404, &json!({ "message": "404 Group Not Found" }));
    assert_eq!(server.anonymous().get(below).status, 401);
}
