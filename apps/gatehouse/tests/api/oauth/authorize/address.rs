//! Redirects of responses: none before the application and its redirect URI are verified.

use crate::oauth::support::{Landing, OauthClient, OauthFixture};
use crate::support::{TestResponse, TestServer};

/// Asserts an error that is shown only to the user, because no application is known to be concerned.
#[track_caller]
pub(super) fn assert_page(answer: &TestResponse, code: &str) {
    assert_eq!(answer.status, 400, "{}", answer.text());
    assert_eq!(answer.header("location"), None);
    let text = answer.text();
    assert!(text.contains("This sign-in request is not valid"), "{text}");
    // The instructions for users come first; the code for developers is separate.
    let (sentence, details) = text.split_once("id=\"details\"").unwrap();
    assert!(details.contains(&format!("<code>{code}</code>")), "{text}");
    assert!(
        sentence.contains("role=\"alert\"") && !sentence.contains(code),
        "{text}"
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

/// D1, lessons 15 and 17. A single different byte makes another URI: nothing is folded, decoded or completed.
#[test]
fn another_address_than_the_registered_bytes_is_reported_to_the_user_only() {
    let server = TestServer::start();
    let registered = "https://shop.example/cb?keep=1";
    let mut fixture = OauthFixture::of(server, |server| {
        OauthClient::register(server, registered, &[])
    });
    for other in [
        "https://shop.example/CB?keep=1",
        "https://SHOP.example/cb?keep=1",
        "HTTPS://shop.example/cb?keep=1",
        "https://shop.example/cb/?keep=1",
        "https://shop.example/cb",
        "https://shop.example/cb?keep=2",
        "https://shop.example/cb?keep=1&more=2",
        "https://shop.example/cb?keep=%31",
        "https://shop.example/%63b?keep=1",
        "https://shop.example/x/../cb?keep=1",
        "https://shop.example:443/cb?keep=1",
        "https://user@shop.example/cb?keep=1",
        "https://shop.example/cb?keep=1#",
        "https://shop.example/cb?keep=1#x",
        "http://shop.example/cb?keep=1",
        "https://shop.example.evil.example/cb?keep=1",
        "https://evil.example/cb?keep=1",
        "https://\u{17f}hop.example/cb?keep=1",
        "//shop.example/cb?keep=1",
        "/cb?keep=1",
        " https://shop.example/cb?keep=1",
        "https://shop.example/cb?keep=1\n",
        "javascript:alert(1)",
    ] {
        let request = fixture
            .client
            .authorization_request()
            .with("redirect_uri", other);
        assert_page(
            &fixture.browser.open(&request.path()),
            "invalid_redirect_uri",
        );
    }
    let request = fixture.client.authorization_request();
    assert_eq!(fixture.land(&request).get("keep"), Some("1"));
}

/// D3, lesson 21. Whatever else is wrong with the request, and whether or not a user is signed in.
#[test]
fn an_unknown_application_is_never_sent_anywhere() {
    let OauthFixture {
        server,
        browser,
        client,
    } = OauthFixture::web();
    let unknown = "0".repeat(64);
    for mut browser in [server.browser(), browser] {
        for (id, code) in [
            (unknown.as_str(), "invalid_client"),
            ("../../etc/passwd", "invalid_client"),
            (&"x".repeat(3000), "invalid_client"),
            ("", "invalid_request"),
        ] {
            let request = client.authorization_request().with("client_id", id);
            assert_page(&browser.open(&request.path()), code);
            let request = request
                .with("response_type", "token")
                .with("prompt", "none");
            assert_page(&browser.open(&request.path()), code);
        }
        let request = client.authorization_request().without("client_id");
        assert_page(&browser.open(&request.path()), "invalid_request");
    }
}

/// D3, lesson 21. The redirect URI is validated before anything that an application could learn.
#[test]
fn errors_are_never_redirected_to_an_unregistered_uri() {
    let mut fixture = OauthFixture::web();
    let evil = fixture
        .client
        .authorization_request()
        .with("redirect_uri", "https://evil.example/cb");
    for request in [
        evil.clone().with("response_type", "token"),
        evil.clone().without("response_type"),
        evil.clone().with("scope", "mystery"),
        evil.clone().with("prompt", "none"),
        evil.clone().with("code_challenge_method", "plain"),
        evil.clone().with("request", "x.y.z"),
    ] {
        assert_page(
            &fixture.browser.open(&request.path()),
            "invalid_redirect_uri",
        );
    }
}

/// D3. An application with a single redirect URI must also send it.
#[test]
fn an_address_is_never_guessed() {
    let mut fixture = OauthFixture::web();
    for request in [
        fixture
            .client
            .authorization_request()
            .without("redirect_uri"),
        fixture
            .client
            .authorization_request()
            .with("redirect_uri", ""),
    ] {
        assert_page(&fixture.browser.open(&request.path()), "invalid_request");
    }
}

/// OAUTH-12. Each of several registered redirect URIs is as good as the first.
#[test]
fn every_registered_redirect_uri_is_accepted() {
    let server = TestServer::start();
    let second = ["--redirect-uri", "https://shop.example/second"];
    let mut fixture = OauthFixture::of(server, |server| {
        OauthClient::register(server, "https://shop.example/first", &second)
    });
    for address in ["https://shop.example/first", "https://shop.example/second"] {
        let request = fixture.client.at(address).authorization_request();
        assert_eq!(fixture.land(&request).address, address);
    }
}

/// Lesson 34. The application's own query is kept unchanged, including names without values.
#[test]
fn the_applications_own_query_stays_as_it_was_registered() {
    let server = TestServer::start();
    let address = "https://shop.example/cb?b=%2f&empty=&flag";
    let mut fixture =
        OauthFixture::of(server, |server| OauthClient::register(server, address, &[]));
    let request = fixture.client.authorization_request();
    let answer = fixture.browser.open(&request.path());
    let answer = crate::oauth::support::approve(&mut fixture.browser, &answer);
    let location = answer.header("location").unwrap();
    assert!(
        location.starts_with(&format!("{address}&code=")),
        "{location}"
    );
    assert_eq!(Landing::of(&answer).get("state"), Some("s-1"));
}
