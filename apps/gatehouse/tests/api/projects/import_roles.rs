//! Roles that may import into a group, by release (`PATH-02`, `DEP-01`).

use serde_json::json;

use crate::support::archives::archive;
use crate::support::{TestCaller, TestServer, rows};

const IMPORT: &str = "/api/v4/projects/import";

/// The last release that does not need a Maintainer, the first one that does, and the newest one.
const RELEASES: [&str; 3] = ["15.11", "16.0", "18.0"];

/// A member of the group with a role.
fn member(server: &TestServer, group: i64, level: i64) -> TestCaller {
    let name = format!("member-{level}");
    let caller = server.stranger(&name);
    let id = caller.get("/api/v4/user").expect(200)["id"].clone();
    let role = json!({"user_id": id, "access_level": level});
    let members = format!("/api/v4/groups/{group}/members");
    server.admin().post(&members, &role).expect(201);
    caller
}

/// A private group in which a role may create projects.
fn group(server: &TestServer, name: &str, makers: &str) -> i64 {
    let group = json!({
        "name": name, "path": name, "visibility": "private", "project_creation_level": makers,
    });
    let created = server.admin().post("/api/v4/groups", &group).expect(201);
    created["id"].as_i64().unwrap()
}

#[test]
fn from_16_0_on_it_takes_a_maintainer_to_import_into_a_group() {
    let server = TestServer::start();
    let packed = archive(&[]);
    let open = group(&server, "open", "developer");
    let narrow = group(&server, "narrow", "maintainer");
    let mut callers = Vec::new();
    for level in [10, 20, 30, 40, 50] {
        let caller = member(&server, open, level);
        let id = caller.get("/api/v4/user").expect(200)["id"].clone();
        let role = json!({"user_id": id, "access_level": level});
        let members = format!("/api/v4/groups/{narrow}/members");
        server.admin().post(&members, &role).expect(201);
        callers.push((level, caller));
    }
    callers.push((0, server.stranger("outsider")));
    callers.push((100, server.admin()));
    let mut number = 0;
    for release in RELEASES {
        let is_old = release == "15.11";
        for (level, caller) in &callers {
            for (namespace, makers) in [("open", 30), ("narrow", 40)] {
                number += 1;
                let path = format!("project-{number}");
                let fields = [("path", path.as_str()), ("namespace", namespace)];
                let caller = caller.clone().with("Gatehouse-Release", release);
                let before = rows::count(&server, "projects");
                let answer = caller.post_form_data(IMPORT, &fields, Some(&packed));
                let expected = match *level {
                    // Callers who may not see the group learn nothing of it.
                    0 => 400,
                    level if level >= 40 => 201,
                    level if is_old && level >= makers => 201,
                    _ if is_old => 400,
                    _ => 403,
                };
                let case = format!("{level} in {namespace} as {release}");
                assert_eq!(answer.status, expected, "{case}: {}", answer.text());
                let refusal = match expected {
                    400 => json!({"message": {"namespace": ["is not valid"]}}),
                    403 => json!({"message": "403 Forbidden"}),
                    _ => continue,
                };
                assert_eq!(answer.json(), refusal, "{case}");
                assert_eq!(rows::count(&server, "projects"), before, "{case}");
            }
        }
    }
}

/// The removed permission is only about groups, and only about importing.
#[test]
fn own_namespaces_and_empty_projects_are_not_touched() {
    let server = TestServer::start();
    let open = group(&server, "open", "developer");
    let developer = member(&server, open, 30);
    let packed = archive(&[]);
    for release in RELEASES {
        let caller = developer.clone().with("Gatehouse-Release", release);
        let path = format!("own-{}", release.replace('.', "-"));
        for namespace in [None, Some("member-30")] {
            let path = format!("{path}-{}", namespace.unwrap_or("absent"));
            let mut fields = vec![("path", path.as_str())];
            fields.extend(namespace.map(|namespace| ("namespace", namespace)));
            let created = caller
                .post_form_data(IMPORT, &fields, Some(&packed))
                .expect(201);
            assert_eq!(created["path_with_namespace"], format!("member-30/{path}"));
        }
        let empty = json!({"name": path, "namespace_id": open});
        caller.post("/api/v4/projects", &empty).expect(201);
    }
}

/// A Developer who may import manages the new project, like its creator.
#[test]
fn a_developer_who_imported_manages_the_project() {
    let server = TestServer::start();
    let open = group(&server, "open", "developer");
    let developer = member(&server, open, 30).with("Gatehouse-Release", "15.11");
    let fields = [("path", "copy"), ("namespace", "open")];
    let created = developer.post_form_data(IMPORT, &fields, Some(&archive(&[])));
    let id = created.expect(201)["id"].clone();
    let shown = developer.get(&format!("/api/v4/projects/{id}")).expect(200);
    assert_eq!(shown["permissions"]["project_access"]["access_level"], 40);
}
