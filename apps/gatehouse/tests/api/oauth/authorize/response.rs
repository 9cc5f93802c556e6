//! The response to the application, and the redirect of the browser.

use crate::oauth::support::{Landing, OauthFixture, approve, deny};
use crate::support::TestResponse;

/// Asserts that a redirect to an application may not be stored, and does not reveal the user's previous page to another
/// site.
#[track_caller]
fn assert_travels_once(answer: &TestResponse) {
    assert_eq!(answer.status, 303);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert!(answer.body.is_empty(), "{}", answer.text());
}

/// OAUTH-01, D8, D9, lesson 22. The code, the application's state, and the issuer; each once.
#[test]
fn the_application_is_reported_the_code_its_state_and_who_answers() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request();
    let page = fixture.browser.open(&request.path());
    let answer = approve(&mut fixture.browser, &page);
    assert_travels_once(&answer);
    let landing = Landing::of(&answer);
    assert_eq!(landing.address, fixture.client.redirect_uri);
    let names: Vec<&str> = landing
        .response
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["code", "state", "iss"]);
    assert_eq!(landing.get("state"), Some("s-1"));
    assert_eq!(landing.get("iss"), Some(fixture.server.base_url()));
}

/// D8, D9, lesson 22. An error response also names the issuer (RFC 9207, section 2).
#[test]
fn a_refusal_is_reported_with_its_state_and_who_refuses() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request();
    let page = fixture.browser.open(&request.path());
    let by_user = deny(&mut fixture.browser, &page);
    let request = fixture
        .client
        .authorization_request()
        .with("scope", "mystery");
    let by_server = fixture.browser.open(&request.path());
    for (answer, error) in [(by_user, "access_denied"), (by_server, "invalid_scope")] {
        assert_travels_once(&answer);
        let landing = Landing::of(&answer);
        assert_eq!(landing.address, fixture.client.redirect_uri);
        let names: Vec<&str> = landing
            .response
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, ["error", "error_description", "state", "iss"]);
        assert_eq!(landing.get("error"), Some(error));
        assert_eq!(landing.get("state"), Some("s-1"));
        assert_eq!(landing.get("iss"), Some(fixture.server.base_url()));
    }
}

/// D10. Two kibibytes of all characters that a query can carry, after a success and after a refusal.
#[test]
fn the_state_comes_back_byte_for_byte() {
    let mut fixture = OauthFixture::web();
    let everything = "a b&c=d%20+\u{e9}\r\n\t\u{1f600}\"<>'\\";
    let mut sent = everything.repeat(2048 / everything.len() + 1);
    while !sent.is_char_boundary(2048) {
        sent.insert(0, 'x');
    }
    sent.truncate(2048);
    let request = fixture.client.authorization_request().with("state", &sent);
    assert_eq!(fixture.land(&request).get("state"), Some(&*sent));
    let refused = request.with("response_type", "token");
    assert_eq!(fixture.land(&refused).get("state"), Some(&*sent));
}

/// D10. Without a state none is returned, and an empty one counts as none (RFC 6749, section 3.1).
#[test]
fn no_state_is_returned_if_none_was_sent() {
    let mut fixture = OauthFixture::web();
    for request in [
        fixture.client.authorization_request().without("state"),
        fixture.client.authorization_request().with("state", ""),
    ] {
        assert_eq!(fixture.land(&request).get("state"), None);
        let refused = request.with("scope", "mystery");
        assert_eq!(fixture.land(&refused).get("state"), None);
    }
}

/// D7, D34. 24 random bytes and a checksum after the time: two codes share only the prefix and the time.
#[test]
fn codes_are_long_and_never_the_same() {
    let mut fixture = OauthFixture::web();
    let codes: Vec<String> = (0..5).map(|_| fixture.code()).collect();
    for (place, code) in codes.iter().enumerate() {
        let (head, random) = code.split_once('.').unwrap();
        assert!(head.starts_with("ghoc_") && head.len() == 5 + 8, "{code}");
        assert_eq!(random.len(), 32 + 6, "{code}");
        let url_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        assert!((head.bytes().chain(random.bytes())).all(url_safe), "{code}");
        let shares = |other: &String| other[14..30] == random[..16];
        assert!(!codes[..place].iter().any(shares), "{codes:?}");
    }
}

/// Lesson 26. Whatever response type is requested, no token appears in a URL.
#[test]
fn no_token_ever_travels_in_an_address() {
    let mut fixture = OauthFixture::web();
    for response_type in [
        "token",
        "id_token",
        "id_token token",
        "code token",
        "code id_token",
        "code id_token token",
        "none",
        "CODE",
        "code code",
    ] {
        let request = fixture
            .client
            .authorization_request()
            .with("response_type", response_type)
            .with("scope", "openid")
            .with("nonce", "n");
        let answer = fixture.browser.open(&request.path());
        let location = answer.header("location").unwrap();
        assert!(!location.contains('#'), "{location}");
        let landing = Landing::of(&answer);
        let error = landing.get("error");
        assert_eq!(error, Some("unsupported_response_type"), "{response_type}");
        assert_eq!(landing.get("code"), None);
        assert!(!location.contains("token="), "{location}");
    }
}

/// OAUTH-01. A code without a redirect URI is shown to the user, on a page that does not reveal it to others.
#[test]
fn a_code_is_shown_where_no_browser_can_be_sent() {
    let mut fixture = OauthFixture::web();
    let out_of_band = "urn:ietf:wg:oauth:2.0:oob";
    fixture.client =
        crate::oauth::support::OauthClient::register(&fixture.server, out_of_band, &[]);
    let request = fixture.client.authorization_request();
    let page = fixture.browser.open(&request.path());
    let landing = Landing::of(&approve(&mut fixture.browser, &page));
    assert_eq!(landing.address, "/oauth/authorize/native");
    let code = landing.code();
    let shown = fixture
        .browser
        .open(&format!("/oauth/authorize/native?code={code}"));
    assert_eq!(shown.status, 200);
    assert!(shown.text().contains(&code));
    assert_eq!(shown.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(shown.header("cache-control"), Some("no-store"));
    fixture
        .client
        .redemption(&code)
        .send(&fixture.server)
        .assert_ok();
}
