//! Projects are created, changed, archived, moved, deleted and restored (`PATH-02`, `API-15`, `API-19`).

use serde_json::json;

use crate::support::TestServer;
use crate::support::pages::column;
use crate::support::polling::eventually;
use crate::support::rows;
use crate::support::script::play;

const API: &str = "/api/v4";

/// PATH-02, API-06, API-13.
#[test]
fn a_project_is_created_and_updated() {
    let server = TestServer::start();
    let script = r#"
        POST /projects {"name": "My Web-App!", "topics": ["Rust", "ops", "rust"]}
        201 {"...": 0, "id": 2, "path_with_namespace": "dev/my-web-app", "visibility": "private", "topics": ["Rust", "ops"], "archived": false, "permissions": {"project_access": {"access_level": 50, "notification_level": 3}, "group_access": null}}
        POST /projects {"name": "Other", "path": "MY-web-app"}
        409 {"message": "409 Conflict: path has already been taken"}
        POST /projects {"name": "My Web-App!", "path": "other"}
        409 {"message": "409 Conflict: name has already been taken"}
        PUT /projects/2 {"path": "shop", "description": "What it is for", "visibility": "internal", "tag_list": "a, b"}
        200 {"...": 0, "path_with_namespace": "dev/shop", "description": "What it is for", "visibility": "internal", "topics": ["a", "b"]}
        GET /projects/dev%2Fmy-web-app
        301 {"message": "*"}
        GET /projects/DEV%2Fshop
        200 {"...": 0, "id": 2}
        PUT /projects/2 {"name": "", "path": "a b", "topics": null}
        400 {"message": {"name": ["can't be blank"], "path": ["*"]}}
    "#;
    play(&server.developer(), API, script);
    // The change takes effect at once.
    assert_eq!(server.reporter().get("/api/v4/projects/2").status, 200);
    let hide = json!({ "visibility": "private" });
    assert_eq!(
        server.developer().put("/api/v4/projects/2", &hide).status,
        200
    );
    for path in ["/api/v4/projects/2", "/api/v4/projects/2/events"] {
        assert_eq!(server.reporter().get(path).status, 404, "{path}");
    }
}

/// PATH-02, API-11, API-12.
#[test]
fn invalid_project_fields_are_reported_by_name() {
    let server = TestServer::start();
    let script = r#"
        POST /projects {}
        400 {"error": "name, path are missing, at least one parameter must be provided"}
        POST /projects {"name": "x", "namespace_id": 4711}
        400 {"message": {"namespace": ["is not valid"]}}
        POST /projects {"name": "x", "namespace_id": 1}
        400 {"message": {"namespace": ["is not valid"]}}
        POST /projects {"name": "x", "path": "prometheus"}
        400 {"message": {"path": ["'prometheus' is a reserved name"]}}
        POST /projects {"name": "x", "issues_access_level": "private", "issues_enabled": "no"}
        400 {"error": "issues_access_level is a setting that this server does not support: leave it out, issues_enabled is a setting that this server does not support: leave it out"}
        POST /groups {"name": "Closed", "path": "closed", "project_creation_level": "noone"}
        201 {"...": 0, "id": 6}
        POST /projects {"name": "x", "namespace_id": 6}
        400 {"message": {"namespace": ["is not valid"]}}
        PUT /groups/6 {"project_creation_level": "maintainer"}
        200 {"...": 0}
        POST /projects {"name": "x", "namespace_id": 6, "visibility": "public"}
        400 {"message": {"visibility": ["public is not allowed in a private group"]}}
        PUT /projects/1 {"visibility": "public"}
        403 {"message": "403 Forbidden"}
    "#;
    play(&server.developer(), API, script);
}

/// AUTH-11.
#[test]
fn an_archived_project_is_read_and_not_written() {
    let server = TestServer::start();
    let script = r##"
        POST /projects {"name": "Old", "visibility": "public"}
        201 {"...": 0, "id": 2}
        POST /projects/2/archive
        201 {"...": 0, "archived": true}
        POST /projects/2/archive
        201 {"...": 0, "archived": true}
        POST /projects/2/labels {"name": "a", "color": "#fff"}
        403 {"message": "403 Forbidden - the project is archived"}
        POST /projects/2/issues {"title": "a"}
        403 {"message": "403 Forbidden - the project is archived"}
        PUT /projects/2 {"description": "It is still managed."}
        200 {"...": 0, "description": "It is still managed."}
        POST /projects/2/unarchive
        201 {"...": 0, "archived": false}
        POST /projects/2/issues {"title": "a"}
        201 {"...": 0, "iid": 1}
    "##;
    play(&server.developer(), API, script);
}

/// A Developer who creates a project in a group manages it from then on.
#[test]
fn the_maker_of_a_project_manages_it() {
    let server = TestServer::start();
    let acme = rows::number(
        &server,
        "SELECT id FROM namespaces WHERE full_path = 'acme'",
    );
    let created = json!({ "name": "Tool", "namespace_id": acme });
    let created = server
        .developer()
        .post("/api/v4/projects", &created)
        .expect(201);
    let role = &created["permissions"]["project_access"]["access_level"];
    assert_eq!(role, 40, "{created}");
}

/// A moved project has the roles and the path of its new place.
#[test]
fn a_project_transfers_only_where_its_owner_can_create_projects() {
    let server = TestServer::start();
    let script = r#"
        POST /groups {"name": "Team", "path": "team", "visibility": "internal"}
        201 {"...": 0, "id": 6}
        POST /projects {"name": "Thing"}
        201 {"...": 0, "id": 2}
        PUT /projects/2/transfer {"namespace": "team"}
        200 {"...": 0, "path_with_namespace": "team/thing"}
        PUT /projects/2/transfer {"namespace": 6}
        400 {"message": "400 Bad request - the project is already in this namespace"}
        PUT /projects/2/transfer {"namespace": "nowhere"}
        400 {"message": {"namespace": ["is not valid"]}}
        PUT /projects/2/transfer {"namespace": "root"}
        400 {"message": {"namespace": ["is not valid"]}}
        PUT /projects/2/transfer {}
        400 {"message": "400 (Bad request) \"namespace\" not given"}
        PUT /projects/2/transfer {"namespace": "dev"}
        200 {"...": 0, "path_with_namespace": "dev/thing"}
    "#;
    play(&server.developer(), API, script);
}

/// API-15, API-19.
#[test]
fn a_deleted_project_returns_404_until_restored() {
    let server = TestServer::start();
    let dev = server.developer();
    let created = json!({ "name": "Thing", "visibility": "public" });
    dev.post("/api/v4/projects", &created).expect(201);
    let since = |date: &str| {
        let conditional = dev.clone().with("If-Unmodified-Since", date);
        conditional.delete("/api/v4/projects/2")
    };
    let early = since("Thu, 29 Feb 2024 08:12:31 GMT");
    early.assert_is(412, &json!({ "message": "412 Precondition Failed" }));
    assert_eq!(server.reporter().delete("/api/v4/projects/2").status, 403);
    assert_eq!(since("Thu, 29 Feb 2924 08:12:31 GMT").status, 202);
    assert_eq!(dev.get("/api/v4/projects/2").status, 404);
    assert_eq!(column(&dev, "/api/v4/projects", "path"), ["web-shop"]);
    assert_eq!(
        server
            .reporter()
            .post("/api/v4/projects/2/restore", &json!({}))
            .status,
        403
    );
    let back = dev
        .post("/api/v4/projects/2/restore", &json!({}))
        .expect(201);
    assert_eq!(back["path_with_namespace"], "dev/thing");
    assert_eq!(
        server.reporter().get("/api/v4/projects/dev%2Fthing").status,
        200
    );
}

/// API-16, API-19: a project is not restored with more visibility than its group.
#[test]
fn a_restore_into_a_less_visible_group_is_rejected() {
    let server = TestServer::start();
    let admin = server.admin();
    let created = |path: &str, body| admin.post(path, &body).expect(201)["id"].clone();
    let group = created(
        "/api/v4/groups",
        json!({ "name": "Open", "path": "open", "visibility": "public" }),
    );
    let inner = json!({ "name": "In", "path": "in", "visibility": "public", "parent_id": group });
    let inner = created("/api/v4/groups", inner);
    let project = json!({ "name": "Thing", "visibility": "public", "namespace_id": group });
    let project = created("/api/v4/projects", project);
    let places = [
        format!("/api/v4/groups/{inner}"),
        format!("/api/v4/projects/{project}"),
    ];
    for place in &places {
        assert_eq!(admin.delete(place).status, 202);
    }
    let group = format!("/api/v4/groups/{group}");
    let narrow = json!({ "visibility": "private" });
    admin.put(&group, &narrow).expect(200);
    let refusal = "400 Bad request - its visibility is higher than that of its parent group; \
                   raise the visibility of the group first";
    for place in &places {
        let refused = admin.post(&format!("{place}/restore"), &json!({}));
        refused.assert_is(400, &json!({ "message": refusal }));
        assert_eq!(admin.get(place).status, 404);
    }
    let wide = json!({ "visibility": "public" });
    admin.put(&group, &wide).expect(200);
    for place in &places {
        let back = admin.post(&format!("{place}/restore"), &json!({}));
        assert_eq!(back.expect(201)["visibility"], "public");
    }
}

/// API-19: the job deletes all rows of the project, and no others.
#[test]
fn a_deletion_leaves_no_row_behind() {
    let mut server = TestServer::start();
    let admin = server.admin();
    server.raise(&json!({ "title": "Disk full" }));
    let script = r##"
        POST /labels {"name": "bug", "color": "#fff"}
        201
        POST /milestones {"title": "M1"}
        201
        POST /issues {"title": "Broken", "labels": "bug", "assignee_ids": [2]}
        201
        POST /issues/1/notes {"body": "Look"}
        201
        PUT . {"topics": ["ops"]}
        200
        POST /deployments {"environment": "production", "sha": "0123456789abcdef0123456789abcdef01234567", "ref": "main", "tag": false, "status": "success"}
        201
        POST /statuses/0123456789abcdef0123456789abcdef01234567 {"state": "success"}
        201
        POST /pipeline {"ref": "main", "variables": [{"key": "A", "value": "b"}]}
        201
        POST /snippets {"title": "Script", "file_name": "a", "content": "b"}
        201
        POST /notification_channels {"kind": "webhook", "name": "Hook", "url": "http://127.0.0.1:1/"}
        201
        POST /notification_channels/2/test {}
        201
        POST /on_call_schedules {"name": "Primary", "time_zone": "UTC", "first_handoff": "2026-11-30", "handoff_time": "09:00", "participant_ids": [1]}
        201
        POST /on_call_schedules/1/overrides {"user_id": 1, "until": "2099-01-01", "from": "2098-12-01"}
        201
    "##;
    play(&admin, "/api/v4/projects/1", script);
    admin
        .post("/api/v4/projects", &json!({ "name": "Kept" }))
        .expect(201);
    admin
        .delete("/api/v4/projects/1?permanently_remove=true")
        .expect(202);
    let alert = server
        .sender()
        .post(&server.generic(), &json!({ "title": "Again" }));
    assert_eq!(alert.status, 401, "its endpoints are gone at once");
    // The job runs when the server starts.
    rows::change(&server, "UPDATE deletions SET due_at = 0");
    server.kill_and_restart();
    let remaining = || {
        let tables = [
            "alerts",
            "alert_receipts",
            "alert_integrations",
            "alert_counters",
            "events",
            "labels",
            "milestones",
            "issues",
            "notes",
            "snippets",
            "project_members",
            "project_topics",
            "environments",
            "deployments",
            "pipelines",
            "ci_jobs",
            "ci_counters",
            "notification_channels",
            "notification_messages",
            "on_call_schedules",
        ];
        let counts =
            tables.map(|table| format!("(SELECT count(*) FROM {table} WHERE project_id = 1)"));
        let others = "(SELECT count(*) FROM deletions) + (SELECT count(*) FROM projects WHERE id = 1) \
                      + (SELECT count(*) FROM issue_labels) + (SELECT count(*) FROM issue_assignees) \
                      + (SELECT count(*) FROM pipeline_variables) + (SELECT count(*) FROM snippet_files) \
                      + (SELECT count(*) FROM notification_attempts) + (SELECT count(*) FROM on_call_overrides)";
        rows::number(&server, &format!("{others} + {}", counts.join(" + ")))
    };
    eventually("the project is gone", || (remaining() == 0).then_some(()));
    assert_eq!(server.admin().get("/api/v4/projects/2").status, 200);
    let again = server
        .admin()
        .post("/api/v4/projects/1/restore", &json!({}));
    again.assert_is(404, &json!({ "message": "404 Project Not Found" }));
}
