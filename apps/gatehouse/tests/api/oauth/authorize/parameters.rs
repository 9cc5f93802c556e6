//! Parameters of an authorization request: refusals, and where they are reported.

use super::address::assert_page;
use crate::oauth::support::{AUTHORIZE, Landing, OauthClient, OauthFixture, OauthRequest};
use crate::support::TestServer;
use crate::support::wire::Wire;

#[track_caller]
fn assert_reports(fixture: &mut OauthFixture, request: &OauthRequest, error: &str) {
    let landing = Landing::of(&fixture.browser.open(&request.path()));
    assert_eq!(landing.get("error"), Some(error), "{landing:?}");
    assert_eq!(landing.get("code"), None);
}

/// D12, lesson 19. Even with the same value twice: it is unknown which of the two another reader uses.
#[test]
fn a_parameter_that_comes_twice_is_answered_to_nobody() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request().with_challenge();
    let request = request
        .with("nonce", "n")
        .with("prompt", "consent")
        .with("max_age", "9000");
    for (name, value) in [
        ("client_id", fixture.client.id.clone()),
        ("redirect_uri", fixture.client.redirect_uri.clone()),
        ("redirect_uri", "https://evil.example/".to_owned()),
        ("response_type", "code".to_owned()),
        ("scope", "api".to_owned()),
        ("state", "s-1".to_owned()),
        ("state", String::new()),
        ("nonce", "n".to_owned()),
        ("prompt", "none".to_owned()),
        ("max_age", "9000".to_owned()),
        ("code_challenge", "x".to_owned()),
        ("code_challenge_method", "plain".to_owned()),
    ] {
        let twice = request.clone().and(name, &value);
        assert_page(&fixture.browser.open(&twice.path()), "invalid_request");
    }
}

/// D12. A missing or unsupported response type is reported to the application.
#[test]
fn the_response_type_must_be_code() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request();
    assert_reports(
        &mut fixture,
        &request.clone().without("response_type"),
        "invalid_request",
    );
    assert_reports(
        &mut fixture,
        &request.clone().with("response_type", ""),
        "invalid_request",
    );
    let other = request.with("response_type", "token");
    assert_reports(&mut fixture, &other, "unsupported_response_type");
}

/// Lesson 26. The response is sent only in the query or in a form.
#[test]
fn a_response_mode_is_query_or_form_post() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request();
    for mode in ["fragment", "web_message", "query.jwt", "QUERY"] {
        let request = request.clone().with("response_mode", mode);
        assert_reports(&mut fixture, &request, "invalid_request");
    }
    let request = request.with("response_mode", "query");
    fixture.land(&request).code();
}

/// OpenID Connect Core 1.0, section 6: signed requests are refused with their own error codes.
#[test]
fn signed_requests_are_refused_and_not_passed_over() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request();
    for (name, error) in [
        ("request", "request_not_supported"),
        ("request_uri", "request_uri_not_supported"),
    ] {
        assert_reports(
            &mut fixture,
            &request.clone().with(name, "https://a.example/"),
            error,
        );
    }
}

/// OAUTH-12. The registered scopes bound the request. An unknown word is not a scope: alone it is refused, and beside
/// known scopes it is ignored.
#[test]
fn scopes_beyond_the_registered_ones_are_refused() {
    let server = TestServer::start();
    let scopes = ["--scopes", "read_user,openid"];
    let mut fixture = OauthFixture::of(server, |server| {
        OauthClient::register(server, "https://shop.example/cb", &scopes)
    });
    let request = fixture.client.authorization_request();
    for scope in [
        "api",
        "read_user api",
        "sudo",
        "mystery",
        "READ_USER",
        "read_user,openid",
        "read_user\topenid",
        "read_user\nopenid",
        "read_user\u{a0}openid",
        " ",
        "\"read_user\"",
    ] {
        assert_reports(
            &mut fixture,
            &request.clone().with("scope", scope),
            "invalid_scope",
        );
    }
    // The default scope is `api`, which this application does not have.
    assert_reports(
        &mut fixture,
        &request.clone().without("scope"),
        "invalid_scope",
    );
    let code = fixture
        .land(&request.with("scope", "openid  mystery read_user openid"))
        .code();
    let answer = fixture
        .client
        .redemption(&code)
        .send(&fixture.server)
        .expect(200);
    assert_eq!(answer["scope"], "openid read_user");
}

/// OAUTH-12 (OpenID Connect Core 1.0, section 11). Clients request this scope to get a refresh token; here every code
/// gives one, so it is ignored beside known scopes, including in a refresh. Alone it is not a scope.
#[test]
fn offline_access_beside_known_scopes_is_passed_over() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request();
    let code = fixture
        .land(&request.clone().with("scope", "openid offline_access email"))
        .code();
    let answer = fixture
        .client
        .redemption(&code)
        .send(&fixture.server)
        .expect(200);
    assert_eq!(answer["scope"], "email openid");
    let refresh_request = fixture
        .client
        .refresh_request(answer["refresh_token"].as_str().unwrap());
    let next = refresh_request.with("scope", "openid offline_access email");
    assert_eq!(
        next.send(&fixture.server).expect(200)["scope"],
        "email openid"
    );
    let alone = request.with("scope", "offline_access");
    assert_reports(&mut fixture, &alone, "invalid_scope");
}

/// OAUTH-01. Existing clients that send no scope expect access to the whole API.
#[test]
fn without_a_scope_the_whole_api_is_meant() {
    let mut fixture = OauthFixture::web();
    for request in [
        fixture.client.authorization_request().without("scope"),
        fixture.client.authorization_request().with("scope", ""),
    ] {
        let code = fixture.land(&request).code();
        let answer = fixture
            .client
            .redemption(&code)
            .send(&fixture.server)
            .expect(200);
        assert_eq!(answer["scope"], "api");
    }
}

/// RFC 6749, section 3.1: unknown parameters are ignored.
#[test]
fn unknown_parameters_change_nothing() {
    let mut fixture = OauthFixture::web();
    let request = fixture
        .client
        .authorization_request()
        .with("resource", "https://a.example/")
        .and("resource", "https://b.example/")
        .with("access_type", "offline");
    let landing = fixture.land(&request);
    assert_eq!(landing.get("resource"), None);
    landing.code();
}

/// Lesson 23, D10, D12. Values that a decoder cannot read are reported only to the user, and are never a server error:
/// a list, bytes that are not text, and a NUL, which one of the two databases could not store.
#[test]
fn unreadable_parameters_are_reported_only_to_the_user() {
    assert_unreadable(&OauthFixture::web());
    if let Some(database) = crate::database::database() {
        let server = crate::database::server_on(&database);
        assert_unreadable(&OauthFixture::of(server, OauthClient::web));
    }
}

#[track_caller]
fn assert_unreadable(fixture: &OauthFixture) {
    let request = fixture
        .client
        .authorization_request()
        .without("state")
        .without("scope");
    let cookie = format!("_service_session={}", fixture.browser.session());
    let open = |query: &str| {
        let mut wire = Wire::open(&fixture.server);
        let headers = [("Cookie", &*cookie), ("Accept", "text/html")];
        wire.send_head(&format!("GET {AUTHORIZE}?{query}"), &headers);
        wire.read_response()
    };
    assert_eq!(open(&request.encoded()).status, 200);
    for more in [
        "scope[]=read_user",
        "scope%5B%5D=read_user",
        "state[a]=b",
        "code_challenge[]=x",
        "scope=%00",
        "scope=api%00",
        "scope=%ff%fe",
        "state=%00",
        "state=a%00b",
        "state=%ff",
        "nonce=%00&scope=openid",
        "nonce=%c3%28&scope=openid",
        "prompt=%00",
        "max_age=%00",
        "response_mode=%ff",
    ] {
        assert_page(
            &open(&format!("{}&{more}", request.encoded())),
            "invalid_request",
        );
    }
    for query in [
        "",
        "%",
        "%zz",
        "&&&&",
        "=",
        "client_id",
        "client_id=%00&redirect_uri=%00",
        "client_id=%ff&redirect_uri=%ff",
        "client_id[]=a&redirect_uri[]=b",
    ] {
        assert_page(&open(query), "invalid_request");
    }
}

/// Lesson 23. A value that is too long to store is not sent back either.
#[test]
fn oversized_state_nonce_and_scope_are_refused() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request();
    let limit = "x".repeat(4096);
    let longer = "x".repeat(4097);
    let landing = fixture.land(&request.clone().with("state", &limit).with("nonce", &limit));
    assert_eq!(landing.get("state"), Some(&*limit));
    for name in ["state", "nonce"] {
        let landing = fixture.land(&request.clone().with(name, &longer));
        assert_eq!(landing.get("error"), Some("invalid_request"));
    }
    let scope = "x".repeat(8000);
    assert_reports(
        &mut fixture,
        &request.clone().with("scope", &scope),
        "invalid_scope",
    );
    let whole = request.with("state", &"x".repeat(20_000));
    assert_eq!(fixture.browser.open(&whole.path()).status, 414);
}
