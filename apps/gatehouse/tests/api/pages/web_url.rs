//! Targets of the API's `web_url` fields.

use serde_json::{Value, json};

use crate::support::{TestResponse, TestServer};

/// The path of a `web_url`.
fn path_of(server: &TestServer, resource: &Value) -> String {
    let url = resource["web_url"].as_str().unwrap();
    url.strip_prefix(server.base_url()).unwrap().to_owned()
}

/// The addresses of the demo's project and of one of its alerts.
fn project_and_alert(server: &TestServer) -> [String; 2] {
    let project = server
        .developer()
        .get(&server.below_project(""))
        .expect(200);
    let alert = &server.developer().get(&server.alerts()).list()[0];
    [path_of(server, &project), path_of(server, alert)]
}

fn redirect_target(answer: &TestResponse) -> &str {
    assert_eq!(answer.status, 303, "{}", answer.text());
    answer.header("location").unwrap()
}

/// A resource of each kind with a `web_url`, in the demo's project or around it, as the API shows it to a Developer.
fn resources(server: &TestServer) -> Vec<(&'static str, Value)> {
    let (admin, dev) = (server.admin(), server.developer());
    let below = |rest: &str| server.below_project(rest);
    let group = dev.get("/api/v4/groups/acme").expect(200);
    let body = json!({ "name": "Night", "path": "night", "parent_id": group["id"] });
    let subgroup = admin.post("/api/v4/groups", &body).expect(201);
    let body = json!({ "title": "Release 1" });
    let milestone = admin.post(&below("/milestones"), &body).expect(201);
    let body = json!({ "title": "Disk full", "description": "a" });
    let issue = admin.post(&below("/issues"), &body).expect(201);
    let project = dev.get(&below("")).expect(200);
    let namespace = project["namespace"].clone();
    let alert = dev.get(&server.alerts()).list().remove(0);
    let member = dev.get(&below("/members/all")).list().remove(0);
    let event = dev.get(&below("/events")).list().remove(0);
    let namespaces = dev.get("/api/v4/namespaces").list().into_iter();
    let mut resources = vec![
        ("project", project),
        ("namespace of a project", namespace),
        ("group", group),
        ("subgroup", subgroup),
        ("milestone", milestone),
        ("author of an issue", issue["author"].clone()),
        ("issue", issue),
        ("alert", alert),
        ("user", dev.get("/api/v4/user").expect(200)),
        ("member", member),
        ("author of an entry", event["author"].clone()),
    ];
    resources.extend(namespaces.map(|namespace| ("namespace", namespace)));
    resources
}

/// API-16. Notes and labels have no URL of their own in the API.
#[test]
fn every_address_is_that_of_a_page_for_those_who_may_see_the_thing() {
    let server = TestServer::start();
    let resources = resources(&server);
    let mut developer = server.signed_in("developer");
    server.stranger("zoe");
    let created = server.command_json(&["user", "password", "zoe", "--json"]);
    let mut stranger = server.browser();
    stranger.sign_in("zoe", created["password"].as_str().unwrap());
    let mut anybody = server.browser();
    for (kind, resource) in &resources {
        let path = path_of(&server, resource);
        let page = developer.open(&path);
        assert_eq!(page.status, 200, "{kind} {path}: {}", page.text());
        let mut names = ["title", "name"].into_iter();
        let name = names.find_map(|field| resource[field].as_str()).unwrap();
        assert!(page.text().contains(name), "{kind} {name}: {}", page.text());
        // Users are visible to all signed-in users, and to nobody else.
        let is_user = resource["username"].is_string() || resource["kind"] == "user";
        let others = stranger.open(&path).status;
        assert_eq!(others, if is_user { 200 } else { 404 }, "{kind} {path}");
        let led = anybody.open(&path).status;
        assert_eq!(led, if is_user { 404 } else { 303 }, "{kind} {path}");
        assert_eq!(server.anonymous().get(&path).status, 404, "{kind} {path}");
    }
    assert!(resources.len() >= 13, "{} things", resources.len());
}

#[test]
fn administrators_open_alerts_and_reporters_only_the_project() {
    let server = TestServer::start();
    let [project, alert] = project_and_alert(&server);
    let mut admin = server.signed_in("admin");
    assert_eq!(admin.open(&alert).status, 200);
    // Alerts are for Developers.
    let mut reporter = server.signed_in("reporter");
    assert_eq!(reporter.open(&project).status, 200);
    assert_eq!(reporter.open(&alert).status, 404);
}

#[test]
fn strangers_get_the_same_response_for_hidden_and_missing_pages() {
    let server = TestServer::start();
    let [project, alert] = project_and_alert(&server);
    server.stranger("zoe");
    let created = server.command_json(&["user", "password", "zoe", "--json"]);
    let mut stranger = server.browser();
    stranger.sign_in("zoe", created["password"].as_str().unwrap());
    let mut anybody = server.browser();
    for path in [&*project, &*alert, "/acme/nothing"] {
        assert_eq!(stranger.open(path).status, 404, "{path}");
        let answer = anybody.open(path);
        let back = format!("/users/sign_in?return_to={path}");
        assert_eq!(redirect_target(&answer), back);
        // A program that does not request HTML learns no more.
        assert_eq!(server.anonymous().get(path).status, 404, "{path}");
        // The page of an alert has a form, and the content type is checked before anything is looked up.
        let posted = server.anonymous().send("POST", path, b"").status;
        let is_form = path.ends_with("/details");
        assert_eq!(posted, if is_form { 415 } else { 404 }, "{path}");
    }
    for path in ["/dev", "/nobody"] {
        assert_eq!(anybody.open(path).status, 404, "{path}");
    }
    assert_eq!(stranger.open("/nobody").status, 404);
}

#[test]
fn a_public_project_is_for_everybody() {
    let server = TestServer::start();
    server.create_project("open/tools", "public", "dev");
    let page = server.browser().open("/open/tools");
    assert_eq!(page.status, 200);
    assert!(
        page.text().contains("data-copy=\"open/tools\""),
        "{}",
        page.text()
    );
    // Programs that follow the link get the same page.
    assert_eq!(server.anonymous().get("/open/tools/").status, 200);
}
