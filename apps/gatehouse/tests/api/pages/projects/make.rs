//! The form that creates a project.

use serde_json::{Value, json};

use super::{assert_redirected_to, member_browser, text};
use crate::support::TestServer;

const FORM: &str = "/projects/new";

/// The id of the group of the demo's project.
fn group(server: &TestServer) -> String {
    let project = server.admin().get(&server.below_project("")).expect(200);
    project["namespace"]["id"].to_string()
}

#[test]
fn projects_are_created_in_groups_and_personal_namespaces() {
    let server = TestServer::start();
    let group = group(&server);
    let mut developer = server.signed_in("developer");
    for path in ["/", "/dashboard/projects"] {
        let page = text(&mut developer, path);
        assert!(page.contains("href=\"/projects/new\""), "{page}");
    }
    let form = text(&mut developer, &format!("{FORM}?namespace_id={group}"));
    let chosen = format!("<option value=\"{group}\" selected>acme</option>");
    assert!(
        form.contains(&chosen) && form.contains(">dev</option>"),
        "{form}"
    );
    let fields = [
        ("name", "Web <b>shop"),
        ("namespace_id", &*group),
        ("path", ""),
        ("visibility", "private"),
        ("description", "a\r\nb"),
        ("topics", "one, two words, one"),
    ];
    let answer = developer.submit(FORM, "/projects", &fields);
    let created = "/acme/web-b-shop";
    assert_redirected_to(&mut developer, &answer, created, "Project created.");
    let api = "/api/v4/projects/acme%2Fweb-b-shop";
    let project = server.developer().get(api).expect(200);
    assert_eq!(project["topics"], json!(["one", "two words"]));
    assert_eq!(project["description"], "a\nb");
    assert_eq!(project["name"], "Web <b>shop");

    let fields = [("name", ""), ("path", "notes"), ("namespace_id", "")];
    let answer = developer.submit(FORM, "/projects", &fields);
    assert_redirected_to(&mut developer, &answer, "/dev/notes", "Project created.");
    let project = server.developer().get("/api/v4/projects/dev%2Fnotes");
    assert_eq!(project.expect(200)["visibility"], "private");
}

#[test]
fn only_namespaces_with_create_permission_are_offered() {
    let server = TestServer::start();
    let group = group(&server);
    let offered = |page: &str| page.contains(&format!("<option value=\"{group}\""));
    let mut reporter = server.signed_in("reporter");
    let page = text(&mut reporter, &format!("{FORM}?namespace_id={group}"));
    assert!(!offered(&page) && page.contains(">rita</option>"), "{page}");
    let fields = [("name", "Mine"), ("namespace_id", &*group)];
    let refused = reporter.submit(FORM, "/projects", &fields);
    assert_eq!(refused.status, 422);
    let message = "The namespace is not valid.";
    assert!(refused.text().contains(message), "{}", refused.text());

    // A group sets the role that may create projects.
    let path = format!("/api/v4/groups/{group}");
    let maintainers = json!({ "project_creation_level": "maintainer" });
    server.admin().put(&path, &maintainers).expect(200);
    let mut developer = server.signed_in("developer");
    assert!(!offered(&text(&mut developer, FORM)));
    assert!(offered(&text(&mut server.signed_in("admin"), FORM)));
}

#[test]
fn invalid_projects_are_rejected_with_field_errors_and_input_is_kept() {
    let server = TestServer::start();
    let group = group(&server);
    let mut developer = server.signed_in("developer");
    let long = "x".repeat(256);
    for (name, path, visibility, message) in [
        (" ", "", "private", "The name can&#39;t be blank."),
        (
            &*long,
            "fine",
            "private",
            "The name is too long (maximum is 255 characters).",
        ),
        ("Shop", "a b", "private", "The path can contain only"),
        (
            "Shop",
            "web-shop",
            "private",
            "The path has already been taken.",
        ),
        (
            "Web shop",
            "fine",
            "private",
            "The name has already been taken.",
        ),
        (
            "Shop",
            "fine",
            "public",
            "The visibility public is not allowed in a private group.",
        ),
        (
            "Shop",
            "fine",
            "secret",
            "The visibility does not have a valid value.",
        ),
        (
            "Shop",
            "prometheus",
            "private",
            "The path &#39;prometheus&#39; is a reserved name.",
        ),
    ] {
        let fields = [
            ("name", name),
            ("namespace_id", &*group),
            ("path", path),
            ("visibility", visibility),
            ("description", "<kept> & all"),
        ];
        let answer = developer.submit(FORM, "/projects", &fields);
        let page = answer.text();
        assert_eq!(answer.status, 422, "{message}: {page}");
        assert!(page.contains(message), "{message}: {page}");
        assert!(
            page.contains("aria-invalid=\"true\"") && page.contains("&#60;kept&#62; &#38; all")
        );
        assert!(page.contains(&format!("value=\"{path}\"")), "{page}");
    }
    let all = server.developer().get("/api/v4/projects").list();
    assert_eq!(all.len(), 1, "{all:?}");
}

#[test]
fn the_form_is_for_those_who_sign_in() {
    let server = TestServer::start();
    let led = server.browser().open(FORM);
    assert_eq!(
        led.header("location"),
        Some("/users/sign_in?return_to=/projects/new")
    );
    let mut zoe = member_browser(&server, "zoe", 0);
    let refused = zoe.post("/projects", &[("name", "Shop")]);
    assert_eq!(refused.status, 403, "without the token of a form");
    let all: Value = server.admin().get("/api/v4/projects").expect(200);
    assert_eq!(all.as_array().map(Vec::len), Some(1));
}
