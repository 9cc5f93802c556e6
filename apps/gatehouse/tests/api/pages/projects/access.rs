//! Permissions of the pages of a project.

use super::{below, label, milestone, text};
use crate::support::TestServer;
use crate::support::browser::TestBrowser;

/// Every page of a project, each with true if it needs the role of Developer.
fn pages(server: &TestServer) -> Vec<(String, bool)> {
    let label = label(server, "bug")["id"].clone();
    milestone(server, "One");
    [
        ("", false),
        ("/-/activity", false),
        ("/-/milestones", false),
        ("/-/milestones/new", false),
        ("/-/milestones/1", false),
        ("/-/milestones/1/edit", false),
        ("/-/labels", false),
        ("/-/labels/new", false),
        (&format!("/-/labels/{label}/edit"), false),
        ("/-/alert_management", true),
        ("/-/alert_management/1/details", true),
        ("/-/settings/alert_endpoints", true),
        ("/-/settings/alert_endpoints/legacy", true),
        ("/-/settings/alert_endpoints/legacy/mapping", true),
        ("/-/settings/alert_endpoints/metrics", true),
    ]
    .map(|(rest, is_for_developers)| (below(rest), is_for_developers))
    .to_vec()
}

/// A browser of a new user without memberships.
fn stranger(server: &TestServer) -> TestBrowser {
    server.stranger("zoe");
    let created = server.command_json(&["user", "password", "zoe", "--json"]);
    let mut browser = server.browser();
    browser.sign_in("zoe", created["password"].as_str().unwrap());
    browser
}

#[test]
fn every_page_is_for_those_who_may_see_it() {
    let server = TestServer::start();
    let pages = pages(&server);
    let mut people = ["admin", "developer", "reporter"].map(|person| server.signed_in(person));
    let (mut stranger, mut anybody) = (stranger(&server), server.browser());
    for (path, is_for_developers) in &pages {
        let statuses = people.each_mut().map(|browser| browser.open(path).status);
        let reporter = if *is_for_developers { 404 } else { 200 };
        assert_eq!(statuses, [200, 200, reporter], "{path}");
        assert_eq!(stranger.open(path).status, 404, "{path}");
        let led = anybody.open(path);
        let to = led.header("location").unwrap();
        assert!(
            to.starts_with("/users/sign_in?return_to=/acme/"),
            "{path}: {to}"
        );
        assert_eq!(server.anonymous().get(path).status, 404, "{path}");
    }
}

#[test]
fn unknown_project_pages_return_404() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    for rest in [
        "/-/nothing",
        "/-/milestones/9",
        "/-/milestones/x",
        "/-/labels/9/edit",
        "/-/alert_management/99/details",
        "/-/alert_management/1",
        "/-/settings/alert_endpoints/nothing",
    ] {
        assert_eq!(developer.open(&below(rest)).status, 404, "{rest}");
    }
    for path in [
        "/acme/nothing",
        "/acme/nothing/-/activity",
        "/1/-/activity",
        "/acme/-/labels",
    ] {
        assert_eq!(developer.open(path).status, 404, "{path}");
    }
}

#[test]
fn a_path_is_found_in_any_case_and_with_a_slash_at_the_end() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    for path in [
        "/ACME/Web-Shop",
        "/acme/web-shop/",
        "/Acme/web-shop/-/activity/",
    ] {
        let page = text(&mut developer, path);
        // Links have the path in its original case.
        assert!(page.contains("href=\"/acme/web-shop/-/labels\""), "{page}");
    }
}

#[test]
fn a_public_project_is_for_everybody_and_its_alerts_and_forms_are_not() {
    let server = TestServer::start();
    server.create_project("open/tools", "public", "dev");
    let mut anybody = server.browser();
    for rest in ["", "/-/activity", "/-/milestones", "/-/labels"] {
        let page = text(&mut anybody, &format!("/open/tools{rest}"));
        assert!(
            !page.contains("alert_management") && !page.contains("/new\""),
            "{page}"
        );
    }
    for rest in ["/-/alert_management", "/-/milestones/new"] {
        assert_eq!(
            anybody.open(&format!("/open/tools{rest}")).status,
            303,
            "{rest}"
        );
    }
    // A user without memberships can see the labels, but not create one.
    let mut stranger = stranger(&server);
    assert_eq!(stranger.open("/open/tools/-/labels").status, 200);
    assert_eq!(stranger.open("/open/tools/-/labels/new").status, 403);
    assert_eq!(stranger.open("/open/tools/-/alert_management").status, 404);
    let form = [("name", "x"), ("color", "#fff")];
    let refused = stranger.submit("/profile", "/open/tools/-/labels", &form);
    assert_eq!(refused.status, 403);
}

#[test]
fn projects_deep_in_groups_have_their_pages_too() {
    let server = TestServer::start();
    server.create_project("acme/platform/edge/proxy", "private", "dev");
    let mut developer = server.signed_in("developer");
    for rest in ["", "/-/alert_management", "/-/milestones/new"] {
        let page = text(&mut developer, &format!("/acme/platform/edge/proxy{rest}"));
        assert!(page.contains("acme / platform / edge"), "{page}");
    }
}

/// A form that is not ours changes nothing, even if a member sends it.
#[test]
fn a_form_without_its_token_is_refused() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    for rest in [
        "/-/labels",
        "/-/milestones",
        "/-/alert_management/1/details",
        "/-/settings",
        "/-/settings/archive",
        "/-/settings/transfer",
        "/-/settings/delete",
        "/-/settings/alert_endpoints/legacy",
        "/-/settings/alert_endpoints/legacy/test",
        "/-/settings/alert_endpoints/legacy/mapping",
    ] {
        let refused = developer.post(&below(rest), &[("name", "x"), ("status", "resolved")]);
        assert_eq!(refused.status, 403, "{rest}");
    }
}
