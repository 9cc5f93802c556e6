//! `/api/v4/projects?pagination=keyset`.

use serde_json::json;

use crate::support::pages::{column, follow, plain};
use crate::support::{TestResponse, TestServer};

/// A server with `count` more projects.
fn server_with(count: usize) -> TestServer {
    let server = TestServer::start();
    for number in 0..count {
        server.create_project(&format!("many/p{number:02}"), "private", "dev");
    }
    server
}

fn ids(pages: &[TestResponse]) -> Vec<i64> {
    let rows = pages.iter().flat_map(TestResponse::list);
    rows.map(|row| row["id"].as_i64().unwrap()).collect()
}

/// PAGE-05, PAGE-06.
#[test]
fn following_the_link_visits_every_project_once_in_both_directions() {
    let server = server_with(6);
    let dev = server.developer();
    let all = ids(&follow(&dev, "/api/v4/projects?order_by=id&sort=asc"));
    assert_eq!(all.len(), 7);
    for size in [1, 2, 3, 7, 100] {
        let path = format!("/api/v4/projects?pagination=keyset&order_by=id&per_page={size}");
        let upwards = follow(&dev, &format!("{path}&sort=asc"));
        assert_eq!(ids(&upwards), all, "{size}");
        let downwards = follow(&dev, &format!("{path}&sort=desc"));
        let reversed: Vec<i64> = all.iter().rev().copied().collect();
        assert_eq!(ids(&downwards), reversed, "{size}");
    }
}

/// PAGE-06, PAGE-07.
#[test]
fn the_only_header_is_a_link_to_the_next_page_and_the_last_page_has_none() {
    let server = server_with(2);
    let path = "/api/v4/projects?pagination=keyset&order_by=id&sort=asc&per_page=2&simple=true";
    let pages = follow(&server.developer(), path);
    assert_eq!(pages.len(), 2);
    for page in &pages {
        for name in ["x-page", "x-per-page", "x-next-page", "x-total", "links"] {
            assert_eq!(page.header(name), None, "{name}");
        }
    }
    let second = plain(&pages[0].list()[1]["id"]);
    let expected = format!(
        "<{}/api/v4/projects?pagination=keyset&order_by=id&sort=asc&per_page=2&simple=true&id_after={second}>; rel=\"next\"",
        server.base_url()
    );
    assert_eq!(pages[0].header("link"), Some(expected.as_str()));
    assert_eq!(pages[1].header("link"), None);
}

/// PAGE-06.
#[test]
fn beyond_the_end_there_is_an_empty_page_without_a_link() {
    let server = TestServer::start();
    let path = "/api/v4/projects?pagination=keyset&order_by=id&sort=asc&id_after=987654";
    let answer = server.developer().get(path);
    answer.assert_is(200, &json!([]));
    assert_eq!(answer.header("link"), None);
}

/// PAGE-06. Offset pages would show a row twice here.
#[test]
fn rows_that_are_added_meanwhile_neither_hide_nor_repeat_others() {
    let server = server_with(4);
    let dev = server.developer();
    let path = "/api/v4/projects?pagination=keyset&order_by=id&per_page=2";
    let before = ids(&[dev.get("/api/v4/projects?order_by=id&sort=desc")]);
    let mut seen = Vec::new();
    let mut next = Some(format!("{path}&sort=desc"));
    while let Some(link) = next {
        let page = dev.get(&link);
        seen.extend(ids(std::slice::from_ref(&page)));
        server.create_project(&format!("late/p{}", seen.len()), "private", "dev");
        next = page.link("next");
    }
    assert_eq!(seen, before);
}

/// PAGE-06. The next page begins where the last one ended, also if its last project is deleted. Offset pages would
/// leave a row out here.
#[test]
fn rows_that_are_deleted_meanwhile_neither_hide_nor_repeat_others() {
    let server = server_with(8);
    let dev = server.developer();
    let path = "/api/v4/projects?pagination=keyset&order_by=id&sort=desc&per_page=2";
    let before = ids(&[dev.get("/api/v4/projects?order_by=id&sort=desc")]);
    let mut seen = Vec::new();
    let mut next = Some(path.to_owned());
    while let Some(link) = next {
        let page = dev.get(&link);
        seen.extend(ids(std::slice::from_ref(&page)));
        // The last row of the page, the first one of all, and the next one are deleted after the first page.
        if seen.len() == 2 {
            for id in &before[..3] {
                let deleted = server.admin().delete(&format!("/api/v4/projects/{id}"));
                assert_eq!(deleted.status, 202);
            }
        }
        next = page.link("next");
    }
    let expected: Vec<i64> = before
        .iter()
        .copied()
        .filter(|id| *id != before[2])
        .collect();
    assert_eq!(seen, expected);
}

/// PAGE-04, PAGE-05.
#[test]
fn another_order_is_refused_in_words() {
    let server = TestServer::start();
    let far = server
        .developer()
        .get("/api/v4/projects?page=501&per_page=100");
    let text = far.expect(405)["error"].to_string();
    assert!(text.contains("maximum allowed offset of 50000"), "{text}");
    let last = server
        .developer()
        .get("/api/v4/projects?page=500&per_page=100");
    last.assert_is(200, &json!([]));
    for order in ["name", "path", "created_at", "last_activity_at"] {
        let path = format!("/api/v4/projects?pagination=keyset&order_by={order}&sort=asc");
        let answer = server.developer().get(&path);
        let text =
            "Keyset pagination is not yet available for this type of request: send order_by=id";
        answer.assert_is(405, &json!({ "error": text }));
    }
}

/// PAGE-05.
#[test]
fn anonymous_callers_can_use_keyset_pagination() {
    let server = TestServer::start();
    for number in 0..3 {
        server.create_project(&format!("open/p{number}"), "public", "dev");
    }
    let path = "/api/v4/projects?pagination=keyset&order_by=id&sort=asc&per_page=1";
    let paths = column(&server.anonymous(), path, "path");
    assert_eq!(paths, ["p0", "p1", "p2"]);
}

/// PAGE-04.
#[test]
fn the_largest_offset_is_configurable_and_its_refusal_names_the_way_on() {
    let server = TestServer::start_configured("[paging]\nmax_offset = 40\n");
    let dev = server.developer();
    dev.get("/api/v4/projects?page=2&per_page=20").assert_ok();
    let refused = dev.get("/api/v4/projects?page=3&per_page=20");
    let text = refused.expect(405)["error"].as_str().unwrap().to_owned();
    assert!(
        text.contains("40") && text.contains("keyset pagination"),
        "{text}"
    );
    let unlimited = TestServer::start_configured("[paging]\nmax_offset = 0\n");
    let far = "/api/v4/projects?page=100000&per_page=100";
    unlimited.developer().get(far).assert_is(200, &json!([]));
}
