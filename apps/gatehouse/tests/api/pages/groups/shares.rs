//! Shares of a project with groups.

use serde_json::json;

use super::{assert_redirected, assert_refused, group, stranger, text, user};
use crate::support::TestServer;

const LIST: &str = "/acme/web-shop/-/project_members";
const LINKS: &str = "/acme/web-shop/-/group_links";

/// PATH-04, AUTH-11.
#[test]
fn a_project_is_shared_with_a_group_until_that_is_ended() {
    let server = TestServer::start();
    let mut zoe = stranger(&server);
    let night = group(&server, "night", None, "private");
    let path = format!("/api/v4/groups/{}/members", night["id"]);
    let member = json!({ "user_id": user(&server, "zoe"), "access_level": 40 });
    server.admin().post(&path, &member).expect(201);
    assert_eq!(zoe.open(LIST).status, 404);

    let mut admin = server.signed_in("admin");
    let fields = [
        ("group", "night"),
        ("group_access", "30"),
        ("expires_at", "2999-01-02"),
    ];
    let shared = admin.submit(LIST, LINKS, &fields);
    let page = assert_redirected(&mut admin, &shared, LIST, "Project shared with the group.");
    for shown in [
        "href=\"/groups/night\"",
        "2 Jan 2999",
        "@zoe",
        "Shared with <a href=\"/groups/night\">",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let again = admin.submit(LIST, LINKS, &fields);
    assert_refused(&again, "The group already has access to the project");
    assert_eq!(zoe.open("/acme/web-shop").status, 200);
    let seen = text(&mut zoe, LIST);
    assert!(
        seen.contains("Shared with groups") && !seen.contains("/group_links"),
        "{seen}"
    );
    // Users who may not see the group do not learn its name.
    let seen = text(&mut server.signed_in("developer"), LIST);
    assert!(
        !seen.contains("night") && seen.contains("Shared with a group"),
        "{seen}"
    );

    let one = format!("{LINKS}/{}", night["id"]);
    assert_eq!(admin.submit(LIST, &one, &[("_method", "put")]).status, 400);
    let ended = admin.submit(LIST, &one, &[("_method", "delete")]);
    let page = assert_redirected(&mut admin, &ended, LIST, "Share removed.");
    assert!(
        page.contains("The project is not shared with any group."),
        "{page}"
    );
    assert_eq!(zoe.open(LIST).status, 404);
    assert_eq!(
        admin.submit(LIST, &one, &[("_method", "delete")]).status,
        404
    );
}

/// PATH-04, API-11, API-16.
#[test]
fn invalid_shares_are_rejected_with_field_errors_and_input_is_kept() {
    let server = TestServer::start();
    group(&server, "night", None, "private");
    group(&server, "open", None, "public");
    let set = "INSERT INTO project_members (project_id, user_id, access_level, created_at) \
               SELECT 1, id, 40, 0 FROM users WHERE username = 'dev'";
    crate::support::rows::change(&server, set);
    let mut maintainer = server.signed_in("developer");
    for (group, level, day, words) in [
        (
            "night",
            "30",
            "",
            "The group does not exist, or you cannot see it.",
        ),
        (
            "a//b",
            "30",
            "",
            "The group does not exist, or you cannot see it.",
        ),
        (
            "open",
            "30",
            "2000-01-01",
            "The expiry date must be a date after today.",
        ),
        ("open", "x", "", "The role does not have a valid value."),
    ] {
        let fields = [
            ("group", group),
            ("group_access", level),
            ("expires_at", day),
        ];
        let page = assert_refused(&maintainer.submit(LIST, LINKS, &fields), words);
        assert!(
            page.contains(&format!("name=\"group\" value=\"{group}\"")),
            "{page}"
        );
    }
    let fields = [
        ("group", "acme"),
        ("group_access", "30"),
        ("expires_at", ""),
    ];
    assert_refused(
        &maintainer.submit(LIST, LINKS, &fields),
        "The group is the project&#39;s own group.",
    );
    let lock = "UPDATE namespaces SET share_with_group_lock = 1 WHERE full_path = 'acme'";
    crate::support::rows::change(&server, lock);
    let fields = [
        ("group", "open"),
        ("group_access", "30"),
        ("expires_at", ""),
    ];
    assert_refused(
        &maintainer.submit(LIST, LINKS, &fields),
        "The project sharing with group is disabled",
    );
}
