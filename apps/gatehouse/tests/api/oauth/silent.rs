//! Requests about pages: none, sign-in again, consent again, and the maximum age of a sign-in (OpenID Connect Core 1.0,
//! section 3.1.2.1).

use crate::oauth::authorize::sign_in_at;
use crate::oauth::keys::claims;
use crate::oauth::support::{Landing, OauthClient, OauthFixture, approve};
use crate::support::TestServer;
use crate::support::rows::change;

/// Makes every sign-in two hours older.
const HOURS_AGO: &str = "UPDATE sessions SET authenticated_at = authenticated_at - 7200000000";

/// D13. The application gets the error, and no page is shown.
#[test]
fn prompt_none_without_a_session_returns_login_required() {
    let server = TestServer::start();
    let client = OauthClient::web(&server);
    let request = client.authorization_request().with("prompt", "none");
    let answer = server.browser().open(&request.path());
    let landing = Landing::of(&answer);
    assert_eq!(landing.address, client.redirect_uri);
    assert_eq!(landing.get("error"), Some("login_required"));
    assert_eq!(landing.get("state"), Some("s-1"));
    assert_eq!(landing.get("iss"), Some(server.base_url()));
}

/// D13, lesson 8. Consent is needed first; afterwards the response comes without a page, but never for a public
/// application.
#[test]
fn prompt_none_without_consent_returns_consent_required() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request();
    let silent = request.clone().with("prompt", "none");
    assert_eq!(fixture.land(&silent).get("error"), Some("consent_required"));
    fixture.tokens("api");
    let code = Landing::of(&fixture.browser.open(&silent.path())).code();
    fixture
        .client
        .redemption(&code)
        .send(&fixture.server)
        .assert_ok();

    fixture.client = OauthClient::tool(&fixture.server);
    fixture.tokens("api");
    let silent = fixture
        .client
        .authorization_request()
        .with("prompt", "none");
    assert_eq!(fixture.land(&silent).get("error"), Some("consent_required"));
}

/// Lesson 29. Consent is looked up each time: a revoked one is not granted again without the user.
#[test]
fn prompt_none_after_revocation_returns_consent_required() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request();
    let tokens = fixture.tokens("api");
    let silent = request.with("prompt", "none");
    fixture.land(&silent).code();
    let revoke = fixture.client.form("x").with("token", &tokens.access);
    revoke.post(&fixture.server, "/oauth/revoke").assert_ok();
    let ended = "UPDATE oauth_grants SET revoked_at = created_at WHERE revoked_at IS NULL";
    change(&fixture.server, ended);
    assert_eq!(fixture.land(&silent).get("error"), Some("consent_required"));
}

/// Other values beside `none` are contradictory, and an empty value means nothing.
#[test]
fn invalid_prompt_and_max_age_values_are_refused() {
    let mut fixture = OauthFixture::web();
    for prompt in [
        "none login",
        "none consent",
        "consent none",
        "create",
        "NONE",
        "login,consent",
    ] {
        let request = fixture
            .client
            .authorization_request()
            .with("prompt", prompt);
        let landing = fixture.land(&request);
        assert_eq!(landing.get("error"), Some("invalid_request"), "{prompt}");
    }
    for max_age in ["-1", "1.5", "soon", "99999999999999999999"] {
        let request = fixture
            .client
            .authorization_request()
            .with("max_age", max_age);
        let landing = fixture.land(&request);
        assert_eq!(landing.get("error"), Some("invalid_request"), "{max_age}");
    }
}

/// D36. With `login` and `select_account` the user signs in again, and does not end up in a loop.
#[test]
fn prompt_login_and_select_account_require_a_new_sign_in() {
    let mut fixture = OauthFixture::web();
    fixture.tokens("api");
    for prompt in ["login", "select_account", "login consent"] {
        let request = fixture
            .client
            .authorization_request()
            .with("prompt", prompt);
        let led = fixture.browser.open(&request.path());
        assert_eq!(led.status, 303);
        let address = led.header("location").unwrap().to_owned();
        assert!(address.starts_with("/users/sign_in?"), "{address}");
        let back = sign_in_at(&fixture.server, &mut fixture.browser, &address);
        let back = back.header("location").unwrap().to_owned();
        let answer = fixture.browser.open(&back);
        let answer = if prompt.contains("consent") {
            assert_eq!(answer.status, 200, "asked again: {prompt}");
            approve(&mut fixture.browser, &answer)
        } else {
            answer
        };
        let landing = Landing::of(&answer);
        assert_eq!(landing.get("state"), Some("s-1"));
        fixture
            .client
            .redemption(&landing.code())
            .send(&fixture.server)
            .assert_ok();
    }
}

/// Leaving the sign-in page and opening the URL that it would redirect to is not a sign-in.
#[test]
fn opening_the_return_url_does_not_replace_reauthentication() {
    let mut fixture = OauthFixture::web();
    fixture.tokens("api");
    fixture.server.kill();
    change(&fixture.server, HOURS_AGO);
    fixture.server.restart();
    let request = fixture
        .client
        .authorization_request()
        .with("prompt", "login");
    let led = fixture.browser.open(&request.path());
    let (_, query) = led.header("location").unwrap().split_once('?').unwrap();
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    let (_, back) = pairs.find(|(name, _)| name == "return_to").unwrap();
    let answer = fixture.browser.open(&back);
    let led = answer.header("location").unwrap();
    assert!(led.starts_with("/users/sign_in?"), "{led}");
}

/// D13. A sign-in that is too old does not count, and `auth_time` is that of the new one.
#[test]
fn a_sign_in_that_is_too_old_is_done_again() {
    let mut fixture = OauthFixture::web();
    fixture.tokens("openid");
    let fresh = fixture
        .client
        .authorization_request()
        .with("scope", "openid")
        .with("max_age", "3600");
    fixture.land(&fresh).code();
    fixture.server.kill();
    change(&fixture.server, HOURS_AGO);
    fixture.server.restart();
    let landing = fixture.land(&fresh.clone().with("prompt", "none"));
    assert_eq!(landing.get("error"), Some("login_required"));
    let led = fixture.browser.open(&fresh.path());
    let address = led.header("location").unwrap().to_owned();
    assert!(address.starts_with("/users/sign_in?"), "{address}");
    let old = fixture
        .client
        .authorization_request()
        .with("scope", "openid")
        .with("max_age", "9000");
    let code = fixture.land(&old).code();
    let answer = fixture
        .client
        .redemption(&code)
        .send(&fixture.server)
        .expect(200);
    let claims = claims(answer["id_token"].as_str().unwrap());
    let age = claims["iat"].as_i64().unwrap() - claims["auth_time"].as_i64().unwrap();
    assert!((7200..9000).contains(&age), "{claims}");
    let back = sign_in_at(&fixture.server, &mut fixture.browser, &address);
    let code = Landing::of(&fixture.browser.open(back.header("location").unwrap())).code();
    let answer = fixture
        .client
        .redemption(&code)
        .send(&fixture.server)
        .expect(200);
    let claims = crate::oauth::keys::claims(answer["id_token"].as_str().unwrap());
    let age = claims["iat"].as_i64().unwrap() - claims["auth_time"].as_i64().unwrap();
    assert!((0..60).contains(&age), "{claims}");
}
