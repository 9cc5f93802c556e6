//! Options of an application: responses in a form and without an issuer, reduced scopes, groups, and lifetimes of
//! tokens.

use serde_json::{Value, json};

use crate::oauth::keys::claims;
use crate::oauth::support::{IssuedTokens, Landing, OauthClient, OauthFixture, approve, deny};
use crate::support::browser::hidden;
use crate::support::{TestCaller, TestResponse, TestServer};

const ADDRESS: &str = "https://shop.example/cb?a=%2f";

/// A stage with an application registered with these flags.
fn fixture(flags: &[&str]) -> OauthFixture {
    OauthFixture::of(TestServer::start(), |server| {
        OauthClient::register(server, ADDRESS, flags)
    })
}

/// OAUTH-01 (OAuth 2.0 Form Post Response Mode, section 2). Asserts the page that posts a response: its target and its
/// fields.
#[track_caller]
fn assert_form(answer: &TestResponse, names: &[&str]) {
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("location"), None);
    let text = answer.text();
    let form = format!("<form method=\"post\" action=\"{ADDRESS}\" id=\"response\">");
    assert!(text.contains(&form), "{text}");
    for name in names {
        assert!(!hidden(answer, name).is_empty(), "{name}");
    }
    assert!(
        text.contains("<button type=\"submit\">Continue</button>"),
        "{text}"
    );
    // The policy allows only the script of the page, by its digest.
    let policy = answer.header("content-security-policy").unwrap();
    let (_, script) = policy.split_once("script-src ").unwrap();
    assert!(
        script.starts_with("'sha256-") && !script.contains(' '),
        "{policy}"
    );
    assert!(
        !policy.contains("form-action") && !policy.contains("unsafe"),
        "{policy}"
    );
}

#[test]
fn form_post_returns_codes_denials_and_errors_in_a_form() {
    let mut fixture = fixture(&["--scopes", "api,openid"]);
    let request = fixture
        .client
        .authorization_request()
        .with("response_mode", "form_post");
    let page = fixture.browser.open(&request.path());
    let denied = deny(&mut fixture.browser, &page);
    assert_form(&denied, &["error", "error_description", "state", "iss"]);
    assert_eq!(hidden(&denied, "error"), "access_denied");
    let page = fixture.browser.open(&request.path());
    let approved = approve(&mut fixture.browser, &page);
    assert_form(&approved, &["code", "state", "iss"]);
    assert_eq!(hidden(&approved, "state"), "s-1");
    let code = hidden(&approved, "code");
    IssuedTokens::of(&fixture.client.redemption(&code).send(&fixture.server));
    // A user who consented before is redirected without a question, and errors are redirected the same way.
    let again = fixture.browser.open(&request.path());
    assert_form(&again, &["code", "state", "iss"]);
    for (name, value, error) in [
        ("scope", "mystery", "invalid_scope"),
        ("response_type", "token", "unsupported_response_type"),
        ("max_age", "soon", "invalid_request"),
    ] {
        let refused = fixture
            .browser
            .open(&request.clone().with(name, value).path());
        assert_form(&refused, &["error", "iss"]);
        assert_eq!(hidden(&refused, "error"), error);
    }
    let mut anonymous = fixture.server.browser();
    let silent = anonymous.open(&request.clone().with("prompt", "none").path());
    assert_eq!(hidden(&silent, "error"), "login_required");
    let unknown = fixture
        .browser
        .open(&request.with("response_mode", "fragment").path());
    assert_eq!(Landing::of(&unknown).get("error"), Some("invalid_request"));
}

/// RFC 9207. Sent unless the application's library does not support it; the same holds for errors.
#[test]
fn an_application_may_leave_the_issuer_out() {
    for (flags, has_issuer) in [
        (&["--scopes", "api"][..], true),
        (&["--omit-issuer"][..], false),
    ] {
        let mut fixture = fixture(flags);
        let request = fixture.client.authorization_request();
        let landing = fixture.land(&request);
        assert_eq!(landing.get("iss").is_some(), has_issuer);
        landing.code();
        let answer = fixture
            .browser
            .open(&request.with("scope", "mystery").path());
        let refused = Landing::of(&answer);
        assert_eq!(refused.get("error"), Some("invalid_scope"));
        assert_eq!(refused.get("iss").is_some(), has_issuer);
    }
}

/// OAUTH-12 (RFC 6749, section 3.3). The user sees which scopes are left out, and the application learns the granted
/// ones.
#[test]
fn unregistered_scopes_are_dropped_if_the_application_reduces_scopes() {
    let mut fixture = fixture(&["--scopes", "read_user,openid", "--reduce-scopes", "true"]);
    let scopes = "api sudo read_user mcp:tools openid";
    let request = fixture.client.authorization_request().with("scope", scopes);
    let text = fixture.browser.open(&request.path()).text();
    assert!(
        text.contains("It also requests <code>api</code>, <code>sudo</code>."),
        "{text}"
    );
    assert!(
        !text.contains("mcp:tools"),
        "words of a stranger are not shown: {text}"
    );
    let code = fixture.land(&request).code();
    let body = fixture
        .client
        .redemption(&code)
        .send(&fixture.server)
        .expect(200);
    assert_eq!(body["scope"], "openid read_user");
    let form = fixture.client.form("password").with("username", "dev");
    let form = form.with("password", &fixture.server.password_of("developer"));
    let body = form
        .with("scope", "api read_user")
        .send(&fixture.server)
        .expect(200);
    assert_eq!(body["scope"], "read_user");
}

fn userinfo(fixture: &OauthFixture, tokens: &IssuedTokens) -> Value {
    let caller = TestCaller::bearer(fixture.server.base_url(), &tokens.access);
    caller.get("/oauth/userinfo").expect(200)
}

fn id_claims(tokens: &IssuedTokens) -> Value {
    claims(tokens.body["id_token"].as_str().unwrap())
}

/// OAUTH-09. Every sign-in to such an application requests the groups, which the user sees; id tokens list all of them,
/// including after a refresh.
#[test]
fn groups_are_chosen_per_application() {
    let mut fixture = fixture(&["--scopes", "openid,groups", "--groups-claim"]);
    let request = fixture
        .client
        .authorization_request()
        .with("scope", "openid");
    let text = fixture.browser.open(&request.path()).text();
    assert!(text.contains("<code>groups</code>"), "{text}");
    let tokens = fixture.tokens("openid");
    assert_eq!(tokens.body["scope"], "groups openid");
    let groups = userinfo(&fixture, &tokens)["groups"].clone();
    assert!(
        groups
            .as_array()
            .is_some_and(|groups| groups.contains(&json!("acme"))),
        "{groups}"
    );
    assert_eq!(id_claims(&tokens)["groups"], groups);
    let next = IssuedTokens::of(&fixture.refresh(&tokens.refresh));
    assert_eq!(id_claims(&next)["groups"], groups);
    assert_eq!(userinfo(&fixture, &next)["groups"], groups);
}

/// OAUTH-06. Both lifetimes, at the exchange and after a refresh; the password grant gives an access token as well.
#[test]
fn token_lifetimes_follow_the_application_settings() {
    let lifetimes = ["--id-token-seconds", "3600", "--access-token-seconds", "90"];
    let mut fixture = fixture(&[&["--scopes", "openid,api"][..], &lifetimes].concat());
    let tokens = fixture.tokens("openid api");
    let next = IssuedTokens::of(&fixture.refresh(&tokens.refresh));
    for tokens in [&tokens, &next] {
        assert_eq!(tokens.body["expires_in"], 90);
        let claims = id_claims(tokens);
        let lifetime = claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap();
        assert_eq!(lifetime, 3600);
    }
    let form = fixture.client.form("password").with("username", "dev");
    let form = form.with("password", &fixture.server.password_of("developer"));
    assert_eq!(form.send(&fixture.server).expect(200)["expires_in"], 90);
}

/// OpenID Connect Front-Channel Logout 1.0, section 3. A session has one id, the next session another one, and it is
/// not a number.
#[test]
fn the_id_token_names_the_session() {
    let mut fixture = OauthFixture::web();
    let [first, second] = [fixture.tokens("openid"), fixture.tokens("openid")];
    let refreshed = IssuedTokens::of(&fixture.refresh(&second.refresh));
    let sid = id_claims(&first)["sid"].as_str().unwrap().to_owned();
    assert_eq!(sid.len(), 22);
    assert_eq!(id_claims(&second)["sid"], sid.as_str());
    assert_eq!(id_claims(&refreshed)["sid"], sid.as_str());
    fixture.browser = fixture.server.signed_in("developer");
    assert_ne!(id_claims(&fixture.tokens("openid"))["sid"], sid.as_str());
}

/// OAUTH-12. The API stores each option, returns it, and refuses values out of bounds.
#[test]
fn the_api_takes_every_option() {
    let server = TestServer::start();
    let path = "/api/v4/applications";
    let body = json!({
        "name": "Shop", "redirect_uri": "https://shop.example/cb", "scopes": "openid groups",
        "issuer_in_response": false, "reduce_scopes": true, "groups_claim": true,
        "id_token_seconds": 3600, "access_token_seconds": 120,
    });
    let created = server.admin().post(path, &body).expect(201);
    for option in [
        "issuer_in_response",
        "reduce_scopes",
        "groups_claim",
        "id_token_seconds",
        "access_token_seconds",
    ] {
        assert_eq!(created[option], body[option], "{option}");
    }
    let listed = server.admin().get(path).list();
    assert!(
        listed.iter().any(|one| one["id_token_seconds"] == 3600),
        "{listed:?}"
    );
    for (name, value) in [
        ("id_token_seconds", json!(59)),
        ("access_token_seconds", json!(86_401)),
        ("access_token_seconds", json!("soon")),
        ("scopes", json!("openid")),
    ] {
        let mut wrong = body.clone();
        wrong[name] = value;
        let answer = server.admin().post(path, &wrong);
        assert_eq!(answer.status, 400, "{name}: {}", answer.text());
    }
}
