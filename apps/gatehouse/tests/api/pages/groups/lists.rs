//! The lists of groups, and the lists on a group's page.

use serde_json::json;

use super::{GROUP, group, stranger, text};
use crate::support::TestServer;

#[test]
fn ones_own_groups_and_all_others_are_listed() {
    let server = TestServer::start();
    let open = group(&server, "open", None, "public");
    group(&server, "inner", Some(&open), "public");
    let mut developer = server.signed_in("developer");
    let mine = text(&mut developer, "/dashboard/groups");
    assert!(
        mine.contains("href=\"/groups/acme\"") && mine.contains("1 group"),
        "{mine}"
    );
    assert!(!mine.contains("/groups/open"), "{mine}");
    let all = text(&mut developer, "/explore/groups");
    assert!(
        all.contains("3 groups") && all.contains("href=\"/groups/open/inner\""),
        "{all}"
    );
    let found = text(
        &mut developer,
        "/explore/groups?search=inn&visibility=public",
    );
    assert!(
        found.contains("1 group") && found.contains(">open</bdi> / "),
        "{found}"
    );
    let none = text(&mut developer, "/dashboard/groups?search=nothing");
    assert!(none.contains("No group matches"), "{none}");

    let mut anybody = server.browser();
    let all = text(&mut anybody, "/explore/groups");
    assert!(all.contains("2 groups") && !all.contains("acme"), "{all}");
    assert!(!all.contains("/dashboard/groups/new"), "{all}");
    assert_eq!(anybody.open("/dashboard/groups").status, 303);
    let leads =
        |answer: &crate::support::TestResponse| answer.header("location").map(str::to_owned);
    assert_eq!(
        leads(&anybody.open("/groups")).as_deref(),
        Some("/explore/groups")
    );
    assert_eq!(
        leads(&developer.open("/groups")).as_deref(),
        Some("/dashboard/groups")
    );
    let empty = text(&mut stranger(&server), "/dashboard/groups");
    assert!(
        empty.contains("You are not a member of any group yet"),
        "{empty}"
    );
}

#[test]
fn the_group_list_is_paginated_and_sortable() {
    let server = TestServer::start();
    for number in 0..4 {
        group(&server, &format!("group-{number}"), None, "public");
    }
    let mut anybody = server.browser();
    let page = text(&mut anybody, "/explore/groups?per_page=3");
    assert!(page.contains("1–3 of 4"), "{page}");
    let next = text(&mut anybody, "/explore/groups?per_page=3&page=2");
    assert!(
        next.contains("4–4 of 4") && next.contains("group-3"),
        "{next}"
    );
    let turned = text(
        &mut anybody,
        "/explore/groups?order_by=name&sort=desc&per_page=1",
    );
    assert!(
        turned.contains("group-3") && turned.contains("aria-sort=\"descending\""),
        "{turned}"
    );
    assert_eq!(anybody.open("/explore/groups?sort=up").status, 400);
}

#[test]
fn the_page_of_a_group_lists_its_projects_and_subgroups() {
    let server = TestServer::start();
    server.create_project("acme/platform/edge/proxy", "private", "dev");
    let mut reporter = server.signed_in("reporter");
    let home = text(&mut reporter, GROUP);
    assert!(home.contains("href=\"/acme/web-shop\""), "{home}");
    assert!(!home.contains("/acme/platform/edge/proxy"), "{home}");
    assert!(
        home.contains("view=subgroups\">Subgroups <span class=\"count\">1<"),
        "{home}"
    );
    let subgroups = text(&mut reporter, "/groups/acme?view=subgroups");
    assert!(
        subgroups.contains("href=\"/groups/acme/platform\""),
        "{subgroups}"
    );
    let none = text(&mut reporter, "/groups/acme?search=nothing");
    assert!(none.contains("Nothing matches"), "{none}");
    // If there are only subgroups, they are shown at once.
    let middle = text(&mut reporter, "/groups/acme/platform");
    assert!(
        middle.contains("href=\"/groups/acme/platform/edge\""),
        "{middle}"
    );
    let deep = text(&mut reporter, "/groups/ACME/platform/Edge");
    for link in [
        "/groups/acme",
        "/groups/acme/platform",
        "/acme/platform/edge/proxy",
    ] {
        assert!(deep.contains(&format!("href=\"{link}\"")), "{link}: {deep}");
    }
    // The page of the project links to its group.
    let project = text(&mut reporter, "/acme/platform/edge/proxy");
    assert!(
        project.contains("href=\"/groups/acme/platform/edge\""),
        "{project}"
    );
}

/// AUTH-11. A project shared with a group is in the group's list, for users who may see both.
#[test]
fn a_shared_project_is_listed_with_where_it_is_from() {
    let server = TestServer::start();
    let open = group(&server, "open", None, "public");
    let share = json!({ "group_id": open["id"], "group_access": 20 });
    let path = server.below_project("/share");
    server.admin().post(&path, &share).expect(201);
    let page = text(&mut server.signed_in("developer"), "/groups/open");
    assert!(
        page.contains("href=\"/acme/web-shop\"") && page.contains(">acme</bdi> / "),
        "{page}"
    );
    let page = text(&mut stranger(&server), "/groups/open");
    assert!(!page.contains("web-shop"), "{page}");
}

#[test]
fn a_description_is_markdown_and_nothing_else() {
    let server = TestServer::start();
    let created = group(&server, "team", None, "public");
    let text_of = "See **this** <script>alert(1)</script> [here](javascript:alert(1))";
    let path = format!("/api/v4/groups/{}", created["id"]);
    server
        .admin()
        .put(&path, &json!({ "description": text_of }))
        .expect(200);
    let page = text(&mut server.browser(), "/groups/team");
    assert!(page.contains("<strong>this</strong>"), "{page}");
    assert!(
        !page.contains("<script>alert") && !page.contains("javascript:"),
        "{page}"
    );
}
