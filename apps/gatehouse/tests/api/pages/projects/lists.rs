//! The lists of projects, events, milestones and labels, and the home page.

use serde_json::json;

use super::{below, label, milestone, text};
use crate::support::TestServer;

/// Text that would be harmful as markup.
const HOSTILE: &str = "<script>x</script>\u{202e}\"'><img src=y>";

#[test]
fn home_shows_open_alerts_to_developers_but_not_to_reporters() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    let page = text(&mut developer, "/");
    for part in [
        "href=\"/acme/web-shop/-/alert_management/1/details\"",
        "Checkout answers slowly",
        "triggered the alert",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // Alerts are for Developers.
    let page = text(&mut server.signed_in("reporter"), "/");
    assert!(
        page.contains("href=\"/acme/web-shop\"") && !page.contains("alert_management"),
        "{page}"
    );
}

#[test]
fn users_without_a_project_see_a_link_to_create_a_project() {
    let server = TestServer::start();
    server.stranger("zoe");
    let created = server.command_json(&["user", "password", "zoe", "--json"]);
    let mut browser = server.browser();
    browser.sign_in("zoe", created["password"].as_str().unwrap());
    for path in ["/", "/dashboard/projects"] {
        let page = text(&mut browser, path);
        assert!(
            page.contains("You are not a member of any project yet"),
            "{page}"
        );
        assert!(page.contains("href=\"/projects/new\""), "{page}");
    }
}

#[test]
fn projects_are_listed_searched_and_sorted_as_in_the_api() {
    let server = TestServer::start();
    server.create_project("open/tools", "public", "root");
    server.create_project("mine/zebra", "public", "dev");
    let mut developer = server.signed_in("developer");
    let mine = text(&mut developer, "/dashboard/projects");
    assert!(
        mine.contains("2 projects") && !mine.contains("/open/tools"),
        "{mine}"
    );
    let all = text(&mut developer, "/explore/projects?order_by=name&sort=asc");
    let at = |path: &str| all.find(&format!("data-open href=\"{path}\"")).unwrap();
    assert!(at("/open/tools") < at("/acme/web-shop") && at("/acme/web-shop") < at("/mine/zebra"));
    assert!(all.contains("aria-sort=\"ascending\""), "{all}");
    assert!(all.contains("order_by=name&#38;sort=desc"), "{all}");
    let found = text(&mut developer, "/explore/projects?search=zebra&visibility=");
    assert!(
        found.contains("1 project<") && found.contains("value=\"zebra\""),
        "{found}"
    );
    let none = text(&mut developer, "/explore/projects?search=nothing");
    assert!(none.contains("No project matches") && none.contains("href=\"/explore/projects\""));

    let mut anybody = server.browser();
    let public = text(&mut anybody, "/explore/projects");
    assert!(
        public.contains("/open/tools") && !public.contains("web-shop"),
        "{public}"
    );
    assert_eq!(anybody.open("/dashboard/projects").status, 303);
    for (wrong, name) in [
        ("visibility=secret", "visibility"),
        ("starred=true", "starred"),
    ] {
        let wrong = developer.open(&format!("/explore/projects?{wrong}"));
        assert_eq!(wrong.status, 400);
        assert!(wrong.text().contains(name), "{}", wrong.text());
    }
}

#[test]
fn the_overview_shows_project_facts_and_hides_alerts_from_reporters() {
    let server = TestServer::start();
    let page = text(&mut server.signed_in("developer"), &below(""));
    let url = format!("{}/acme/web-shop/alerts/notify.json", server.base_url());
    for part in [
        "Web shop",
        "Private",
        "The shop that the samples are about",
        &format!("data-copy=\"{url}\""),
        "href=\"/acme/web-shop/-/settings/alert_endpoints\"",
        "<dd><a href=\"/acme/web-shop/-/project_members\">3</a></dd>",
        "<a href=\"/groups/acme\">",
        "href=\"/acme/web-shop/-/issues/new\"",
        "Open alerts <span class=\"count\">2</span>",
        "data-copy=\"acme/web-shop\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let page = text(&mut server.signed_in("reporter"), &below(""));
    assert!(
        !page.contains("notify.json") && !page.contains("Open alerts <span"),
        "{page}"
    );
}

#[test]
fn activity_is_listed_by_day_with_the_filters_of_the_api() {
    let server = TestServer::start();
    milestone(&server, "Release 1");
    let mut developer = server.signed_in("developer");
    let page = text(&mut developer, &below("/-/activity"));
    for part in [
        "<h2>Today</h2>",
        "created the milestone",
        "href=\"/acme/web-shop/-/milestones/1\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let page = text(
        &mut developer,
        &below("/-/activity?action=created&target_type=milestone"),
    );
    assert!(
        page.contains("1 entry") && page.contains("value=\"milestone\" selected"),
        "{page}"
    );
    let page = text(&mut developer, &below("/-/activity?before=2001-01-01"));
    assert!(page.contains("No activity matches"), "{page}");
    for wrong in ["action=danced", "after=yesterday", "page=x"] {
        let path = below(&format!("/-/activity?{wrong}"));
        assert_eq!(developer.open(&path).status, 400, "{wrong}");
    }
    // Events of alerts are for Developers.
    let page = text(&mut server.signed_in("reporter"), &below("/-/activity"));
    assert!(!page.contains("the alert "), "{page}");
}

#[test]
fn milestones_are_open_or_closed_with_their_counts() {
    let server = TestServer::start();
    milestone(&server, "Release 1");
    let closed = milestone(&server, "Release 2");
    let path = server.below_project(&format!("/milestones/{}", closed["id"]));
    server
        .admin()
        .put(&path, &json!({ "state_event": "close" }))
        .expect(200);
    let mut reporter = server.signed_in("reporter");
    let open = text(&mut reporter, &below("/-/milestones"));
    assert!(
        open.contains("Release 1") && !open.contains("Release 2"),
        "{open}"
    );
    assert!(
        open.contains("Closed <span class=\"count\">1</span>"),
        "{open}"
    );
    let closed = text(
        &mut reporter,
        &below("/-/milestones?state=closed&search=release"),
    );
    assert!(
        closed.contains("Release 2") && !closed.contains("Release 1"),
        "{closed}"
    );
    assert_eq!(
        reporter.open(&below("/-/milestones?state=late")).status,
        400
    );
}

#[test]
fn lists_have_twenty_rows_per_page_and_escape_hostile_titles() {
    let server = TestServer::start();
    for number in 0..21 {
        label(&server, &format!("label {number:02} {HOSTILE}"));
        milestone(&server, &format!("{number} {HOSTILE}"));
    }
    let mut developer = server.signed_in("developer");
    for list in ["/-/labels", "/-/milestones", "/-/activity"] {
        let page = text(&mut developer, &below(list));
        assert!(page.contains("1–20 of 2"), "{page}");
        assert!(
            page.contains(&format!(
                "rel=\"next\" href=\"/acme/web-shop{list}?page=2\""
            )),
            "{page}"
        );
        assert!(page.len() < 60_000, "{list}: {} bytes", page.len());
        assert!(
            !page.contains("<script>x") && !page.contains("<img src=y"),
            "{page}"
        );
        assert!(!page.contains('\u{202e}'), "{list}: a title reorders text");
        let second = text(&mut developer, &below(&format!("{list}?page=2")));
        assert!(
            second.contains(&format!("rel=\"prev\" href=\"/acme/web-shop{list}\"")),
            "{second}"
        );
    }
}
