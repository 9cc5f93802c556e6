//! Contents of the pages, by the reader's role (`ERR-04`).

use serde_json::json;

use super::{LIST, SETTINGS, page_of, report_hostile, text};
use crate::support::{TestServer, rows};

/// Text that would be harmful as markup.
const HOSTILE: &str = "<script>x</script>\u{202e}\"'><img src=y onerror=z>";

#[test]
fn reporters_read_developers_change_and_maintainers_set_up() {
    let server = TestServer::start();
    let statistics = format!("{LIST}/statistics");
    let found = |person: &str| {
        let mut browser = server.signed_in(person);
        [LIST, &page_of(1), &statistics, SETTINGS].map(|path| browser.open(path).status)
    };
    assert_eq!(found("reporter"), [200, 200, 200, 404]);
    assert_eq!(found("developer"), [200, 200, 200, 404]);
    assert_eq!(found("admin"), [200; 4]);
    let mut reporter = server.signed_in("reporter");
    let page = text(&mut reporter, &page_of(1));
    assert!(!page.contains("Mark as resolved"), "{page}");
    let sent = reporter.submit(LIST, &page_of(1), &[("event", "resolve")]);
    assert_eq!(sent.status, 404);
    assert!(!text(&mut reporter, &statistics).contains("Received events by outcome"));
    let mut stranger = server.browser();
    assert_eq!(
        stranger.open(LIST).header("location"),
        Some(&*format!("/users/sign_in?return_to={LIST}"))
    );
}

#[test]
fn the_list_is_narrowed_and_ordered_by_its_address() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    let all = text(&mut developer, LIST);
    assert!(
        all.contains("PaymentError: order 8814 has no amount"),
        "{all}"
    );
    assert!(all.contains("24 events in 14 days"), "{all}");
    for (query, shown, hidden) in [
        ("level=warning", "stock of SKU-204", "PaymentError"),
        ("search=payment", "PaymentError", "stock of"),
        ("tags=browser:Firefox+128.0", "TypeError", "PaymentError"),
        (
            "release=web-shop@1.5.0&search=stock",
            "stock of",
            "TypeError",
        ),
    ] {
        let page = text(&mut developer, &format!("{LIST}?{query}"));
        assert!(
            page.contains(shown) && !page.contains(hidden),
            "{query}: {page}"
        );
        assert!(page.contains(">Clear</a>"), "{query}");
    }
    for (query, words) in [
        ("environment=nowhere", "No error matches"),
        ("seen=hour", "No error matches"),
        ("assigned=me", "No error matches"),
        ("status=resolved", "No errors here"),
    ] {
        let page = text(&mut developer, &format!("{LIST}?{query}"));
        assert!(page.contains(words), "{query}: {page}");
    }
    assert_eq!(developer.open(&format!("{LIST}?level=worse")).status, 400);
}

#[test]
fn an_error_is_shown_with_its_causes_and_its_events_in_turn() {
    let server = TestServer::start();
    let mut reporter = server.signed_in("reporter");
    let latest = text(&mut reporter, &page_of(3));
    let at = |page: &str, words: &str| {
        page.find(words)
            .unwrap_or_else(|| panic!("{words}: {page}"))
    };
    assert!(at(&latest, "raise PaymentError") < at(&latest, "Caused by"));
    assert!(at(&latest, "Caused by") < at(&latest, "amount_of"));
    assert!(at(&latest, ">pay<") < at(&latest, ">checkout<"));
    for words in [
        "1 library frame",
        "SELECT * FROM orders",
        "[Filtered]",
        "79%",
        "28 days",
    ] {
        at(&latest, words);
    }
    assert!(!latest.contains(">Next</a>"), "{latest}");
    let turned = text(&mut reporter, &format!("{}?order=oldest", page_of(3)));
    assert!(at(&turned, ">checkout<") < at(&turned, ">pay<"));
    let oldest = text(&mut reporter, &format!("{}?event=oldest", page_of(3)));
    assert!(oldest.contains("web-shop@1.4.2") && oldest.contains(">Next</a>"));
    assert!(!oldest.contains(">Previous</a>"), "{oldest}");
    for path in [
        page_of(99),
        format!("{}?event=none", page_of(3)),
        format!("{}?event={}", page_of(3), "a".repeat(32)),
    ] {
        assert_eq!(reporter.open(&path).status, 404, "{path}");
    }
}

/// Data of programs is text, on every page and at any length.
#[test]
fn event_data_is_escaped_and_page_size_is_bounded() {
    let server = TestServer::start();
    for harm in [HOSTILE.to_owned(), "x".repeat(10_000)] {
        report_hostile(&server, &harm).expect(200);
    }
    let mut admin = server.signed_in("admin");
    for iid in [4, 5] {
        let page = text(&mut admin, &page_of(iid));
        assert!(
            !page.contains("<script>x") && !page.contains("<img src=y"),
            "{page}"
        );
        assert!(page.len() < 60_000, "{}", page.len());
    }
    let list = text(&mut admin, LIST);
    assert!(
        list.contains("Hostile") && !list.contains("<img src=y"),
        "{list}"
    );
}

#[test]
fn an_error_without_stored_events_still_has_a_page() {
    let server = TestServer::start();
    rows::change(&server, "UPDATE error_events SET body = NULL");
    let mut reporter = server.signed_in("reporter");
    let page = text(&mut reporter, &page_of(1));
    assert!(
        page.contains("Events of this error are no longer stored"),
        "{page}"
    );
}

#[test]
fn sessions_show_how_releases_do() {
    let server = TestServer::start();
    let session = |status: &str, number: u32| {
        let session = json!({
            "sid": format!("{number:032x}"), "init": true, "status": status, "errors": 1,
            "started": "2026-11-20T10:00:00Z", "attrs": { "release": "web@2.0.0", "environment": "production" },
        });
        format!("{{}}\n{{\"type\":\"session\"}}\n{session}\n")
    };
    for (status, number) in [("exited", 1), ("exited", 2), ("crashed", 3), ("exited", 4)] {
        server
            .tracker()
            .envelope(session(status, number).as_bytes())
            .expect(200);
    }
    let mut admin = server.signed_in("admin");
    let page = text(&mut admin, &format!("{LIST}/statistics"));
    assert!(
        page.contains("web@2.0.0") && page.contains("75.00%"),
        "{page}"
    );
    assert!(page.contains("Received events by outcome"), "{page}");
}
