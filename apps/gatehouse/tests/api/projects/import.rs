//! Imports of projects from archives (`PATH-02`).

use serde_json::{Value, json};

use crate::support::archives::{archive, archive_of_issues};
use crate::support::rows;
use crate::support::script::play;
use crate::support::{TestCaller, TestResponse, TestServer};

const API: &str = "/api/v4";
const IMPORT: &str = "/api/v4/projects/import";

/// The given fields of each item of a list, sorted by the first one.
fn picked(caller: &TestCaller, path: &str, fields: &[&str]) -> Vec<Value> {
    let mut items: Vec<Value> = caller.get(path).list();
    items.sort_by_key(|item| item[fields[0]].to_string());
    let pick = |item: Value| fields.iter().map(|field| item[field].clone()).collect();
    items.into_iter().map(pick).collect()
}

/// Fills a project with an item of every kind: its issues are 1, 3 and 4.
fn fill(server: &TestServer) {
    let script = r##"
        POST /projects {"name": "Source", "description": "What it is for", "visibility": "internal", "topics": ["ops"]}
        201 {"...": 0, "id": 2}
        POST /projects/2/labels {"name": "bug", "color": "#d9534f", "description": "Broken", "priority": 3}
        201
        POST /projects/2/labels {"name": "docs; too", "color": "#abc"}
        201
        POST /projects/2/milestones {"title": "1.0", "description": "First", "start_date": "2024-02-01", "due_date": "2024-02-29"}
        201 {"...": 0, "id": 1}
        PUT /projects/2/milestones/1 {"state_event": "close"}
        200
        POST /projects/2/milestones {"title": "2.0"}
        201
        POST /projects/2/issues {"title": "First", "description": "See #3", "labels": ["bug", "docs; too"], "created_at": "2020-02-29T12:00:00.125Z", "milestone_id": 1}
        201
        POST /projects/2/issues {"title": "Gone"}
        201
        POST /projects/2/issues {"title": "Third", "issue_type": "incident", "severity": "high", "confidential": true, "due_date": "2024-03-01", "labels": "bug"}
        201
        DELETE /projects/2/issues/2
        204
        PUT /projects/2/issues/3 {"state_event": "close", "discussion_locked": true}
        200
        POST /projects/2/issues {"title": "Fourth"}
        201 {"...": 0, "iid": 4}
        POST /projects/2/issues/1/notes {"body": "Early", "created_at": "2020-03-01T00:00:00Z"}
        201
        POST /projects/2/issues/1/notes {"body": "Hidden", "internal": true}
        201
        POST /projects/2/issues/3/notes {"body": "Last"}
        201
    "##;
    play(&server.developer(), API, script);
}

/// Exports the filled project, and imports it under another path.
fn copied(server: &TestServer) -> TestResponse {
    fill(server);
    let developer = server.developer();
    let exported = developer.get("/api/v4/projects/2/export/download");
    assert_eq!(exported.status, 200);
    let fields = [("path", "copy"), ("name", "A copy")];
    developer.post_form_data(IMPORT, &fields, Some(&exported.body))
}

/// PATH-02: clients know the response to an import.
#[test]
fn an_import_is_answered_with_its_status() {
    let server = TestServer::start();
    let imported = copied(&server);
    let request_id = imported.header("x-request-id").map(str::to_owned);
    let mut status = imported.expect(201);
    assert!(status["created_at"].is_string());
    status["created_at"] = "*".into();
    assert_eq!(
        status,
        json!({
            "id": 3, "description": "What it is for", "name": "A copy",
            "name_with_namespace": status["name_with_namespace"], "path": "copy",
            "path_with_namespace": "dev/copy", "created_at": "*",
            "import_status": "finished", "import_type": "service_project",
            "correlation_id": request_id, "failed_relations": [], "import_error": null, "stats": null,
        })
    );
    let script = r#"
        GET /projects/3/import
        200 {"...": 0, "id": 3, "import_status": "finished", "import_type": "service_project", "correlation_id": null}
        GET /projects/2/import
        200 {"...": 0, "id": 2, "import_status": "none", "import_type": null}
    "#;
    play(&server.developer(), API, script);
}

/// PATH-02: everything in an archive is in the project that is created from it, with numbers, times and counts.
#[test]
fn an_imported_project_matches_the_exported_project() {
    let server = TestServer::start();
    copied(&server).expect(201);
    let developer = server.developer();
    for (list, fields) in [
        (
            "labels?with_counts=true",
            &[
                "name",
                "color",
                "description",
                "priority",
                "open_issues_count",
                "closed_issues_count",
            ][..],
        ),
        (
            "milestones",
            &[
                "title",
                "iid",
                "description",
                "state",
                "start_date",
                "due_date",
                "created_at",
                "updated_at",
            ],
        ),
        (
            "issues",
            &[
                "iid",
                "title",
                "description",
                "state",
                "created_at",
                "updated_at",
                "closed_at",
                "labels",
                "confidential",
                "discussion_locked",
                "due_date",
                "issue_type",
                "severity",
                "user_notes_count",
                "references",
                "author",
                "closed_by",
            ],
        ),
        (
            "issues/1/notes",
            &[
                "created_at",
                "body",
                "updated_at",
                "internal",
                "system",
                "author",
            ],
        ),
    ] {
        let before = picked(&developer, &format!("/api/v4/projects/2/{list}"), fields);
        let after = picked(&developer, &format!("/api/v4/projects/3/{list}"), fields);
        let text = |items: &[Value]| json!(items).to_string().replace("dev/source", "dev/copy");
        assert_eq!(text(&after), text(&before), "{list}");
        assert!(after.len() > 1, "{list}");
    }
    let last = picked(
        &developer,
        "/api/v4/projects/3/issues/3/notes",
        &["system", "body"],
    );
    assert_eq!(last, [json!([false, "Last"])]);
}

/// Imported contents count like created ones, and no events are recorded for each of them.
#[test]
fn an_imported_project_lives_on() {
    let server = TestServer::start();
    copied(&server).expect(201);
    let script = r#"
        GET /projects/3
        200 {"...": 0, "visibility": "internal", "topics": ["ops"], "open_issues_count": 2, "description": "What it is for"}
        GET /projects/3/issues/1
        200 {"...": 0, "milestone": {"...": 0, "title": "1.0", "project_id": 3}}
        GET /projects/3/issues_statistics
        200 {"statistics": {"counts": {"all": 3, "closed": 1, "opened": 2}}}
        POST /projects/3/issues {"title": "Next"}
        201 {"...": 0, "iid": 5}
    "#;
    play(&server.developer(), API, script);
    // The feed only has the project itself, and alerts can be sent to it.
    let about_it = "SELECT count(*) FROM events WHERE project_id = 3";
    assert_eq!(rows::number(&server, about_it), 2);
    let endpoints = "SELECT count(*) FROM alert_integrations WHERE project_id = 3";
    assert_eq!(rows::number(&server, endpoints), 2);
    // The audit log shows who exported the project, and who imported it.
    for (project, event) in [(2, 25), (3, 24)] {
        let logged = format!(
            "SELECT count(*) FROM audit_entries WHERE entity_type = 2 AND entity_id = {project} \
             AND event_name = {event}"
        );
        assert_eq!(rows::number(&server, &logged), 1, "{project}");
    }
}

/// Texts of other authors end with their name and the time; texts of the importer do not.
#[test]
fn texts_of_others_end_with_a_line_that_names_them() {
    let server = TestServer::start();
    let lines = r#"{"iid":7,"title":"Theirs","description":"Look","author":{"name":"Ben B.","username":"ben"},"created_at":"2024-02-29T12:00:00Z","notes":[{"note":"Mine","author":{"name":"Other","username":"DEV"}},{"note":"Their note","author_id":4,"author":{"name":"@everybody"},"created_at":"2024-03-01T12:00:00Z","updated_at":"2024-03-02T12:00:00Z"},{"note":"closed","system":true}]}
{"iid":8,"title":"Nobody's"}"#;
    let developer = server.developer();
    let packed = archive_of_issues(lines);
    let created = developer.post_form_data(IMPORT, &[("path", "copy")], Some(&packed));
    created.expect(201);
    let script = r#"
        GET /projects/2/issues/7
        200 {"...": 0, "description": "Look\n\n*Written by Ben B. (ben) at 2024-02-29T12:00:00.000Z and imported later.*", "author": {"...": 0, "username": "dev"}, "created_at": "2024-02-29T12:00:00.000Z", "updated_at": "2024-02-29T12:00:00.000Z", "user_notes_count": 2}
        GET /projects/2/issues/8
        200 {"...": 0, "description": null, "state": "opened"}
        GET /projects/2/issues/7/notes?sort=asc
        200 [{"...": 0, "body": "Their note\n\n*Written by \\@everybody at 2024-03-01T12:00:00.000Z and imported later.*", "updated_at": "2024-03-02T12:00:00.000Z", "author": {"...": 0, "username": "dev"}}, {"...": 0, "body": "Mine"}]
        POST /projects/2/issues {"title": "Next"}
        201 {"...": 0, "iid": 9}
    "#;
    play(&developer, API, script);
}

/// PATH-02: the overrides of the request win over the archive, and its path and name over both.
#[test]
fn parameters_win_over_the_archive() {
    let server = TestServer::start();
    let project = r#"{"description":"Archived","visibility_level":20,"topics":["old"]}"#;
    let packed = archive(&[("tree/project.json", project)]);
    let developer = server.developer();
    let import = |fields: &[(&str, &str)]| developer.post_form_data(IMPORT, fields, Some(&packed));
    import(&[("path", "as-it-was"), ("overwrite", "False")]).expect(201);
    let created = import(&[
        ("path", "other"),
        ("override_params[description]", "Other"),
        ("override_params[visibility]", "internal"),
        ("override_params[name]", "By the hash"),
        ("override_params[topics][]", "new"),
    ]);
    created.expect(201);
    let acme = "SELECT id FROM namespaces WHERE full_path = 'acme'";
    let admin = server.admin();
    admin
        .put(
            &format!("/api/v4/groups/{}", rows::number(&server, acme)),
            &json!({"visibility": "internal"}),
        )
        .assert_ok();
    for (path, namespace) in [
        ("in-group", "acme".to_owned()),
        ("too", rows::number(&server, acme).to_string()),
    ] {
        let fields = [("path", path), ("namespace", namespace.as_str())];
        admin
            .post_form_data(IMPORT, &fields, Some(&packed))
            .expect(201);
    }
    let script = r#"
        GET /projects/dev%2Fas-it-was
        200 {"...": 0, "name": "as-it-was", "description": "Archived", "visibility": "public", "topics": ["old"]}
        GET /projects/dev%2Fother
        200 {"...": 0, "name": "By the hash", "description": "Other", "visibility": "internal", "topics": ["new"]}
        GET /projects/acme%2Fin-group
        200 {"...": 0, "visibility": "internal"}
        GET /projects/acme%2Ftoo
        200 {"...": 0, "visibility": "internal"}
    "#;
    play(&developer, API, script);
    let fields = [
        ("path", "wide"),
        ("namespace", "acme"),
        ("override_params[visibility]", "public"),
    ];
    admin
        .post_form_data(IMPORT, &fields, Some(&packed))
        .assert_is(
            400,
            &json!({"message": {"visibility": ["public is not allowed in an internal group"]}}),
        );
}

/// The configured service name is used in the type.
#[test]
fn the_type_of_the_import_has_the_word_for_the_service() {
    let server = TestServer::start_configured("[naming]\nservice = \"gitlab\"\n");
    let fields = [("path", "copy")];
    let created = server
        .developer()
        .post_form_data(IMPORT, &fields, Some(&archive(&[])));
    assert_eq!(created.expect(201)["import_type"], "gitlab_project");
}
