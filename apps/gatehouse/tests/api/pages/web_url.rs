//! Where the addresses that the API gives as `web_url` lead.

use serde_json::{Value, json};

use crate::support::{Answer, Server};

/// The path of a `web_url`.
fn path_of(server: &Server, thing: &Value) -> String {
    let url = thing["web_url"].as_str().unwrap();
    url.strip_prefix(server.base_url()).unwrap().to_owned()
}

/// The addresses of the demo's project and of one of its alerts.
fn project_and_alert(server: &Server) -> [String; 2] {
    let project = server
        .developer()
        .get(&server.below_project(""))
        .expect(200);
    let alert = &server.developer().get(&server.alerts()).list()[0];
    [path_of(server, &project), path_of(server, alert)]
}

fn leads_to(answer: &Answer) -> &str {
    assert_eq!(answer.status, 303, "{}", answer.text());
    answer.header("location").unwrap()
}

#[test]
fn every_address_leads_somebody_who_may_see_the_thing_to_a_page() {
    let server = Server::start();
    let mut browser = server.signed_in("developer");
    let project = server
        .developer()
        .get(&server.below_project(""))
        .expect(200);
    let alert = server.developer().get(&server.alerts()).list().remove(0);
    let body = json!({ "title": "Release 1" });
    let milestones = server.below_project("/milestones");
    let milestone = server.admin().post(&milestones, &body).expect(201);
    let issues = server.below_project("/issues");
    let issue = json!({ "title": "Disk <full>" });
    let issue = server.admin().post(&issues, &issue).expect(201);
    let page = browser.open(&path_of(&server, &issue));
    assert!(
        page.text().contains("Disk &#60;full&#62;"),
        "{}",
        page.text()
    );
    for (thing, name) in [(&project, "name"), (&alert, "title"), (&milestone, "title")] {
        let page = browser.open(&path_of(&server, thing));
        let title = thing[name].as_str().unwrap();
        assert_eq!(page.status, 200, "{title}");
        assert!(page.text().contains(title), "{}", page.text());
    }
    assert_eq!(
        browser
            .visit(&path_of(&server, &project["namespace"]))
            .status,
        200
    );

    let own = server.developer().get("/api/v4/user").expect(200);
    let page = browser.visit(&path_of(&server, &own));
    assert_eq!(page.status, 200);
    assert!(page.text().contains("Dana Developer"), "{}", page.text());
    let events = server
        .developer()
        .get(&server.below_project("/events"))
        .list();
    for event in events {
        let author = path_of(&server, &event["author"]);
        assert_eq!(browser.visit(&author).status, 200, "{author}");
    }
}

#[test]
fn an_administrator_and_a_reporter_see_what_their_roles_allow() {
    let server = Server::start();
    let [project, alert] = project_and_alert(&server);
    let mut admin = server.signed_in("admin");
    assert_eq!(admin.open(&alert).status, 200);
    // Alerts are for Developers.
    let mut reporter = server.signed_in("reporter");
    assert_eq!(reporter.open(&project).status, 200);
    assert_eq!(reporter.open(&alert).status, 404);
}

#[test]
fn strangers_are_not_reported_what_there_is() {
    let server = Server::start();
    let [project, alert] = project_and_alert(&server);
    server.stranger("zoe");
    let made = server.command_json(&["user", "password", "zoe", "--json"]);
    let mut stranger = server.browser();
    stranger.sign_in("zoe", made["password"].as_str().unwrap());
    let mut anybody = server.browser();
    for path in [&*project, &*alert, "/acme/nothing"] {
        assert_eq!(stranger.open(path).status, 404, "{path}");
        let answer = anybody.open(path);
        let back = format!("/users/sign_in?return_to={path}");
        assert_eq!(leads_to(&answer), back);
        // A program that asks for no page is told no more.
        assert_eq!(server.anonymous().get(path).status, 404, "{path}");
        // The page of an alert has a form, whose fields are read before anything is looked up.
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
    let server = Server::start();
    server.create_project("open/tools", "public", "dev");
    let page = server.browser().open("/open/tools");
    assert_eq!(page.status, 200);
    assert!(
        page.text().contains("data-copy=\"open/tools\""),
        "{}",
        page.text()
    );
    // A program that follows the link is given the same page.
    assert_eq!(server.anonymous().get("/open/tools/").status, 200);
}
