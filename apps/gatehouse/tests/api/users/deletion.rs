//! Deletion of users: nothing refers to them any more.

use serde_json::{Value, json};

use crate::support::pages::column;
use crate::support::rows::{self, DatabaseReader};
use crate::support::script::play;
use crate::support::{TestCaller, TestServer, eventually};

const API: &str = "/api/v4/users";

/// Columns of the schema that name a user: foreign keys, and columns with the names that such columns have. The audit log
/// keeps its entries as they are.
fn references(server: &TestServer) -> Vec<(String, String)> {
    let columns = "SELECT m.name || '.' || c.name AS text FROM sqlite_master AS m, pragma_table_info(m.name) AS c \
        WHERE m.type = 'table' AND m.name <> 'audit_entries' AND (c.name LIKE '%user_id' OR c.name LIKE '%author_id' \
        OR c.name LIKE '%assignee_id' OR c.name LIKE '%creator_id' OR c.name LIKE '%owner_id' OR substr(c.name, -3) = '_by' \
        OR EXISTS (SELECT 1 FROM pragma_foreign_key_list(m.name) AS f WHERE f.\"table\" = 'users' AND f.\"from\" = c.name)) \
        ORDER BY 1";
    let found = DatabaseReader::of(server).texts(columns);
    let split = |text: &String| {
        let (table, column) = text.split_once('.').unwrap();
        (table.to_owned(), column.to_owned())
    };
    found.iter().map(split).collect()
}

/// The references that name a user.
fn references_to(server: &TestServer, user: &Value) -> Vec<String> {
    let mut reader = DatabaseReader::of(server);
    let mut found = Vec::new();
    for (table, column) in references(server) {
        let count = format!("SELECT count(*) FROM {table} WHERE {column} = {user}");
        if reader.number(&count) > 0 {
            found.push(format!("{table}.{column}"));
        }
    }
    found
}

/// Creates a user who contributes to the first project and has rows in many tables. Returns the id.
fn contributor(server: &TestServer) -> (Value, TestCaller) {
    let admin = server.admin();
    let robin = server.stranger("robin");
    let id = robin.get("/api/v4/user").expect(200)["id"].clone();
    server.raise(&json!({ "title": "Disk full" }));
    let member = json!({ "user_id": id, "access_level": 40 });
    admin
        .post("/api/v4/projects/1/members", &member)
        .expect(201);
    let script = format!(
        r#"
        POST /issues {{"title": "Broken", "assignee_ids": [{id}]}}
        201
        PUT /issues/1 {{"state_event": "close"}}
        200
        POST /issues/1/notes {{"body": "Look"}}
        201
        POST /deploy_tokens {{"name": "host", "scopes": ["read_repository"]}}
        201
        POST /deployments {{"environment": "production", "sha": "0123456789abcdef0123456789abcdef01234567", "ref": "main", "tag": false, "status": "success"}}
        201
        POST /statuses/0123456789abcdef0123456789abcdef01234567 {{"state": "success"}}
        201
        POST /snippets {{"title": "Script", "file_name": "a.sh", "content": "echo"}}
        201
        "#
    );
    play(&robin, "/api/v4/projects/1", &script);
    let runner = json!({ "runner_type": "project_type", "project_id": 1 });
    robin.post("/api/v4/user/runners", &runner).expect(201);
    let snippet = json!({ "title": "Note", "file_name": "a.txt", "content": "text" });
    robin.post("/api/v4/snippets", &snippet).expect(201);
    let own = json!({ "name": "Own", "visibility": "public" });
    robin.post("/api/v4/projects", &own).expect(201);
    let group = json!({ "name": "Shared", "path": "shared" });
    let group = robin.post("/api/v4/groups", &group).expect(201)["id"].clone();
    let owner = json!({ "user_id": 2, "access_level": 50 });
    robin
        .post(&format!("/api/v4/groups/{group}/members"), &owner)
        .expect(201);
    let command = [
        "application",
        "create",
        "--name",
        "Hers",
        "--redirect-uri",
        "https://app.example.com/cb",
        "--owner",
        "robin",
        "--json",
    ];
    server.command_json(&command);
    let by_others =
        "UPDATE errors SET assignee_id = (SELECT id FROM users WHERE username = 'robin')";
    rows::change(server, by_others);
    (id, robin)
}

/// Lets the jobs of deletion run, which happens at the start of the server.
fn run_jobs(server: &mut TestServer, user: &Value) {
    rows::change(server, "UPDATE deletions SET due_at = 0");
    server.kill_and_restart();
    let remaining = format!("SELECT count(*) FROM users WHERE id = {user}");
    eventually("the user is deleted", || {
        (rows::number(server, &remaining) == 0).then_some(())
    });
}

/// AUTH-08. The walk over the schema finds tables that are new, too.
#[test]
fn a_deleted_user_leaves_no_reference_and_their_contributions_to_the_ghost() {
    let mut server = TestServer::start();
    let admin = server.admin();
    let (id, robin) = contributor(&server);
    let path = format!("{API}/{id}");
    for referring in [
        "access_tokens.user_id",
        "deploy_tokens.creator_id",
        "events.author_id",
        "issue_assignees.user_id",
        "issues.author_id",
        "issues.closed_by",
        "namespace_members.created_by",
        "namespace_members.user_id",
        "namespaces.owner_id",
        "notes.author_id",
        "oauth_applications.owner_id",
        "project_members.user_id",
        "projects.creator_id",
        "runners.creator_id",
        "snippets.author_id",
    ] {
        let found = references_to(&server, &id);
        assert!(
            found.iter().any(|one| one == referring),
            "{referring}: {found:?}"
        );
    }
    admin.delete(&path).expect(204);
    // At once: no name, no access, and nothing of the user is found.
    assert_eq!(robin.get("/api/v4/user").status, 403);
    admin
        .get(&path)
        .assert_is(404, &json!({ "message": "404 User Not Found" }));
    admin
        .delete(&path)
        .assert_is(404, &json!({ "message": "404 User Not Found" }));
    assert_eq!(
        column(&admin, &format!("{API}?search=robin"), "username"),
        [""; 0]
    );
    assert!(!column(&admin, API, "id").contains(&id.to_string()));
    admin.get("/api/v4/projects/robin%2Fown").expect(404);
    let issue = admin.get("/api/v4/projects/1/issues/1").expect(200);
    assert_eq!(issue["author"]["username"], "ghost");
    let again = json!({ "email": "robin@example.com", "name": "Robin", "username": "robin", "password": "correct horse" });
    admin.post(API, &again).expect(201);

    run_jobs(&mut server, &id);
    assert_eq!(references_to(&server, &id), [""; 0]);
    let admin = server.admin();
    let issue = admin.get("/api/v4/projects/1/issues/1").expect(200);
    let ghost = rows::number(&server, "SELECT id FROM users WHERE kind = 4");
    assert_eq!(issue["author"]["id"], ghost);
    assert_eq!(issue["author"]["name"], "Ghost User");
    assert_eq!(issue["closed_by"]["id"], ghost);
    assert_eq!(issue["assignees"], json!([]));
    let notes = admin
        .get("/api/v4/projects/1/issues/1/notes?activity_filter=only_comments")
        .expect(200);
    assert_eq!(
        (&notes[0]["body"], &notes[0]["author"]["id"]),
        (&json!("Look"), &json!(ghost))
    );
    let log = format!("/api/v4/audit_events?entity_type=User&entity_id={id}");
    let log = admin.get(&log).expect(200);
    for (number, name) in [(0, "user_deleted"), (1, "user_deletion_started")] {
        assert_eq!(log[number]["details"]["event_name"], name);
    }
    assert_eq!(
        rows::number(
            &server,
            "SELECT count(*) FROM users WHERE name LIKE '%robin%' AND email = ''"
        ),
        0
    );
}

/// AUTH-08.
#[test]
fn a_hard_deletion_takes_contributions_and_groups_of_one_owner() {
    let mut server = TestServer::start();
    let admin = server.admin();
    let (id, robin) = contributor(&server);
    let group = json!({ "name": "Alone", "path": "alone" });
    robin.post("/api/v4/groups", &group).expect(201);
    let path = format!("{API}/{id}");
    let refusal = "409 Conflict: User cannot be removed when is the sole-owner of a group";
    admin
        .delete(&path)
        .assert_is(409, &json!({ "message": refusal }));
    robin.get("/api/v4/user").expect(200);
    admin
        .delete(&format!("{path}?hard_delete=true"))
        .expect(204);
    admin.get("/api/v4/groups/alone").expect(404);
    admin.get("/api/v4/groups/shared").expect(200);

    run_jobs(&mut server, &id);
    assert_eq!(references_to(&server, &id), [""; 0]);
    let admin = server.admin();
    admin.get("/api/v4/projects/1/issues/1").expect(404);
    let left = "SELECT (SELECT count(*) FROM issues) + (SELECT count(*) FROM notes WHERE noteable_type = 0) + (SELECT count(*) FROM snippets) \
                + (SELECT count(*) FROM namespaces WHERE path IN ('alone', 'robin')) + (SELECT count(*) FROM projects WHERE path = 'own')";
    assert_eq!(rows::number(&server, left), 0);
    let counts = "SELECT open_issues + closed_issues FROM projects WHERE id = 1";
    assert_eq!(rows::number(&server, counts), 0);
}
