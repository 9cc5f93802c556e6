//! Permissions of the pages of a group.

use serde_json::json;

use super::{GROUP, group, stranger, text, user};
use crate::support::TestServer;

/// API-16, AUTH-11. Pages that need the role of Owner are not found for others.
#[test]
fn every_page_is_for_those_who_may_see_it() {
    let server = TestServer::start();
    let dev = user(&server, "dev");
    let [mut admin, mut developer] = ["admin", "developer"].map(|one| server.signed_in(one));
    let (mut stranger, mut anybody) = (stranger(&server), server.browser());
    for (rest, is_for_owners) in [
        ("", false),
        ("?view=subgroups", false),
        ("/-/group_members", false),
        ("/-/edit", true),
        ("/-/subgroups/new", true),
        (&format!("/-/group_members/{dev}/edit"), true),
    ] {
        let path = format!("{GROUP}{rest}");
        assert_eq!(admin.open(&path).status, 200, "{path}");
        let expected = if is_for_owners { 404 } else { 200 };
        assert_eq!(developer.open(&path).status, expected, "{path}");
        assert_eq!(stranger.open(&path).status, 404, "{path}");
        let answer = anybody.open(&path);
        let to = answer.header("location").unwrap_or_default();
        let begins = to.starts_with("/users/sign_in?return_to=/groups/acme");
        assert!(answer.status == 303 && begins, "{path}: {to}");
        assert_eq!(server.anonymous().get(&path).status, 404, "{path}");
    }
}

#[test]
fn unknown_group_pages_return_404() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    for path in [
        "/groups/nothing",
        "/groups/nothing/-/edit",
        "/groups/acme/web-shop",
        "/groups/dev",
        "/groups/acme/-/nothing",
        "/groups/acme/-/group_members/4711/edit",
        "/groups/acme/-/group_members/x/edit",
        "/dashboard/groups/4711/deletion",
        "/dashboard/groups/x/deletion",
    ] {
        assert_eq!(admin.open(path).status, 404, "{path}");
    }
}

/// A form that is not ours changes nothing, even if an Owner sends it.
#[test]
fn a_form_without_its_token_is_refused() {
    let server = TestServer::start();
    let dev = user(&server, "dev");
    let mut admin = server.signed_in("admin");
    for path in [
        "/dashboard/groups",
        "/groups/acme/-/subgroups",
        "/groups/acme/-/edit",
        "/groups/acme/-/transfer",
        "/groups/acme/-/delete",
        "/dashboard/groups/1/deletion",
        "/groups/acme/-/group_members",
        &format!("/groups/acme/-/group_members/{dev}"),
        "/acme/web-shop/-/project_members",
        "/acme/web-shop/-/group_links",
        "/acme/web-shop/-/group_links/1",
    ] {
        let fields = [
            ("name", "x"),
            ("path", "x"),
            ("_method", "delete"),
            ("confirm", "acme"),
        ];
        assert_eq!(admin.post(path, &fields).status, 403, "{path}");
    }
    assert_eq!(admin.open(GROUP).status, 200);
    assert_eq!(admin.open("/groups/x").status, 404);
}

/// AUTH-11. A form has the rights of its sender's role, whatever the page shows.
#[test]
fn a_role_that_is_too_low_changes_nothing() {
    let server = TestServer::start();
    let rita = user(&server, "rita");
    let mut developer = server.signed_in("developer");
    let member = format!("/groups/acme/-/group_members/{rita}");
    for path in [
        "/groups/acme/-/subgroups",
        "/groups/acme/-/edit",
        "/groups/acme/-/transfer",
        "/groups/acme/-/delete",
        "/groups/acme/-/group_members",
        &member,
        "/acme/web-shop/-/project_members",
        "/acme/web-shop/-/group_links",
        "/acme/web-shop/-/group_links/1",
    ] {
        let fields = [
            ("_method", "delete"),
            ("name", "x"),
            ("path", "x"),
            ("visibility", "private"),
            ("confirm", "acme"),
            ("username", "root"),
            ("access_level", "10"),
            ("group", "acme"),
            ("group_access", "10"),
        ];
        let answer = developer.submit("/profile", path, &fields);
        assert_eq!(answer.status, 403, "{path}: {}", answer.text());
    }
    let list = text(&mut developer, "/groups/acme/-/group_members");
    assert!(list.contains("@rita"), "{list}");
}

/// AUTH-10. Users who may only read a group see no actions.
#[test]
fn a_public_group_is_for_everybody_and_its_forms_are_not() {
    let server = TestServer::start();
    let open = group(&server, "open", None, "public");
    group(&server, "unseen", Some(&open), "private");
    let mut anybody = server.browser();
    let home = text(&mut anybody, "/groups/open");
    let members = text(&mut anybody, "/groups/open/-/group_members");
    for page in [&home, &members] {
        for hidden in [
            "/-/edit",
            "subgroups/new",
            "projects/new",
            "method=\"post\"",
            "unseen",
        ] {
            assert!(!page.contains(hidden), "{hidden}: {page}");
        }
    }
    assert!(members.contains("@root"), "{members}");
    assert_eq!(anybody.open("/groups/open/-/edit").status, 303);
    assert_eq!(anybody.open("/groups/open/unseen").status, 303);
    // Programs that follow the link get the same page.
    assert_eq!(server.anonymous().get("/groups/open/").status, 200);
}

#[test]
fn a_group_may_be_called_like_anything() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    for name in ["new", "123", "dashboard", "sign_in"] {
        let created = group(&server, name, None, "private");
        let url = created["web_url"].as_str().unwrap();
        let path = url.strip_prefix(server.base_url()).unwrap();
        let page = text(&mut admin, path);
        assert!(page.contains(&format!("data-copy=\"{name}\"")), "{page}");
        let inner = json!({ "name": "notify", "path": "notify", "parent_id": created["id"] });
        server.admin().post("/api/v4/groups", &inner).expect(201);
        text(&mut admin, &format!("{path}/notify/-/edit"));
    }
}
