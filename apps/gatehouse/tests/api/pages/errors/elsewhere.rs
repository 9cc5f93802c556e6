//! The pages of a project whose errors are in an external tracker (`ERR-06`).

use serde_json::json;

use super::{LIST, SETTINGS, page_of, submit_accepted, submit_refused, text};
use crate::support::browser::{TestBrowser, hidden};
use crate::support::fake_service::FakeService;
use crate::support::{TestResponse, TestServer};

/// A server that may connect to trackers on the loopback network.
fn connecting_server() -> TestServer {
    TestServer::start_configured("[errors]\nallowed_networks = \"127.0.0.0/8\"\n")
}

/// The fields of the form that sets a tracker.
fn tracker_fields<'a>(event: &'a str, address: &'a str, token: &'a str) -> [(&'a str, &'a str); 3] {
    [("event", event), ("api_url", address), ("token", token)]
}

/// Submits the form, and returns the response without following redirects.
fn submit_settings(browser: &mut TestBrowser, fields: &[(&str, &str)]) -> TestResponse {
    browser.submit(SETTINGS, SETTINGS, fields)
}

#[test]
fn a_tracker_is_connected_by_choosing_one_of_its_projects() {
    let (near, far) = (connecting_server(), TestServer::start());
    let (address, token) = (far.base_url(), far.text("/developer/token"));
    let mut admin = near.signed_in("admin");
    let offered = submit_settings(
        &mut admin,
        &tracker_fields("tracker_projects", address, token),
    );
    assert_eq!(offered.status, 200, "{}", offered.text());
    let page = offered.text();
    assert!(
        page.contains("The token that you entered is kept for this form."),
        "{page}"
    );
    assert!(!page.contains(token), "the token stands on the page");
    let chosen = format!("{address}/api/0/projects/acme/web-shop/ Web shop");
    assert!(
        page.contains(&format!("<option value=\"{chosen}\">")),
        "{page}"
    );
    assert!(!page.contains("does not exist at"), "{page}");
    let missing = format!("{address}/api/0/projects/acme/web-shops/");
    let offered = submit_settings(
        &mut admin,
        &tracker_fields("tracker_projects", &missing, token),
    );
    let words = format!(
        "The project acme/web-shops does not exist at {address}, or the token has no access to it"
    );
    assert!(offered.text().contains(&words), "{}", offered.text());
    let draft = hidden(&offered, "draft");
    let fields = [
        ("event", "tracker_save"),
        ("api_url", address),
        ("token", ""),
        ("draft", &draft),
        ("chosen", &chosen),
    ];
    let page = submit_accepted(&mut admin, SETTINGS, &fields);
    assert!(
        page.contains("Errors are now read from the external tracker."),
        "{page}"
    );
    assert!(
        page.contains("<bdi>Web shop</bdi> in an external tracker"),
        "{page}"
    );
    assert!(!page.contains(token), "the token stands on the page");
    let list = text(&mut admin, LIST);
    assert!(
        list.contains("PaymentError: order 8814 has no amount"),
        "{list}"
    );
    assert!(
        list.contains("Open in the tracker") && !list.contains("Assigned to"),
        "{list}"
    );
    // The same address keeps the token; another one needs a new token.
    submit_accepted(&mut admin, SETTINGS, &[("event", "switch_off")]);
    let same = format!("{address}/api/0/projects/acme/web-shop/");
    submit_accepted(
        &mut admin,
        SETTINGS,
        &tracker_fields("tracker_save", &same, ""),
    );
    let other = format!("{address}/api/0/projects/acme/api");
    let page = submit_refused(
        &mut admin,
        SETTINGS,
        &tracker_fields("tracker_save", &other, ""),
    );
    assert!(page.contains("It is a required field."), "{page}");
    // A draft for this tracker is not used for another one.
    let stolen = [
        ("event", "tracker_projects"),
        ("api_url", "http://127.0.0.2:9"),
        ("token", ""),
        ("draft", &draft),
    ];
    let page = submit_refused(&mut admin, SETTINGS, &stolen);
    assert!(page.contains("It is a required field."), "{page}");
}

#[test]
fn invalid_tracker_settings_are_rejected_with_field_errors() {
    let (server, fake) = (connecting_server(), FakeService::start());
    let mut admin = server.signed_in("admin");
    for (address, text) in [
        ("tracker", "It is invalid."),
        (
            "http://10.0.0.1/",
            "It is blocked: private and local addresses are not allowed.",
        ),
        ("", "It is a required field."),
    ] {
        for event in ["tracker_projects", "tracker_save"] {
            if event == "tracker_save" && address == "http://10.0.0.1/" {
                continue;
            }
            let page = submit_refused(&mut admin, SETTINGS, &tracker_fields(event, address, "x"));
            assert!(page.contains(text), "{event} {address}: {page}");
        }
    }
    fake.queue_response(401, "", b"{}");
    let fields = tracker_fields("tracker_projects", &fake.url(), "x")
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    let page = submit_refused(&mut admin, SETTINGS, &fields);
    assert!(
        page.contains("The tracker rejected the token: status code 401."),
        "{page}"
    );
    fake.json(&json!([]));
    let page = submit_refused(&mut admin, SETTINGS, &fields);
    assert!(
        page.contains("The token cannot see any project in this tracker."),
        "{page}"
    );
    // The page is for Maintainers.
    assert_eq!(server.signed_in("developer").open(SETTINGS).status, 404);
}

/// A server whose project reads its errors from another one, and a browser of its Developer.
fn connected_servers() -> (TestServer, TestServer, TestBrowser) {
    let (near, far) = (connecting_server(), TestServer::start());
    let body = json!({
        "api_url": format!("{}/api/0/projects/acme/web-shop", far.base_url()),
        "token": far.text("/developer/token"),
    });
    let path = near.below_project("/error_tracking/external_tracker");
    near.admin().put(&path, &body).expect(200);
    let developer = near.signed_in("developer");
    (near, far, developer)
}

#[test]
fn an_error_of_a_tracker_has_the_page_of_any_error() {
    let (near, far, mut developer) = connected_servers();
    let page = text(&mut developer, &page_of(3));
    for words in [
        "PaymentError: order 8814 has no amount",
        "Stack trace",
        "raise PaymentError(order) from error",
        "Breadcrumbs",
        "in 24 hours",
        "Open in the tracker",
        "Resolve, ignore, link",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    for words in [
        "Why these events are grouped",
        "Merge into error",
        "Assignee",
        "Delete the error",
    ] {
        assert!(!page.contains(words), "{words}");
    }
    let page = submit_accepted(&mut developer, &page_of(3), &[("event", "resolve")]);
    assert!(page.contains("Error resolved."), "{page}");
    assert_eq!(super::error(&far, 3)["status"], "resolved");
    let page = submit_accepted(&mut developer, &page_of(3), &[("event", "open_issue")]);
    let issues = near
        .developer()
        .get(&near.below_project("/issues?search=PaymentError"))
        .list();
    let linked = format!("/-/issues/{}\"", issues[0]["iid"]);
    assert!(page.contains(&linked), "{linked}: {page}");
    let description = issues[0]["description"].as_str().unwrap();
    assert!(
        description.contains(&format!("{}{}", near.base_url(), page_of(3))),
        "{description}"
    );
    for fields in [
        [("event", "assign"), ("username", "me")],
        [("event", "merge"), ("into", "2")],
        [("event", "link"), ("issue", "999")],
    ] {
        let page = submit_refused(&mut developer, &page_of(3), &fields);
        assert!(page.contains("role=\"alert\""), "{page}");
    }
    assert_eq!(developer.open(&page_of(999)).status, 404);
    assert_eq!(near.signed_in("reporter").open(&page_of(3)).status, 200);
}

#[test]
fn errors_that_are_chosen_in_the_list_are_changed_in_the_tracker() {
    let (_near, far, mut developer) = connected_servers();
    let fields = [
        ("event", "ignore"),
        ("iids[]", "3"),
        ("iids[]", "2"),
        ("iids[]", "999"),
    ];
    let page = submit_accepted(&mut developer, LIST, &fields);
    assert!(!page.contains("PaymentError"), "{page}");
    for iid in [3, 2] {
        assert_eq!(super::error(&far, iid)["status"], "ignored");
    }
    let page = text(
        &mut developer,
        &format!("{LIST}?status=ignored&order_by=users"),
    );
    assert!(page.contains("PaymentError"), "{page}");
    let page = text(&mut developer, &format!("{LIST}?status=all&per_page=2"));
    assert!(
        page.contains("rel=\"next\"") && page.contains("cursor=0%3A2%3A0"),
        "{page}"
    );
    let page = text(
        &mut developer,
        &format!("{LIST}?status=all&per_page=2&cursor=0:2:0"),
    );
    assert!(
        page.contains("rel=\"prev\"") && !page.contains("rel=\"next\""),
        "{page}"
    );
}

#[test]
fn tracker_failures_are_shown_with_their_cause_and_data_is_escaped() {
    let (server, fake) = (connecting_server(), FakeService::start());
    let api_url = format!("{}/api/0/projects/acme/shop", fake.url());
    let body = json!({ "api_url": api_url, "token": "x" });
    let path = server.below_project("/error_tracking/external_tracker");
    server.admin().put(&path, &body).expect(200);
    let mut developer = server.signed_in("developer");
    fake.queue_response(401, "", b"{}");
    let page = developer.open(LIST);
    assert_eq!(page.status, 502);
    let page = page.text();
    assert!(
        page.contains("The tracker rejected the token: status code 401."),
        "{page}"
    );
    assert!(page.contains("Errors are unavailable"), "{page}");
    fake.queue_response(500, "", b"{}");
    let page = developer.open(&page_of(7));
    assert_eq!(page.status, 502);
    let page = page.text();
    assert!(
        page.contains("The tracker failed: status code 500."),
        "{page}"
    );
    // Data of a tracker is text everywhere.
    fake.json(
        &json!([{"id": "7", "title": "<script>x</script>", "permalink": "javascript:alert(1)"}]),
    );
    let page = text(&mut developer, &format!("{LIST}?status=all"));
    assert!(
        page.contains("&#60;script&#62;") || page.contains("&lt;script&gt;"),
        "{page}"
    );
    assert!(!page.contains("<script>x"), "{page}");
}
