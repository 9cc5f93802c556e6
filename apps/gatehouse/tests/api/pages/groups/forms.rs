//! The forms about groups, with the refusals of the API beside the fields.

use super::{GROUP, group, led, refused, text};
use crate::support::Server;
use crate::support::rows::change;

/// PATH-01.
#[test]
fn a_group_and_a_subgroup_are_made() {
    let server = Server::start();
    let mut developer = server.signed_in("developer");
    let fields = [
        ("name", "Crew & co"),
        ("path", "crew"),
        ("description", "a\r\nb"),
        ("visibility", "internal"),
    ];
    let new = "/dashboard/groups/new";
    let answer = developer.submit(new, "/dashboard/groups", &fields);
    let page = led(
        &mut developer,
        &answer,
        "/groups/crew",
        "The group is created.",
    );
    assert!(
        page.contains("Crew &#38; co") && page.contains("Internal"),
        "{page}"
    );
    let again = developer.submit(new, "/dashboard/groups", &fields);
    let page = refused(&again, "The path has already been taken.");
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
    led(
        &mut developer,
        &answer,
        "/groups/crew/night",
        "The group is created.",
    );
    let wide = [("name", "Day"), ("path", "day"), ("visibility", "public")];
    let answer = developer.submit(new, to, &wide);
    refused(
        &answer,
        "The visibility public is not allowed in an internal group.",
    );
    let wrong = [("name", " "), ("path", "-x"), ("visibility", "private")];
    let page = refused(
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
    let server = Server::start();
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
    let taken = admin.submit(edit, edit, &fields("other"));
    let page = refused(&taken, "The path has already been taken.");
    assert!(page.contains("value=\"Acme Works\""), "{page}");
    let saved = admin.submit(edit, edit, &fields("works"));
    let page = led(&mut admin, &saved, "/groups/works", "The group is saved.");
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
    let server = Server::start();
    let outer = group(&server, "outer", None, "private");
    group(&server, "inner", Some(&outer), "private");
    server.create_project("hidden/thing", "private", "dev");
    let mut admin = server.signed_in("admin");
    let move_to = |browser: &mut crate::support::browser::Browser, from: &str, to: &str| {
        let page = format!("{from}/-/edit");
        browser.submit(&page, &format!("{from}/-/transfer"), &[("to", to)])
    };
    let moved = move_to(&mut admin, GROUP, " outer/inner/ ");
    let there = "/groups/outer/inner/acme";
    let notice = "The group is moved, with everything in it.";
    led(&mut admin, &moved, there, notice);
    text(&mut admin, "/outer/inner/acme/web-shop");
    for (from, to, words) in [
        (there, "outer/inner", "The group is where it is already."),
        (
            there,
            "nothing",
            "The group does not exist, or you do not see it.",
        ),
        (
            there,
            "dev",
            "The group does not exist, or you do not see it.",
        ),
        ("/groups/outer", "outer/inner", "is this group or in it"),
    ] {
        let page = refused(&move_to(&mut admin, from, to), words);
        assert!(
            page.contains(&format!("name=\"to\" value=\"{to}\"")),
            "{page}"
        );
    }
    let moved = move_to(&mut admin, there, "");
    led(&mut admin, &moved, GROUP, notice);

    // An Owner who may see the other group but not create subgroups there gets that reason; a hidden group is not
    // found.
    let own = "INSERT INTO namespace_members (namespace_id, user_id, access_level, created_at) \
               SELECT namespaces.id, users.id, 50, 0 FROM namespaces, users \
               WHERE full_path = 'outer' AND username = 'rita'; \
               UPDATE namespaces SET visibility = 20 WHERE full_path = 'hidden'";
    change(&server, own);
    let mut reporter = server.signed_in("reporter");
    let refusal = move_to(&mut reporter, "/groups/outer", "hidden");
    refused(
        &refusal,
        "The group is one in which your role makes no subgroups.",
    );
}

/// API-19, API-06.
#[test]
fn a_group_is_deleted_later_and_restored_until_then() {
    let server = Server::start();
    let mut admin = server.signed_in("admin");
    let (edit, delete) = ("/groups/acme/-/edit", "/groups/acme/-/delete");
    let page = text(&mut admin, edit);
    assert!(page.contains("deleted for good after 7 days"), "{page}");
    let wrong = admin.submit(edit, delete, &[("confirm", "acm")]);
    refused(&wrong, "The full path does not match");
    let gone = admin.submit(edit, delete, &[("confirm", "acme")]);
    let at = gone.header("location").unwrap_or_default().to_owned();
    let page = led(
        &mut admin,
        &gone,
        &at,
        "The group is scheduled for deletion.",
    );
    assert!(
        page.contains("deleted for good after <time datetime="),
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
    let taken = admin.submit(&at, &at, &[]);
    assert_eq!(taken.status, 409, "{}", taken.text());
    assert!(
        taken.text().contains("belongs to something else now"),
        "{}",
        taken.text()
    );
    let path = format!("/api/v4/groups/{}", other["id"]);
    let away = serde_json::json!({ "path": "away" });
    server.admin().put(&path, &away).expect(200);
    let back = admin.submit(&at, &at, &[]);
    let notice = "The group is restored, with everything in it.";
    led(&mut admin, &back, GROUP, notice);
    text(&mut admin, "/acme/web-shop");
    assert_eq!(admin.open(&at).status, 404);
}
