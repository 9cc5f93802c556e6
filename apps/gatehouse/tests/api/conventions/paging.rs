//! Offset pages.

use serde_json::json;

use crate::support::pages::{column, follow};
use crate::support::{TestResponse, TestServer};

/// The numbers in the headers of a response: page, size, next, previous, rows, pages.
fn numbers(answer: &TestResponse) -> [&str; 6] {
    [
        "x-page",
        "x-per-page",
        "x-next-page",
        "x-prev-page",
        "x-total",
        "x-total-pages",
    ]
    .map(|name| answer.header(name).unwrap())
}

/// A server with `count` more alerts.
fn server_with(count: usize) -> TestServer {
    let server = TestServer::start();
    for number in 0..count {
        server.raise(&json!({ "title": format!("Alert {number}") }));
    }
    server
}

/// PAGE-01, PAGE-02.
#[test]
fn odd_numbers_are_held_to_their_bounds() {
    let server = server_with(22);
    let get = |query: &str| {
        let path = format!("{}?{query}", server.alerts());
        server.developer().get(&path)
    };
    let cases = [
        ("", ["1", "20", "2", "", "25", "2"], 20),
        ("page=2", ["2", "20", "", "1", "25", "2"], 5),
        ("page=0", ["1", "20", "2", "", "25", "2"], 20),
        ("page=-4", ["1", "20", "2", "", "25", "2"], 20),
        ("page=&per_page=", ["1", "20", "2", "", "25", "2"], 20),
        ("per_page=-1", ["1", "20", "2", "", "25", "2"], 20),
        ("per_page=100", ["1", "100", "", "", "25", "1"], 25),
        ("per_page=101", ["1", "100", "", "", "25", "1"], 25),
        ("per_page=999999999", ["1", "100", "", "", "25", "1"], 25),
        ("per_page=25", ["1", "25", "", "", "25", "1"], 25),
        ("per_page=24&page=2", ["2", "24", "", "1", "25", "2"], 1),
        ("page=3", ["3", "20", "", "", "25", "2"], 0),
        ("page=7", ["7", "20", "", "", "25", "2"], 0),
    ];
    for (query, expected, rows) in cases {
        let answer = get(query);
        assert_eq!(numbers(&answer), expected, "{query}");
        assert_eq!(answer.list().len(), rows, "{query}");
    }
}

/// PAGE-01.
#[test]
fn numbers_that_are_none_are_refused_together() {
    let server = TestServer::start();
    for path in [
        "/api/v4/projects".to_owned(),
        server.alerts(),
        server.below_project("/events"),
        server.below_project("/alert_receipts"),
    ] {
        let wrong = server
            .developer()
            .get(&format!("{path}?page=abc&per_page=1.5"));
        let text = "page is invalid, per_page is invalid";
        wrong.assert_is(400, &json!({ "error": text }));
        let zero = server.developer().get(&format!("{path}?per_page=0"));
        let text = "per_page has a value not allowed";
        zero.assert_is(400, &json!({ "error": text }));
    }
}

/// PAGE-02. The links keep the other parameters and lead to every neighbour.
#[test]
fn page_links_point_to_prev_next_first_and_last() {
    let server = server_with(7);
    let query = "search=Alert&status[]=triggered&sort=asc";
    let page = |number: u8| {
        let base = format!("{}{}", server.base_url(), server.alerts());
        format!("<{base}?{query}&page={number}&per_page=2>")
    };
    let path = format!("{}?page=2&{query}&per_page=2", server.alerts());
    let answer = server.developer().get(&path);
    let relations = [(1, "prev"), (3, "next"), (1, "first"), (4, "last")];
    let links = relations.map(|(number, name)| format!("{}; rel=\"{name}\"", page(number)));
    assert_eq!(answer.header("link"), Some(links.join(", ").as_str()));
    assert_eq!(answer.header("links"), None);
    let first = server.developer().get(&answer.link("first").unwrap());
    assert_eq!(
        (first.link("prev"), first.header("x-page")),
        (None, Some("1"))
    );
    let last = server.developer().get(&answer.link("last").unwrap());
    assert_eq!((last.link("next"), last.list().len()), (None, 1));
    let previous = server.developer().get(&answer.link("prev").unwrap());
    assert_eq!(previous.expect(200), first.expect(200));
}

/// PAGE-02. Anyone who follows a link with a token in the query would write the token to logs and histories.
#[test]
fn the_links_carry_no_credentials() {
    let server = server_with(1);
    let token = server.text("/developer/token");
    for name in ["private_token", "access_token", "private%5Ftoken"] {
        let path = format!("{}?per_page=1&{name}={token}", server.alerts());
        let answer = server.anonymous().get(&path);
        assert_eq!(answer.status, 200, "{name}");
        let links = answer.header("link").unwrap();
        assert!(
            !links.contains(token) && links.contains("per_page=1"),
            "{links}"
        );
    }
}

/// PAGE-01, PAGE-02.
#[test]
fn an_empty_list_has_one_page() {
    let server = TestServer::start();
    let path = format!("{}?search=nothing", server.alerts());
    let answer = server.developer().get(&path);
    answer.assert_is(200, &json!([]));
    assert_eq!(numbers(&answer), ["1", "20", "", "", "0", "1"]);
}

/// PAGE-01, PAGE-02. From first to last, every row appears once, for any page size and order.
#[test]
fn following_the_links_visits_every_row_once() {
    let server = server_with(28);
    let expected: Vec<String> = (1..=31).map(|iid| iid.to_string()).collect();
    for size in [1, 2, 7, 30, 31, 100] {
        for order in ["created_at", "severity", "event_count", "updated_at"] {
            let path = format!("{}?per_page={size}&order_by={order}", server.alerts());
            let mut iids = column(&server.developer(), &path, "iid");
            iids.sort_by_key(|iid| iid.parse::<u32>().unwrap());
            assert_eq!(iids, expected, "{size} by {order}");
        }
    }
    let pages = follow(
        &server.developer(),
        &format!("{}?per_page=7", server.alerts()),
    );
    assert_eq!(pages.len(), 5);
    assert!(pages[1..].iter().all(|page| page.link("prev").is_some()));
}

/// PAGE-04.
#[test]
fn the_largest_offset_bounds_a_list_that_has_another_way_to_go_on() {
    let server = TestServer::start_configured("[paging]\nmax_offset = 60\n");
    let ask = |query: &str| server.developer().get(&format!("/api/v4/projects?{query}"));
    ask("page=3").assert_ok();
    let refused = ask("page=4");
    // RFC 9110, section 15.5.6.
    assert_eq!(refused.header("allow"), Some("OPTIONS, GET, HEAD"));
    let refused = refused.expect(405)["error"].to_string();
    assert!(
        refused.contains("maximum allowed offset of 60"),
        "{refused}"
    );
    assert!(refused.contains("keyset pagination"), "{refused}");
    assert_eq!(ask("page=9223372036854775807").status, 405);
    ask("pagination=keyset&order_by=id&sort=asc&id_after=60").assert_ok();
}

/// PAGE-04.
#[test]
fn a_list_that_has_offset_pages_alone_is_never_cut_short() {
    let server = TestServer::start_configured("[paging]\nmax_offset = 60\n");
    for path in ["/events", "/alert_receipts"] {
        let path = server.below_project(path);
        for page in ["4", "9223372036854775807"] {
            let answer = server.developer().get(&format!("{path}?page={page}"));
            assert_eq!(answer.expect(200), serde_json::json!([]), "{path} {page}");
        }
    }
}

/// PAGE-05. A client that requested keyset pages and got the first page by number would read that page forever.
#[test]
fn keyset_pagination_returns_405_on_lists_without_it() {
    let server = TestServer::start();
    let below = ["/events", "/alert_receipts"];
    let paths = below.map(|rest| server.below_project(rest));
    for path in paths
        .iter()
        .map(String::as_str)
        .chain(["/api/v4/applications"])
    {
        let answer = server.admin().get(&format!("{path}?pagination=keyset"));
        let text = "Keyset pagination is not yet available for this type of request: \
                    use page and per_page";
        answer.assert_is(405, &json!({ "error": text }));
        assert_eq!(answer.header("allow"), Some("OPTIONS, GET, HEAD"), "{path}");
    }
}
