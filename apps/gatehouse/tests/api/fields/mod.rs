//! The fields of responses: each live response of a resource, when it is created, listed and shown, has every field
//! that typed clients of v4 read, with its type (`shapes.txt`). So no field is null or missing that would break such a
//! client.

mod avatars;
mod shape;

use serde_json::{Value, json};

use self::shape::{ShapeFaults, Shapes};
use crate::support::{TestServer, eventually};

/// A commit.
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// Fields of v4 that no response has, each with the reason. A response that gains one belongs in `shapes.txt`.
const OMITTED_FIELDS: [(&str, &str, &str); 7] = [
    (
        "project",
        "runners_token",
        "it is shown once, when it is reset",
    ),
    ("project", "statistics", "there are no files to measure"),
    (
        "project_links",
        "merge_requests",
        "v4 leaves the link out where the feature is off",
    ),
    ("project_links", "repo_branches", "there is no repository"),
    (
        "group_shown",
        "runners_token",
        "it is shown once, when it is reset",
    ),
    (
        "namespace",
        "members_count_with_descendants",
        "v4 counts for Owners alone",
    ),
    (
        "user_admin",
        "namespace_id",
        "`/namespaces` finds it by the username",
    ),
];

/// A response: its expected shape, its request, and its body.
pub(crate) type LiveResponse = (&'static str, String, Value);

struct LiveResponses<'s> {
    server: &'s TestServer,
    found: Vec<LiveResponse>,
}

impl LiveResponses<'_> {
    fn add(&mut self, shape: &'static str, from: &str, value: Value) -> Value {
        self.found.push((shape, from.to_owned(), value.clone()));
        value
    }

    /// Creates a resource as an administrator.
    fn post(&mut self, shape: &'static str, path: &str, body: &Value) -> Value {
        let created = self.server.admin().post(path, body).expect(201);
        self.add(shape, &format!("POST {path}"), created)
    }

    /// Shows a resource to an administrator.
    fn show(&mut self, shape: &'static str, path: &str) -> Value {
        let shown = self.server.admin().get(path).expect(200);
        self.add(shape, &format!("GET {path}"), shown)
    }

    /// Updates a resource as an administrator.
    fn put(&mut self, shape: &'static str, path: &str, body: &Value) {
        let changed = self.server.admin().put(path, body).expect(200);
        self.add(shape, &format!("PUT {path}"), changed);
    }

    /// Lists resources for an administrator.
    fn list(&mut self, shape: &'static str, path: &str) {
        let listed = self.server.admin().get(path).list();
        assert!(!listed.is_empty(), "{path} is empty");
        for (number, one) in listed.into_iter().enumerate() {
            self.add(shape, &format!("GET {path}[{number}]"), one);
        }
    }
}

fn groups_and_projects(responses: &mut LiveResponses<'_>) {
    let body = json!({ "name": "Owned", "visibility": "public", "description": "A *shop*" });
    let owned = responses.post("project_owned", "/api/v4/projects", &body);
    let path = format!("/api/v4/projects/{}", owned["id"]);
    responses.show("project_owned", &path);
    responses.put("project_owned", &path, &json!({ "name": "Ours" }));
    responses.list("project", "/api/v4/projects");
    responses.list("project_simple", "/api/v4/projects?simple=true");
    let anonymous = responses.server.anonymous().get(&path).expect(200);
    responses.add("project_simple", "GET of anybody", anonymous);
    let body = json!({ "name": "Night", "path": "night" });
    let group = responses.post("group_detail", "/api/v4/groups", &body);
    let path = format!("/api/v4/groups/{}", group["id"]);
    responses.put("group_detail", &path, &json!({ "description": "b" }));
    let share = json!({ "group_id": group["id"], "group_access": 20 });
    responses
        .server
        .admin()
        .post(&responses.server.below_project("/share"), &share)
        .expect(201);
    let shown = responses.show("group_shown", &path);
    assert_eq!(shown["shared_projects"].as_array().unwrap().len(), 1);
    responses.show("group_detail", &format!("{path}?with_projects=false"));
    let project = responses.show("project_detail", &responses.server.below_project(""));
    assert_eq!(project["shared_with_groups"].as_array().unwrap().len(), 1);
    let acme = responses.show("group_shown", "/api/v4/groups/acme");
    assert_eq!(acme["projects"].as_array().unwrap().len(), 1);
    responses.list("group", "/api/v4/groups");
    responses.list("project", "/api/v4/groups/acme/projects");
    responses.list("namespace", "/api/v4/namespaces");
    let user = responses.show("namespace", "/api/v4/namespaces/dev");
    assert!(user["avatar_url"].is_string(), "{user}");
}

fn project_hooks(responses: &mut LiveResponses<'_>) {
    let hooks = responses.server.below_project("/hooks");
    let body = json!({ "url": "http://127.0.0.1:1/hook" });
    let hook = responses.post("project_hook", &hooks, &body);
    let one = format!("{hooks}/{}", hook["id"]);
    responses.show("project_hook", &one);
    responses.put("project_hook", &one, &json!({ "note_events": true }));
    responses.list("project_hook", &hooks);
}

fn users(responses: &mut LiveResponses<'_>) {
    let dev = responses.server.developer();
    let current = dev.get("/api/v4/user").expect(200);
    let id = current["id"].clone();
    assert!(current["last_activity_on"].is_string(), "{current}");
    responses.add("user_current", "GET /user", current);
    responses.show("user_admin", "/api/v4/user");
    responses.list("user_admin", "/api/v4/users");
    responses.show("user_admin", &format!("/api/v4/users/{id}"));
    responses.put(
        "user_admin",
        &format!("/api/v4/users/{id}"),
        &json!({ "name": "Dana D" }),
    );
    let other = dev.get("/api/v4/users/1").expect(200);
    responses.add("user_public", "GET of another user", other);
    for one in dev.get("/api/v4/users").list() {
        responses.add("user_basic", "GET /users of a user", one);
    }
    responses.server.stranger("zoe");
    let zoe = responses
        .server
        .admin()
        .get("/api/v4/users?username=zoe")
        .list();
    let body = json!({ "user_id": zoe[0]["id"], "access_level": 20, "expires_at": "2099-01-01" });
    let path = responses.server.below_project("/members");
    let created = responses.post("member", &path, &body);
    let path = format!("{path}/{}", created["id"]);
    responses.show("member", &path);
    responses.put("member", &path, &json!({ "access_level": 10 }));
    for path in ["/members", "/members/all"] {
        responses.list("member", &responses.server.below_project(path));
    }
    responses.list("member", "/api/v4/groups/acme/members");
}

fn work(responses: &mut LiveResponses<'_>) {
    let below = |rest: &str| responses.server.below_project(rest);
    let [labels, milestones, issues] = ["/labels", "/milestones", "/issues"].map(below);
    let notes = below("/issues/1/notes");
    let body = json!({ "name": "bug", "color": "#ff0000", "description": "It *broke*" });
    let label = responses.post("label", &labels, &body);
    assert_eq!(label["description_html"], "It <em>broke</em>");
    let body = json!({ "title": "One", "due_date": "2030-01-01" });
    let milestone = responses.post("milestone", &milestones, &body);
    let me = responses.server.admin().get("/api/v4/user").expect(200)["id"].clone();
    let body = json!({
        "title": "Disk full", "description": "- [x] a\n- [ ] b", "labels": "bug", "milestone_id": milestone["id"],
        "assignee_ids": [me], "due_date": "2030-01-01",
    });
    responses.post("issue_single", &issues, &body);
    let label = format!("{labels}/{}", label["id"]);
    let counted = responses.show("label", &label);
    assert_eq!(counted["open_issues_count"], 1);
    responses.put("label", &label, &json!({ "color": "#00ff00" }));
    responses.list("label", &format!("{labels}?with_counts=true"));
    let milestone = format!("{milestones}/{}", milestone["id"]);
    responses.show("milestone", &milestone);
    responses.put("milestone", &milestone, &json!({ "description": "b" }));
    responses.list("milestone", &milestones);
    responses.show("issue_single", &format!("{issues}/1"));
    responses.list("issue", &issues);
    responses.list("issue", "/api/v4/issues?scope=all");
    responses.list("issue", "/api/v4/groups/acme/issues");
    responses.list("issue", &format!("{milestone}/issues"));
    responses.put(
        "issue_single",
        &format!("{issues}/1"),
        &json!({ "state_event": "close" }),
    );
    let note = responses.post("note", &notes, &json!({ "body": "Look" }));
    responses.show("note", &format!("{notes}/{}", note["id"]));
    responses.list("note", &notes);
}

fn reports(responses: &mut LiveResponses<'_>) {
    let below = |rest: &str| responses.server.below_project(rest);
    let [pipeline, pipelines, jobs] = ["/pipeline", "/pipelines", "/jobs"].map(below);
    let [environments, deployments] = ["/environments", "/deployments"].map(below);
    let (status, statuses) = (
        below(&format!("/statuses/{COMMIT}")),
        below(&format!("/repository/commits/{COMMIT}/statuses")),
    );
    responses.post("pipeline", &pipeline, &json!({ "ref": "main" }));
    responses.post(
        "commit_status",
        &status,
        &json!({ "state": "success", "ref": "main", "coverage": 90 }),
    );
    responses.list("commit_status", &statuses);
    responses.list("pipeline_summary", &pipelines);
    let shown = responses.show("pipeline", &format!("{pipelines}/1"));
    let path = shown["web_url"]
        .as_str()
        .unwrap()
        .strip_prefix(responses.server.base_url());
    assert_eq!(shown["detailed_status"]["details_path"].as_str(), path);
    responses.list("job", &jobs);
    responses.list("job", &format!("{jobs}?pagination=keyset"));
    responses.show("job", &format!("{jobs}/1"));
    responses.post(
        "environment",
        &environments,
        &json!({ "name": "production", "external_url": "https://shop.example" }),
    );
    let body = json!({ "environment": "production", "sha": COMMIT, "ref": "main", "tag": false, "status": "success" });
    responses.post("deployment", &deployments, &body);
    let failed = json!({ "environment": "production", "sha": COMMIT, "ref": "main", "tag": false, "status": "failed" });
    responses.post("deployment", &deployments, &failed);
    responses.list("deployment", &deployments);
    responses.show("deployment", &format!("{deployments}/1"));
    responses.list("environment", &environments);
    let shown = responses.show("environment_detail", &format!("{environments}/1"));
    assert_eq!(shown["last_deployment"]["status"], "success");
    responses.list("event", &below("/events"));
    responses.list("event", "/api/v4/events");
    for path in ["/api/v4/version", "/api/v4/metadata"] {
        responses.show("version", path);
    }
}

/// Creates resources of all kinds, and returns the responses of the server.
pub(crate) fn live_responses(server: &TestServer) -> Vec<LiveResponse> {
    // Only a sign-in in a browser sets `last_sign_in_at`.
    server.signed_in("admin");
    let mut responses = LiveResponses {
        server,
        found: Vec::new(),
    };
    groups_and_projects(&mut responses);
    project_hooks(&mut responses);
    users(&mut responses);
    work(&mut responses);
    reports(&mut responses);
    responses.found
}

#[test]
fn every_answer_has_the_fields_that_typed_clients_read() {
    let server = TestServer::start();
    let responses = live_responses(&server);
    let shapes = Shapes::read(include_str!("shapes.txt"));
    let mut result = ShapeFaults::default();
    for (shape, from, value) in &responses {
        shapes.check(shape, value, from, &mut result);
        for (of, name, reason) in OMITTED_FIELDS {
            let inner = if of == "project_links" {
                &value["_links"]
            } else {
                value
            };
            let is_of = *shape == of || of == "project_links";
            let is_there = is_of && inner.get(name).is_some();
            assert!(!is_there, "{from} has {name}, although {reason}");
        }
    }
    assert!(result.faults.is_empty(), "{}", result.faults.join("\n"));
    assert_eq!(
        result.used.len(),
        shapes.count(),
        "a shape is that of no answer"
    );
}

/// Administrators see at once when a user signed in, and the time before that. `/user` shows it with a delay of some
/// seconds, because many clients request it all the time.
#[test]
fn user_responses_show_the_last_sign_ins_and_their_count() {
    let server = TestServer::start();
    let id = server.developer().get("/api/v4/user").expect(200)["id"].clone();
    let path = format!("/api/v4/users/{id}");
    let shown = || server.admin().get(&path).expect(200);
    let before = shown();
    assert_eq!(
        (
            &before["last_sign_in_at"],
            &before["current_sign_in_at"],
            &before["sign_in_count"]
        ),
        (&Value::Null, &Value::Null, &json!(0))
    );
    server.signed_in("developer");
    let first = shown();
    assert!(first["last_sign_in_at"].is_string(), "{first}");
    assert_eq!(first["last_sign_in_at"], first["current_sign_in_at"]);
    server.signed_in("developer");
    let second = shown();
    assert_eq!(second["last_sign_in_at"], first["current_sign_in_at"]);
    assert_eq!(second["sign_in_count"], 2);
    let reported = eventually("/user tells of the sign-in", || {
        let own = server.developer().get("/api/v4/user").expect(200);
        (own["last_sign_in_at"] == second["last_sign_in_at"]).then_some(own)
    });
    assert_eq!(reported["current_sign_in_at"], second["current_sign_in_at"]);
}
