//! `POST /oauth/revoke` (`OAUTH-08`, RFC 7009).

use serde_json::json;

use crate::oauth::support::{
    IssuedTokens, OauthClient, OauthFixture, assert_refused, assert_unstored, post,
};
use crate::support::TestResponse;

const REVOKE: &str = "/oauth/revoke";

fn revoke(fixture: &OauthFixture, client: &OauthClient, token: &str) -> TestResponse {
    let form = client.form("x").without("grant_type").with("token", token);
    form.post(&fixture.server, REVOKE)
}

#[track_caller]
fn assert_done(answer: &TestResponse) {
    assert_unstored(answer);
    answer.assert_is(200, &json!({}));
}

#[track_caller]
fn assert_over(fixture: &OauthFixture, tokens: &IssuedTokens) {
    let refused = fixture.use_token(&tokens.access);
    assert_eq!(refused.expect(401)["error"], "invalid_token");
    assert_refused(&fixture.refresh(&tokens.refresh), 400, "invalid_grant");
}

/// OAUTH-08, D25. Either token revokes both, before the response is sent.
#[test]
fn either_half_ends_both() {
    for mut fixture in [OauthFixture::web(), OauthFixture::tool()] {
        let tokens = fixture.tokens("api");
        fixture.use_token(&tokens.access).assert_ok();
        assert_done(&revoke(&fixture, &fixture.client, &tokens.access));
        assert_over(&fixture, &tokens);
        let tokens = fixture.tokens("api");
        fixture.use_token(&tokens.access).assert_ok();
        assert_done(&revoke(&fixture, &fixture.client, &tokens.refresh));
        assert_over(&fixture, &tokens);
        assert_done(&revoke(&fixture, &fixture.client, &tokens.refresh));
    }
}

/// OAUTH-08. For every caller, an unknown token counts as revoked.
#[test]
fn an_unknown_token_is_as_good_as_ended() {
    let mut fixture = OauthFixture::web();
    let code = fixture.code();
    let personal = fixture.server.text("/developer/token").to_owned();
    for token in ["x", "", "ghoa_x", &code, &personal] {
        assert_done(&revoke(&fixture, &fixture.client, token));
    }
    assert_done(&post(&fixture.server, REVOKE, "token=x"));
    assert_done(&post(&fixture.server, REVOKE, ""));
    assert_done(&post(
        &fixture.server,
        REVOKE,
        "token=x&client_id=nobody&client_secret=x",
    ));
    fixture
        .client
        .redemption(&code)
        .send(&fixture.server)
        .assert_ok();
    fixture.server.developer().get("/api/v4/user").assert_ok();
}

/// OAUTH-08, D22, lesson 9. Only the application that holds it can revoke the token of a confidential application.
#[test]
fn the_token_of_an_application_with_a_secret_is_ended_by_that_one_alone() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("api");
    let own = fixture.client.form("x");
    let other = OauthClient::register(&fixture.server, "https://a.example/cb", &[]).form("x");
    for form in [
        own.clone().with("client_secret", "wrong"),
        own.clone().without("client_secret"),
        own.clone().without("client_secret").without("client_id"),
        other,
        OauthClient::tool(&fixture.server).form("x"),
    ] {
        for token in [&tokens.access, &tokens.refresh] {
            let answer = form
                .clone()
                .with("token", token)
                .post(&fixture.server, REVOKE);
            assert_unstored(&answer);
            let text = "You are not authorized to revoke this token";
            let body = json!({ "error": "unauthorized_client", "error_description": text });
            answer.assert_is(403, &body);
        }
    }
    fixture.use_token(&tokens.access).assert_ok();
    IssuedTokens::of(&fixture.refresh(&tokens.refresh));
}

/// OAUTH-08, lesson 9. A public application does not authenticate; it cannot revoke another application's token.
#[test]
fn the_token_of_a_public_application_is_ended_by_anyone_who_holds_it() {
    let mut fixture = OauthFixture::tool();
    let tokens = fixture.tokens("api");
    let other = OauthClient::web(&fixture.server);
    assert_eq!(revoke(&fixture, &other, &tokens.access).status, 403);
    fixture.use_token(&tokens.access).assert_ok();
    assert_done(&post(
        &fixture.server,
        REVOKE,
        &format!("token={}", tokens.access),
    ));
    assert_over(&fixture, &tokens);
}

/// Lesson 10. A hint is only a hint: a wrong or unknown one has no effect.
#[test]
fn a_wrong_hint_changes_nothing() {
    let mut fixture = OauthFixture::web();
    for hint in ["refresh_token", "access_token", "id_token", "nonsense", ""] {
        let tokens = fixture.tokens("api");
        for token in [&tokens.access, &tokens.refresh] {
            let form = fixture.client.form("x").with("token", token);
            let form = form.with("token_type_hint", hint);
            assert_done(&form.post(&fixture.server, REVOKE));
        }
        assert_over(&fixture, &tokens);
    }
}

/// D15. One grant of a user is revoked; another one stays.
#[test]
fn other_authorizations_go_on() {
    let mut fixture = OauthFixture::web();
    let (one, other) = (fixture.tokens("api"), fixture.tokens("api"));
    assert_done(&revoke(&fixture, &fixture.client, &one.access));
    fixture.use_token(&other.access).assert_ok();
    IssuedTokens::of(&fixture.refresh(&other.refresh));
}

/// Lesson 3. A spent refresh token also revokes its family, if its application sends it.
#[test]
fn a_spent_refresh_token_can_still_be_revoked() {
    let mut fixture = OauthFixture::web();
    let first = fixture.tokens("api");
    let next = IssuedTokens::of(&fixture.refresh(&first.refresh));
    assert_done(&revoke(&fixture, &fixture.client, &first.refresh));
    assert_over(&fixture, &next);
}

/// D27, lesson 25. A token in the URL is ignored.
#[test]
fn query_parameters_are_ignored() {
    let mut fixture = OauthFixture::tool();
    let tokens = fixture.tokens("api");
    let path = format!("{REVOKE}?token={}", tokens.access);
    assert_done(&post(&fixture.server, &path, ""));
    fixture.use_token(&tokens.access).assert_ok();
}

/// OAUTH-05, OAUTH-08. A token without an application can be revoked by anyone who holds it.
#[test]
fn a_token_without_an_application_is_ended_by_anyone_who_holds_it() {
    let fixture = OauthFixture::web();
    let form = fixture
        .client
        .form("password")
        .without("client_id")
        .without("client_secret");
    let form = form.with("username", "dev");
    let form = form.with("password", &fixture.server.password_of("developer"));
    let answer = form.send(&fixture.server).expect(200);
    let access = answer["access_token"].as_str().unwrap();
    fixture.use_token(access).assert_ok();
    assert_done(&post(&fixture.server, REVOKE, &format!("token={access}")));
    assert_eq!(fixture.use_token(access).status, 401);
}
