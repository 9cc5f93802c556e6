//! Requests about pages: none, sign-in again, consent again, and the maximum age of a sign-in (OpenID Connect Core 1.0,
//! section 3.1.2.1).

use crate::oauth::authorize::sign_in_at;
use crate::oauth::keys::claims;
use crate::oauth::support::{Client, Landing, Stage, approve};
use crate::support::Server;
use crate::support::rows::change;

/// Makes every sign-in two hours older.
const HOURS_AGO: &str = "UPDATE sessions SET authenticated_at = authenticated_at - 7200000000";

/// D13. The application gets the error, and no page is shown.
#[test]
fn without_a_page_nobody_is_asked_to_sign_in() {
    let server = Server::start();
    let client = Client::web(&server);
    let request = client.asks().with("prompt", "none");
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
fn without_a_page_nobody_is_asked_for_consent() {
    let mut stage = Stage::web();
    let request = stage.client.asks();
    let silent = request.clone().with("prompt", "none");
    assert_eq!(stage.land(&silent).get("error"), Some("consent_required"));
    stage.tokens("api");
    let code = Landing::of(&stage.browser.open(&silent.path())).code();
    stage.client.redeems(&code).ask(&stage.server).assert_ok();

    stage.client = Client::tool(&stage.server);
    stage.tokens("api");
    let silent = stage.client.asks().with("prompt", "none");
    assert_eq!(stage.land(&silent).get("error"), Some("consent_required"));
}

/// Lesson 29. Consent is looked up each time: a revoked one is not granted again without the user.
#[test]
fn without_a_page_nothing_is_answered_that_was_taken_back() {
    let mut stage = Stage::web();
    let request = stage.client.asks();
    let tokens = stage.tokens("api");
    let silent = request.with("prompt", "none");
    stage.land(&silent).code();
    let revoke = stage.client.form("x").with("token", &tokens.access);
    revoke.post(&stage.server, "/oauth/revoke").assert_ok();
    let ended = "UPDATE oauth_grants SET revoked_at = created_at WHERE revoked_at IS NULL";
    change(&stage.server, ended);
    assert_eq!(stage.land(&silent).get("error"), Some("consent_required"));
}

/// Other values beside `none` are contradictory, and an empty value means nothing.
#[test]
fn a_prompt_that_makes_no_sense_is_refused() {
    let mut stage = Stage::web();
    for prompt in [
        "none login",
        "none consent",
        "consent none",
        "create",
        "NONE",
        "login,consent",
    ] {
        let request = stage.client.asks().with("prompt", prompt);
        let landing = stage.land(&request);
        assert_eq!(landing.get("error"), Some("invalid_request"), "{prompt}");
    }
    for max_age in ["-1", "1.5", "soon", "99999999999999999999"] {
        let request = stage.client.asks().with("max_age", max_age);
        let landing = stage.land(&request);
        assert_eq!(landing.get("error"), Some("invalid_request"), "{max_age}");
    }
}

/// D36. With `login` and `select_account` the user signs in again, and does not end up in a loop.
#[test]
fn a_user_who_is_signed_in_signs_in_again_when_asked_to() {
    let mut stage = Stage::web();
    stage.tokens("api");
    for prompt in ["login", "select_account", "login consent"] {
        let request = stage.client.asks().with("prompt", prompt);
        let led = stage.browser.open(&request.path());
        assert_eq!(led.status, 303);
        let address = led.header("location").unwrap().to_owned();
        assert!(address.starts_with("/users/sign_in?"), "{address}");
        let back = sign_in_at(&stage.server, &mut stage.browser, &address);
        let back = back.header("location").unwrap().to_owned();
        let answer = stage.browser.open(&back);
        let answer = if prompt.contains("consent") {
            assert_eq!(answer.status, 200, "asked again: {prompt}");
            approve(&mut stage.browser, &answer)
        } else {
            answer
        };
        let landing = Landing::of(&answer);
        assert_eq!(landing.get("state"), Some("s-1"));
        stage
            .client
            .redeems(&landing.code())
            .ask(&stage.server)
            .assert_ok();
    }
}

/// Leaving the sign-in page and opening the URL that it would redirect to is not a sign-in.
#[test]
fn nobody_gets_around_signing_in_again() {
    let mut stage = Stage::web();
    stage.tokens("api");
    stage.server.kill();
    change(&stage.server, HOURS_AGO);
    stage.server.restart();
    let request = stage.client.asks().with("prompt", "login");
    let led = stage.browser.open(&request.path());
    let (_, query) = led.header("location").unwrap().split_once('?').unwrap();
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    let (_, back) = pairs.find(|(name, _)| name == "return_to").unwrap();
    let answer = stage.browser.open(&back);
    let led = answer.header("location").unwrap();
    assert!(led.starts_with("/users/sign_in?"), "{led}");
}

/// D13. A sign-in that is too old does not count, and `auth_time` is that of the new one.
#[test]
fn a_sign_in_that_is_too_old_is_done_again() {
    let mut stage = Stage::web();
    stage.tokens("openid");
    let fresh = stage
        .client
        .asks()
        .with("scope", "openid")
        .with("max_age", "3600");
    stage.land(&fresh).code();
    stage.server.kill();
    change(&stage.server, HOURS_AGO);
    stage.server.restart();
    let landing = stage.land(&fresh.clone().with("prompt", "none"));
    assert_eq!(landing.get("error"), Some("login_required"));
    let led = stage.browser.open(&fresh.path());
    let address = led.header("location").unwrap().to_owned();
    assert!(address.starts_with("/users/sign_in?"), "{address}");
    let old = stage
        .client
        .asks()
        .with("scope", "openid")
        .with("max_age", "9000");
    let code = stage.land(&old).code();
    let answer = stage.client.redeems(&code).ask(&stage.server).expect(200);
    let claims = claims(answer["id_token"].as_str().unwrap());
    let age = claims["iat"].as_i64().unwrap() - claims["auth_time"].as_i64().unwrap();
    assert!((7200..9000).contains(&age), "{claims}");
    let back = sign_in_at(&stage.server, &mut stage.browser, &address);
    let code = Landing::of(&stage.browser.open(back.header("location").unwrap())).code();
    let answer = stage.client.redeems(&code).ask(&stage.server).expect(200);
    let claims = crate::oauth::keys::claims(answer["id_token"].as_str().unwrap());
    let age = claims["iat"].as_i64().unwrap() - claims["auth_time"].as_i64().unwrap();
    assert!((0..60).contains(&age), "{claims}");
}
