//! `/api/v4/projects/:id/events`: filters and order.

use serde_json::json;

use crate::support::pages::column;
use crate::support::{TestCaller, TestServer, rows};

/// A server whose feed, oldest first, has a project created on 9 May 2024, an alert opened in the last microsecond of
/// 10 May, one opened in the first of 11 May, and one opened and closed on 12 May. It has no entries of errors.
fn server_with_days() -> TestServer {
    let server = TestServer::start();
    let days = [
        (1, "2024-05-09 12:00:00", 0),
        (2, "2024-05-10 23:59:59", 999_999),
        (3, "2024-05-11 00:00:00", 0),
        (4, "2024-05-12 12:00:00", 0),
        (5, "2024-05-12 12:00:00", 1),
    ];
    let statements = days.map(|(id, second, micros)| {
        format!(
            "UPDATE events SET created_at = CAST(strftime('%s', '{second}') AS INTEGER) * 1000000 + {micros} WHERE id = {id}"
        )
    });
    rows::change(&server, "DELETE FROM events WHERE id > 5");
    rows::change(&server, &statements.join("; "));
    server
}

fn ids(caller: &TestCaller, server: &TestServer, query: &str) -> String {
    let path = server.below_project(&format!("/events?{query}"));
    column(caller, &path, "id").concat()
}

/// EVT-04. Both bounds are exclusive: entries of the named day itself are never listed.
#[test]
fn days_bound_the_feed_from_outside() {
    let server = server_with_days();
    let dev = server.developer();
    let cases = [
        ("before=2024-05-11", "21"),
        ("before=2024-05-10", "1"),
        ("before=2024-05-09", ""),
        ("after=2024-05-09", "5432"),
        ("after=2024-05-10", "543"),
        ("after=2024-05-11", "54"),
        ("after=2024-05-12", ""),
        ("after=2024-05-09&before=2024-05-12", "32"),
        ("after=2024-05-12&before=2024-05-09", ""),
        ("before=2024-05-11&sort=asc", "12"),
    ];
    for (query, expected) in cases {
        assert_eq!(ids(&dev, &server, query), expected, "{query}");
    }
}

/// EVT-04.
#[test]
fn actions_and_kinds_of_targets_are_filtered_in_lower_case_words() {
    let server = TestServer::start();
    let dev = server.developer();
    let cases = [
        ("", "87654321"),
        ("sort=desc", "87654321"),
        ("sort=asc", "12345678"),
        ("action=closed", "8"),
        ("action=created", "7654321"),
        ("action=merged", ""),
        ("target_type=alert", "8765"),
        ("target_type=issue", ""),
        ("target_type=error", "432"),
        ("target_type=alert&action=created&sort=asc", "567"),
    ];
    for (query, expected) in cases {
        assert_eq!(ids(&dev, &server, query), expected, "{query}");
    }
}

/// EVT-04.
#[test]
fn every_filter_word_of_the_api_is_known() {
    let server = TestServer::start();
    for kind in [
        "issue",
        "milestone",
        "merge_request",
        "note",
        "project",
        "snippet",
        "user",
    ] {
        let path = server.below_project(&format!("/events?target_type={kind}"));
        server.developer().get(&path).assert_ok();
    }
}

/// EVT-04.
#[test]
fn wrong_filters_are_reported_together() {
    let server = TestServer::start();
    let query = "action=Closed&target_type=epic&before=yesterday&after=2024-02-30&sort=newest";
    let path = server.below_project(&format!("/events?{query}"));
    let problems = [
        "action does not have a valid value",
        "target_type does not have a valid value",
        "before is invalid",
        "after is invalid",
        "sort does not have a valid value",
    ];
    let answer = server.developer().get(&path);
    answer.assert_is(400, &json!({ "error": problems.join(", ") }));
}

/// PAGE-01, EVT-02. Following the links visits every entry once, in both orders.
#[test]
fn the_whole_feed_is_read_page_by_page() {
    let server = TestServer::start();
    for number in 0..40 {
        server.raise(&json!({ "title": format!("Alert {number}") }));
    }
    let dev = server.developer();
    let read = |query: &str| column(&dev, &server.below_project(query), "id");
    let upwards = read("/events?sort=asc&per_page=7");
    let expected: Vec<String> = (1..=48).map(|id| id.to_string()).collect();
    assert_eq!(upwards, expected);
    let mut downwards = read("/events?per_page=100");
    downwards.reverse();
    assert_eq!(downwards, expected);
}
