//! Authorization requests that are posted (OpenID Connect Core 1.0, section 3.1.2.1).

use crate::oauth::support::{AUTHORIZE, IssuedTokens, Landing, OauthFixture, approve};
use crate::support::TestResponse;
use crate::support::browser::form;

/// Posts a form as a page of another site does: the browser does not send our cookie with it.
fn posted_from_elsewhere(fixture: &OauthFixture, body: &str) -> TestResponse {
    fixture
        .server
        .anonymous()
        .with("Content-Type", "application/x-www-form-urlencoded")
        .with("Origin", "https://shop.example")
        .with("Sec-Fetch-Site", "cross-site")
        .with("Accept", "text/html")
        .send("POST", AUTHORIZE, body.as_bytes())
}

/// OAUTH-01. A form without a handle is an authorization request. It is redirected to a link with the same parameters.
#[test]
fn a_posted_request_goes_on_as_a_link() {
    let mut fixture = OauthFixture::web();
    let request = fixture
        .client
        .authorization_request()
        .with("state", "a b&c=d%20+\u{e9}");
    let answer = posted_from_elsewhere(&fixture, &request.encoded());
    assert_eq!(answer.status, 303, "{}", answer.text());
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let next = answer.header("location").unwrap().to_owned();
    let page = fixture.browser.open(&next);
    let landing = Landing::of(&approve(&mut fixture.browser, &page));
    assert_eq!(landing.get("state"), Some("a b&c=d%20+\u{e9}"));
    IssuedTokens::of(
        &fixture
            .client
            .redemption(&landing.code())
            .send(&fixture.server),
    );
}

/// Lesson 19. The redirect neither loses nor adds parameters, so a refused link is also refused as a form.
#[test]
fn requests_refused_as_a_link_are_also_refused_as_a_form() {
    let mut fixture = OauthFixture::web();
    let good = fixture.client.authorization_request().encoded();
    for more in ["&state=s-1", "&scope[]=api", "&nonce=%00", "&nonce=%ff"] {
        let answer = posted_from_elsewhere(&fixture, &format!("{good}{more}"));
        let next = answer.header("location").unwrap().to_owned();
        let page = fixture.browser.open(&next);
        super::address::assert_page(&page, "invalid_request");
    }
    let answer = posted_from_elsewhere(&fixture, "");
    assert_eq!(answer.header("location"), Some("/oauth/authorize?"));
    let long = format!("{good}&id_token_hint={}", "x".repeat(20_000));
    assert_eq!(posted_from_elsewhere(&fixture, &long).status, 414);
}

/// D11. Fields that only our own pages send do not appear in a URL, and have no effect without a handle.
#[test]
fn the_token_of_our_forms_stays_out_of_the_address() {
    let fixture = OauthFixture::web();
    let fields = [
        ("authenticity_token", "secret-1"),
        ("_method", "delete"),
        ("changed_user", "1"),
        ("client_id", "x"),
    ];
    let answer = posted_from_elsewhere(&fixture, &form(&fields));
    let address = answer.header("location").unwrap();
    assert_eq!(address, "/oauth/authorize?client_id=x");
}

/// D11. A form with a handle is the answer to a consent page, wherever it comes from, and must meet the rules of our
/// forms.
#[test]
fn a_cross_site_form_with_a_handle_is_refused() {
    let fixture = OauthFixture::web();
    for more in ["handle=x", "handle=", "handle=x&authenticity_token=y"] {
        let body = format!(
            "{}&{more}",
            fixture.client.authorization_request().encoded()
        );
        let answer = posted_from_elsewhere(&fixture, &body);
        assert_eq!((answer.status, answer.header("location")), (403, None));
    }
}
