//! `POST /oauth/introspect` (RFC 7662).

use insta::assert_snapshot;
use serde_json::json;

use crate::oauth::support::{
    IssuedTokens, OauthClient, OauthFixture, assert_refused, assert_unstored, post,
};
use crate::support::TestResponse;
use crate::support::rows::{change, change_and_revoke};

fn introspect(fixture: &OauthFixture, client: &OauthClient, token: &str) -> TestResponse {
    let form = client.form("x").without("grant_type").with("token", token);
    form.post(&fixture.server, "/oauth/introspect")
}

fn inactive() -> serde_json::Value {
    json!({ "active": false })
}

/// D25. Both tokens of a pair are known, each with its own expiry.
#[test]
fn an_application_is_reported_about_its_own_tokens() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("openid api");
    let shown = |answer: &TestResponse| {
        let body = answer.expect(200);
        let text = answer.text().replace(&fixture.client.id, "UID");
        let text = text.replace(fixture.server.base_url(), "{base}");
        let text = text.replace(&body["exp"].to_string(), "EXP");
        let lives = body["exp"].as_i64().unwrap() - body["iat"].as_i64().unwrap();
        (text.replace(&body["iat"].to_string(), "IAT"), lives)
    };
    let access = introspect(&fixture, &fixture.client, &tokens.access);
    assert_unstored(&access);
    let (text, lives) = shown(&access);
    assert_snapshot!(text, @r#"{"active":true,"scope":"api openid","client_id":"UID","username":"dev","token_type":"bearer","exp":EXP,"iat":IAT,"sub":"2","iss":"{base}"}"#);
    assert_eq!(lives, 7200);
    let (text, lives) = shown(&introspect(&fixture, &fixture.client, &tokens.refresh));
    assert_snapshot!(text, @r#"{"active":true,"scope":"api openid","client_id":"UID","username":"dev","exp":EXP,"iat":IAT,"sub":"2","iss":"{base}"}"#);
    assert_eq!(lives, 90 * 86_400);
}

/// D22, D25. A token that is invalid, unknown or another application's is only reported as inactive.
#[test]
fn invalid_and_foreign_tokens_are_reported_only_as_inactive() {
    let mut fixture = OauthFixture::web();
    let other = OauthClient::register(&fixture.server, "https://a.example/cb", &[]);
    let tokens = fixture.tokens("api");
    for token in [&tokens.access, &tokens.refresh] {
        introspect(&fixture, &other, token).assert_is(200, &inactive());
        // A token cached as valid a moment ago is also reported as inactive.
        fixture.use_token(&tokens.access).assert_ok();
        introspect(&fixture, &other, token).assert_is(200, &inactive());
    }
    let code = fixture.code();
    let personal = fixture.server.text("/developer/token");
    for token in ["x", "ghoa_x", "ghor_x", &code, personal] {
        introspect(&fixture, &fixture.client, token).assert_is(200, &inactive());
    }
    let next = IssuedTokens::of(&fixture.refresh(&tokens.refresh));
    for token in [&tokens.access, &tokens.refresh] {
        introspect(&fixture, &fixture.client, token).assert_is(200, &inactive());
    }
    assert_eq!(
        introspect(&fixture, &fixture.client, &next.access).expect(200)["active"],
        true
    );
    change(
        &fixture.server,
        "UPDATE oauth_token_pairs SET expires_at = created_at, refresh_expires_at = created_at",
    );
    introspect(&fixture, &fixture.client, &next.refresh).assert_is(200, &inactive());
    // Changes of another process take effect within the second for which an access token is cached.
    crate::support::eventually("the access token has ended", || {
        let response = introspect(&fixture, &fixture.client, &next.access).expect(200);
        (response == inactive()).then_some(())
    });
}

/// D26. Only a confidential application may introspect; a public one cannot authenticate, so it learns nothing.
#[test]
fn only_confidential_applications_may_introspect() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("api");
    let tool = OauthClient::tool(&fixture.server);
    assert_refused(
        &introspect(&fixture, &tool, &tokens.access),
        401,
        "invalid_client",
    );
    let form = fixture.client.form("x").with("token", &tokens.access);
    for request in [
        form.clone().with("client_secret", "wrong"),
        form.clone().without("client_secret"),
        form.clone().without("client_secret").without("client_id"),
    ] {
        let answer = request.post(&fixture.server, "/oauth/introspect");
        assert_refused(&answer, 401, "invalid_client");
    }
    let nothing = form
        .without("token")
        .post(&fixture.server, "/oauth/introspect");
    assert_refused(&nothing, 400, "invalid_request");
}

/// D27. A token in the URL is ignored.
#[test]
fn query_parameters_are_ignored() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("api");
    let form = fixture
        .client
        .form("x")
        .with("token", &tokens.access)
        .encoded();
    let answer = post(&fixture.server, &format!("/oauth/introspect?{form}"), "");
    assert_refused(&answer, 401, "invalid_client");
}

/// Lesson 29. The token of a user who may no longer act is invalid.
#[test]
fn the_token_of_a_blocked_user_does_not_work() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("api");
    fixture.server.block("dev");
    crate::support::eventually("the token is told to be inactive", || {
        let response = introspect(&fixture, &fixture.client, &tokens.access).expect(200);
        (response == inactive()).then_some(())
    });
}

/// D25. A scope taken from an application is no longer reported, whether the token was used before or not.
#[test]
fn scopes_that_an_application_lost_are_reported_of_no_token() {
    let mut fixture = OauthFixture::web();
    let [used, unused] = [fixture.tokens("openid api"), fixture.tokens("openid api")];
    let response =
        |token: &str| introspect(&fixture, &fixture.client, token).expect(200)["scope"].clone();
    assert_eq!(response(&used.access), "api openid");
    let lost = format!(
        "UPDATE oauth_applications SET scopes = 'openid' WHERE uid = '{}'",
        fixture.client.id
    );
    change_and_revoke(&fixture.server, &lost);
    crate::support::eventually("the scope is gone", || {
        (response(&used.access) == "openid").then_some(())
    });
    assert_eq!(response(&unused.access), "openid");
}
