//! Exports of projects, which need the role of Maintainer.

use serde_json::json;

use crate::support::archives::archive_of_issues;
use crate::support::script::play;
use crate::support::{TestServer, rows};

const API: &str = "/api/v4";
const IMPORT: &str = "/api/v4/projects/import";

#[test]
fn an_export_is_there_at_once() {
    let server = TestServer::start();
    let developer = server.developer();
    let base_url = server.base_url();
    let script = format!(
        r#"
        POST /projects {{"name": "Source", "path": "source"}}
        201 {{"...": 0, "id": 2}}
        POST /projects/2/export
        202 {{"message": "202 Accepted"}}
        GET /projects/2/export
        200 {{"id": 2, "description": null, "name": "Source", "name_with_namespace": "*", "path": "source", "path_with_namespace": "dev/source", "created_at": "*", "export_status": "finished", "_links": {{"api_url": "{base_url}/api/v4/projects/2/export/download"}}}}
        POST /projects/2/archive
        201
        POST /projects/2/export
        202
        GET /projects/2/export
        200
        GET /projects/4711/export
        404 {{"message": "404 Project Not Found"}}
    "#
    );
    play(&developer, API, &script);
    let answer = developer.get("/api/v4/projects/2/export/download");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/gzip"));
    let disposition = answer.header("content-disposition").unwrap();
    assert!(
        disposition.starts_with("attachment; filename=\""),
        "{disposition}"
    );
    assert!(disposition.ends_with("_source.tar.gz\""), "{disposition}");
    let archive = projects::archive::read(&answer.body).unwrap();
    assert_eq!(archive.issues.len(), 0);
    let answer = developer.send("HEAD", "/api/v4/projects/2/export/download", b"");
    assert_eq!((answer.status, answer.body.len()), (200, 0));
}

/// An archive has only what users wrote, including internal and confidential contents; exporting takes a Maintainer.
#[test]
fn exports_include_confidential_content_and_are_denied_to_reporters() {
    let server = TestServer::start();
    let script = r#"
        POST /projects {"name": "Source", "visibility": "public"}
        201 {"...": 0, "id": 2}
        POST /projects/2/issues {"title": "Secret", "confidential": true}
        201
        POST /projects/2/issues/1/notes {"body": "Hidden", "internal": true}
        201
        PUT /projects/2/issues/1 {"state_event": "close"}
        200
    "#;
    play(&server.developer(), API, script);
    for path in ["export", "export/download"] {
        let path = format!("/api/v4/projects/2/{path}");
        server
            .reporter()
            .get(&path)
            .assert_is(403, &json!({"message": "403 Forbidden"}));
        assert_eq!(server.anonymous().get(&path).status, 401);
    }
    let answer = server.admin().get("/api/v4/projects/2/export/download");
    let archive = projects::archive::read(&answer.body).unwrap();
    let [issue] = archive.issues.try_into().unwrap();
    assert!(issue.content.confidential && issue.closed_at.is_some());
    let [note] = issue.notes.try_into().unwrap();
    assert!(note.internal && note.body == "Hidden");
    assert_eq!(note.author.unwrap().username.as_deref(), Some("dev"));
}

/// A project at the limit can be imported and exported; one item more is too much.
#[test]
fn a_project_is_exported_up_to_the_bound() {
    let server = TestServer::start();
    let developer = server.developer();
    let note = "{\"note\":\"a\"},".repeat(4);
    let lines: Vec<String> = (1..=2000)
        .map(|iid| {
            format!(
                "{{\"iid\":{iid},\"title\":\"a\",\"notes\":[{}]}}",
                note.trim_end_matches(',')
            )
        })
        .collect();
    let packed = archive_of_issues(&lines.join("\n"));
    let created = developer.post_form_data(IMPORT, &[("path", "large")], Some(&packed));
    created.expect(201);
    assert_eq!(
        rows::number(&server, "SELECT count(*) FROM notes"),
        8000 + demo_notes(&server)
    );
    let answer = developer.get("/api/v4/projects/2/export/download");
    assert_eq!(answer.status, 200);
    let archive = projects::archive::read(&answer.body).unwrap();
    assert_eq!(archive.issues.len(), 2000);
    let more = json!({"body": "One more"});
    developer
        .post("/api/v4/projects/2/issues/1/notes", &more)
        .expect(201);
    developer.get("/api/v4/projects/2/export/download").assert_is(
        422,
        &json!({"message": "422 Unprocessable Entity - the project cannot be exported: the archive has more than 10000 labels, milestones, issues and notes"}),
    );
}

/// Number of notes outside the imported project.
fn demo_notes(server: &TestServer) -> i64 {
    rows::number(server, "SELECT count(*) FROM notes WHERE project_id <> 2")
}
