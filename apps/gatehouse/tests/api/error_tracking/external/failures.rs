//! Responses when an external tracker fails, and the number of requests to it.

use serde_json::{Value, json};

use super::{LOOPBACK, connect};
use crate::error_tracking::below;
use crate::support::TestServer;
use crate::support::fake_service::FakeService;

/// A server whose project reads its errors from a fake tracker.
fn start() -> (TestServer, FakeService) {
    let (server, fake) = (TestServer::start_configured(LOOPBACK), FakeService::start());
    connect(
        &server,
        &format!("{}/api/0/projects/acme/shop", fake.url()),
        "secret-1",
    );
    (server, fake)
}

/// An error as the tracker returns it.
fn issue(title: &str) -> Value {
    json!({"id": "7", "title": title, "status": "unresolved", "project": {"id": "1", "slug": "shop"}})
}

#[test]
fn each_failure_has_its_sentence() {
    let (server, fake) = start();
    let to = TestServer::start();
    let large = vec![b' '; 1024 * 1024 + 1];
    let moved = format!("Location: {}/api/v4/version\r\n", to.base_url());
    for (number, (status, headers, body, expected, text)) in [
        (
            302,
            moved.as_str(),
            &b""[..],
            502,
            "redirects to another address: redirects are not followed",
        ),
        (401, "", b"{}", 502, "rejected the token: status code 401"),
        (403, "", b"{}", 502, "rejected the token: status code 403"),
        (
            404,
            "",
            b"{}",
            502,
            "The project acme/shop does not exist at http://127.0.0.1:",
        ),
        (
            429,
            "",
            b"{}",
            502,
            "rate limit is exceeded: status code 429",
        ),
        (500, "", b"{}", 502, "The tracker failed: status code 500"),
        (200, "", b"<html>", 502, "is not the expected JSON"),
        (200, "", b"{\"detail\": 1}", 502, "is not the expected JSON"),
        (200, "", b"[{\"title\": \"x\"}]", 502, "missing keys: id"),
        (200, "", &large, 502, "too big: the limit is 1 MB"),
    ]
    .into_iter()
    .enumerate()
    {
        fake.queue_response(status, headers, body);
        // A different query each time, because failures are cached for a moment.
        let path = below(&server, &format!("/errors?search=word{number}"));
        let failed = server.reporter().get(&path).expect(expected);
        let message = failed["message"].as_str().unwrap();
        assert!(message.contains(text), "{message}");
    }
    assert_eq!(fake.requests().len(), 10);
    let request = fake.requests().remove(0);
    assert!(
        request.starts_with(
            "GET /api/0/projects/acme/shop/issues/?query=is%3Aunresolved+word0&limit=20 "
        ),
        "{request}"
    );
    let lower = request.to_ascii_lowercase();
    assert!(
        lower.contains("authorization: bearer secret-1\r\n"),
        "{request}"
    );
}

#[test]
fn an_unresponsive_or_unreachable_tracker_returns_504_or_502() {
    let (server, fake) = start();
    let path = below(&server, "/errors");
    let failed = server.reporter().get(&path).expect(504);
    assert!(
        failed["message"].as_str().unwrap().contains("timed out"),
        "{failed}"
    );
    // The tracker is not contacted again at once, and other requests are answered meanwhile.
    server.reporter().get(&path).expect(504);
    assert_eq!(fake.requests().len(), 1);
    let unreachable = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().to_string()
    };
    connect(
        &server,
        &format!("http://{unreachable}/api/0/projects/acme/shop"),
        "secret-2",
    );
    let failed = server.reporter().get(&path).expect(502);
    assert!(
        failed["message"]
            .as_str()
            .unwrap()
            .contains("No server responds"),
        "{failed}"
    );
    connect(
        &server,
        &format!("https://{}/api/0/projects/acme/shop", server.address()),
        "secret-2",
    );
    let failed = server.reporter().get(&path).expect(502);
    assert!(
        failed["message"]
            .as_str()
            .unwrap()
            .contains("TLS certificate is not trusted"),
        "{failed}"
    );
}

#[test]
fn tracker_responses_are_cached_until_something_changes() {
    let (server, fake) = start();
    let (list, one) = (below(&server, "/errors"), below(&server, "/errors/7"));
    let title = |path: &str| {
        let found = server.reporter().get(path).expect(200);
        let found = found.get(0).unwrap_or(&found);
        found["title"].clone()
    };
    fake.json(&json!([issue("First")]));
    assert_eq!(
        (title(&list), title(&list)),
        (json!("First"), json!("First"))
    );
    assert_eq!(fake.requests().len(), 1);
    // A change reads the error, sends the change, and reads it again; earlier reads are dropped from the cache.
    for title in ["First", "ignored", "Second"] {
        fake.json(&issue(title));
    }
    let ignored = server
        .developer()
        .put(&one, &json!({ "status": "ignored" }));
    assert_eq!(ignored.expect(200)["title"], "Second");
    let request = fake.requests().remove(2);
    assert!(request.starts_with("PUT /api/0/issues/7/ "), "{request}");
    assert!(
        request.ends_with("\r\n\r\n{\"status\":\"ignored\"}"),
        "{request}"
    );
    fake.json(&json!([issue("Third")]));
    assert_eq!(title(&list), "Third");
    // Reads with another token are dropped from the cache, too.
    let api_url = format!("{}/api/0/projects/acme/shop", fake.url());
    connect(&server, &api_url, "secret-2");
    fake.json(&json!([issue("Fourth")]));
    assert_eq!(
        (title(&list), title(&list)),
        (json!("Fourth"), json!("Fourth"))
    );
    assert_eq!(fake.requests().len(), 6);
    // An error of another project is not found, and is not changed.
    fake.json(&json!({"id": "8", "title": "x", "project": {"id": "2", "slug": "bank"}}));
    let other = below(&server, "/errors/8");
    server
        .developer()
        .put(&other, &json!({ "status": "ignored" }))
        .expect(404);
    assert_eq!(fake.requests().len(), 7);
}

#[test]
fn a_refused_change_changes_nothing_here() {
    let (server, fake) = start();
    let path = below(&server, "/errors/7");
    fake.json(&issue("First"));
    fake.queue_response(403, "", b"{}");
    let failed = server
        .developer()
        .put(&path, &json!({ "status": "resolved" }));
    assert!(
        failed.expect(502)["message"]
            .as_str()
            .unwrap()
            .contains("rejected the token")
    );
    let feed = server.below_project("/events?per_page=100");
    let feed = server.developer().get(&feed).list();
    assert!(feed.iter().all(|entry| entry["target_title"] != "First"));
}

#[test]
fn a_project_that_a_tracker_does_not_have_is_named() {
    let (server, fake) = start();
    let mut reporter = server.signed_in("reporter");
    fake.queue_response(404, "", b"{}");
    let list = reporter.open("/acme/web-shop/-/error_tracking").text();
    assert!(
        list.contains("The project acme/shop does not exist at http://127.0.0.1:"),
        "{list}"
    );
    fake.queue_response(404, "", b"{}");
    let path = below(&server, "/external_tracker/projects");
    let failed = server.admin().post(&path, &json!({})).expect(502);
    let message = failed["message"].as_str().unwrap();
    assert!(
        message.contains("No tracker API found at http://127.0.0.1:"),
        "{message}"
    );
}
