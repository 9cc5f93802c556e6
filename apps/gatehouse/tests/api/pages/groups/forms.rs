//! The forms about groups, with the refusals of the API beside the fields.

use super::{GROUP, assert_redirected, assert_refused, group, text};
use crate::support::TestServer;
use crate::support::rows::change;

/// PATH-01.
#[test]
fn groups_and_subgroups_are_created_and_validated() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    let fields = [
        ("name", "Crew & co"),
        ("path", "crew"),
        ("description", "a\r\nb"),
        ("visibility", "internal"),
    ];
    let new = "/dashboard/groups/new";
    let answer = developer.submit(new, "/dashboard/groups", &fields);
    let page = assert_redirected(&mut developer, &answer, "/groups/crew", "Group created.");
    assert!(
        page.contains("Crew &#38; co") && page.contains("Internal"),
        "{page}"
    );
    let again = developer.submit(new, "/dashboard/groups", &fields);
    let page = assert_refused(&again, "The path has already been taken.");
    assert!(
        page.contains("value=\"Crew &#38; co\"") && page.contains("a\nb"),
        "{page}"
    );

    let home = text(&mut developer, "/groups/crew");
    let new_project = home
        .split('"')
        .find(|part| part.starts_with("/projects/new?"));
    let form = text(&mut developer, new_project.unwrap());
    assert!(form.contains(" selected>crew</option>"), "{form}");

    let new = "/groups/crew/-/subgroups/new";
    let form = text(&mut developer, new);
    assert!(
        form.contains("/crew/") && !form.contains("value=\"public\""),
        "{form}"
    );
    let fields = [
        ("name", "Night"),
        ("path", "night"),
        ("visibility", "private"),
    ];
    let to = "/groups/crew/-/subgroups";
    let answer = developer.submit(new, to, &fields);
    assert_redirected(
        &mut developer,
        &answer,
        "/groups/crew/night",
        "Group created.",
    );
    let wide = [("name", "Day"), ("path", "day"), ("visibility", "public")];
    let answer = developer.submit(new, to, &wide);
    assert_refused(
        &answer,
        "The visibility public is not allowed in an internal group.",
    );
    let wrong = [("name", " "), ("path", "-x"), ("visibility", "private")];
    let page = assert_refused(
        &developer.submit(new, to, &wrong),
        "The name can&#39;t be blank.",
    );
    assert!(page.contains("The path can contain only letters"), "{page}");
    let odd = [("name", "x"), ("path", "x"), ("visibility", "secret")];
    assert_eq!(developer.submit(new, to, &odd).status, 400);
}

/// PATH-01, API-06. The URL changes with the path, and a refused form keeps the entered values.
#[test]
fn a_group_is_changed_by_its_owners() {
    let server = TestServer::start();
    group(&server, "other", None, "private");
    let mut admin = server.signed_in("admin");
    let edit = "/groups/acme/-/edit";
    let fields = |path| {
        [
            ("name", "Acme Works"),
            ("path", path),
            ("description", "What *we* make"),
            ("visibility", "private"),
            ("project_creation_level", "maintainer"),
            ("subgroup_creation_level", "owner"),
            ("share_with_group_lock", "true"),
        ]
    };
    let conflict = admin.submit(edit, edit, &fields("other"));
    let page = assert_refused(&conflict, "The path has already been taken.");
    assert!(page.contains("value=\"Acme Works\""), "{page}");
    let saved = admin.submit(edit, edit, &fields("works"));
    let page = assert_redirected(&mut admin, &saved, "/groups/works", "Group saved.");
    assert!(page.contains("<em>we</em>"), "{page}");
    let before = admin.open(&format!("{GROUP}/-/edit?a=b"));
    assert_eq!(before.status, 301);
    let now = "/groups/works/-/edit?a=b";
    assert_eq!(before.header("location"), Some(now));
    assert_eq!(server.browser().open(GROUP).status, 303);
    text(&mut admin, "/works/web-shop");
    let form = text(&mut admin, "/groups/works/-/edit");
    for chosen in [
        "value=\"maintainer\" selected",
        "value=\"owner\" selected",
        "value=\"true\" checked",
    ] {
        assert!(form.contains(chosen), "{chosen}: {form}");
    }
}

/// PATH-01.
#[test]
fn a_group_is_moved_by_its_owners() {
    let server = TestServer::start();
    let outer = group(&server, "outer", None, "private");
    group(&server, "inner", Some(&outer), "private");
    server.create_project("hidden/thing", "private", "dev");
    let mut admin = server.signed_in("admin");
    let move_to = |browser: &mut crate::support::browser::TestBrowser, from: &str, to: &str| {
        let page = format!("{from}/-/edit");
        browser.submit(&page, &format!("{from}/-/transfer"), &[("to", to)])
    };
    let moved = move_to(&mut admin, GROUP, " outer/inner/ ");
    let there = "/groups/outer/inner/acme";
    let notice = "Group moved, with everything in it.";
    assert_redirected(&mut admin, &moved, there, notice);
    text(&mut admin, "/outer/inner/acme/web-shop");
    for (from, to, words) in [
        (
            there,
            "outer/inner",
            "The group is already at this location.",
        ),
        (
            there,
            "nothing",
            "The group does not exist, or you cannot see it.",
        ),
        (
            there,
            "dev",
            "The group does not exist, or you cannot see it.",
        ),
        (
            "/groups/outer",
            "outer/inner",
            "is this group or one of its subgroups",
        ),
    ] {
        let page = assert_refused(&move_to(&mut admin, from, to), words);
        assert!(
            page.contains(&format!("name=\"to\" value=\"{to}\"")),
            "{page}"
        );
    }
    let moved = move_to(&mut admin, there, "");
    assert_redirected(&mut admin, &moved, GROUP, notice);

    // An Owner who may see the other group but not create subgroups there gets that reason; a hidden group is not
    // found.
    let own = "INSERT INTO namespace_members (namespace_id, user_id, access_level, created_at) \
               SELECT namespaces.id, users.id, 50, 0 FROM namespaces, users \
               WHERE full_path = 'outer' AND username = 'rita'; \
               UPDATE namespaces SET visibility = 20 WHERE full_path = 'hidden'";
    change(&server, own);
    let mut reporter = server.signed_in("reporter");
    let refusal = move_to(&mut reporter, "/groups/outer", "hidden");
    assert_refused(&refusal, "The group does not let you create subgroups");
}

/// API-19, API-06.
#[test]
fn a_group_is_deleted_later_and_restored_until_then() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    let (edit, delete) = ("/groups/acme/-/edit", "/groups/acme/-/delete");
    let page = text(&mut admin, edit);
    assert!(page.contains("permanently deleted after 7 days"), "{page}");
    let wrong = admin.submit(edit, delete, &[("confirm", "acm")]);
    assert_refused(&wrong, "The full path does not match");
    let redirected = admin.submit(edit, delete, &[("confirm", "acme")]);
    let at = redirected.header("location").unwrap_or_default().to_owned();
    let page = assert_redirected(
        &mut admin,
        &redirected,
        &at,
        "Group scheduled for deletion.",
    );
    assert!(
        page.contains("permanently deleted after <time datetime="),
        "{page}"
    );
    assert_eq!(admin.open(GROUP).status, 404);
    assert_eq!(admin.open("/acme/web-shop").status, 404);

    // The page is for Owners.
    let mut developer = server.signed_in("developer");
    assert_eq!(developer.open(&at).status, 404);
    assert_eq!(developer.submit("/profile", &at, &[]).status, 404);
    assert_eq!(server.browser().open(&at).status, 303);

    let other = group(&server, "acme", None, "private");
    let conflict = admin.submit(&at, &at, &[]);
    assert_eq!(conflict.status, 409, "{}", conflict.text());
    assert!(
        conflict
            .text()
            .contains("Something else uses a path in the group now"),
        "{}",
        conflict.text()
    );
    let path = format!("/api/v4/groups/{}", other["id"]);
    let away = serde_json::json!({ "path": "away" });
    server.admin().put(&path, &away).expect(200);
    let back = admin.submit(&at, &at, &[]);
    let notice = "Group restored, with everything in it.";
    assert_redirected(&mut admin, &back, GROUP, notice);
    text(&mut admin, "/acme/web-shop");
    assert_eq!(admin.open(&at).status, 404);
}
