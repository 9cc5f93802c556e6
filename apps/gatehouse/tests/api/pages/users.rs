//! The page of a user.

use serde_json::json;

use crate::support::TestServer;

/// API-16. Visitors see those of the user's projects that they may see.
#[test]
fn a_user_is_shown_with_the_projects_that_the_visitor_sees() {
    let server = TestServer::start();
    for (name, visibility) in [("Secret", "private"), ("Tools", "internal")] {
        let body = json!({ "name": name, "visibility": visibility });
        server
            .developer()
            .post("/api/v4/projects", &body)
            .expect(201);
    }
    let mut reporter = server.signed_in("reporter");
    let page = reporter.open("/DEV");
    let text = page.text();
    assert_eq!(page.status, 200, "{text}");
    for shown in [
        "Dana Developer",
        "@dev",
        ">D</span>",
        "href=\"/dev/tools\"",
        "1 project<",
    ] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    assert!(!text.contains("/dev/secret") && !text.contains("Profile and sessions</a>\n  </div>"));
    let own = server.signed_in("developer").open("/dev").text();
    assert!(
        own.contains("href=\"/dev/secret\"") && own.contains("2 projects"),
        "{own}"
    );
    let found = reporter.open("/dev?search=nothing").text();
    assert!(found.contains("No project matches"), "{found}");
    let none = reporter.open("/root").text();
    assert!(none.contains("No projects that you can see"), "{none}");
    // The page of a user's project links back to the user.
    let project = reporter.open("/dev/tools").text();
    assert!(project.contains("href=\"/dev\""), "{project}");
}

/// DEPR-06. For others, a private profile shows only the name.
#[test]
fn of_a_private_profile_others_see_the_name_alone() {
    let server = TestServer::start();
    let body = json!({ "name": "Tools", "visibility": "internal" });
    let developer = server.developer();
    developer.post("/api/v4/projects", &body).expect(201);
    let hide = json!({ "private_profile": true });
    developer.put("/api/v4/users/2", &hide).expect(200);
    let hidden = [
        "href=\"/dev/tools\"",
        "1 project<",
        "User ID",
        "Member since",
    ];
    let page = server.signed_in("reporter").open("/dev");
    let text = page.text();
    assert_eq!(page.status, 200, "{text}");
    for shown in ["Dana Developer", "@dev", "This profile is private"] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    assert!(!hidden.iter().any(|part| text.contains(part)), "{text}");
    for person in ["developer", "admin"] {
        let text = server.signed_in(person).open("/dev").text();
        assert!(hidden.iter().all(|part| text.contains(part)), "{text}");
        assert!(!text.contains("This profile is private"), "{text}");
    }
}

#[test]
fn users_are_for_those_who_are_signed_in() {
    let server = TestServer::start();
    let mut anybody = server.browser();
    for path in ["/dev", "/nobody", "/favicon.ico", "/%3Cb%3E"] {
        assert_eq!(anybody.open(path).status, 404, "{path}");
        assert_eq!(server.anonymous().get(path).status, 404, "{path}");
    }
    let mut reporter = server.signed_in("reporter");
    for path in ["/nobody", "/dev/", "/dev/-/activity", "/1"] {
        let status = reporter.open(path).status;
        assert_eq!(status, if path == "/dev/" { 200 } else { 404 }, "{path}");
    }
    server.block("dev");
    assert!(reporter.open("/dev").text().contains(">Blocked</span>"));
}

/// A group and a user never have the same name, so the short address of a group leads to it.
#[test]
fn a_top_level_group_path_redirects_to_the_group_page() {
    let server = TestServer::start();
    server.create_project("open/tools", "public", "dev");
    let make_public = "UPDATE namespaces SET visibility = 20 WHERE full_path = 'open'";
    crate::support::rows::change(&server, make_public);
    let mut developer = server.signed_in("developer");
    let led = developer.open("/Acme");
    assert_eq!(
        (led.status, led.header("location")),
        (303, Some("/groups/acme"))
    );
    let mut anybody = server.browser();
    assert_eq!(anybody.open("/acme").status, 404);
    assert_eq!(
        anybody.open("/open").header("location"),
        Some("/groups/open")
    );
}
