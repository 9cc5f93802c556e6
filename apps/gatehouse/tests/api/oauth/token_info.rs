//! `GET /oauth/token/info` (`OAUTH-07`).

use insta::assert_snapshot;
use serde_json::json;

use crate::oauth::support::{OauthClient, OauthFixture, assert_refused, assert_unstored, post};
use crate::support::rows::change;
use crate::support::{TestCaller, TestResponse, TestServer};

const INFO: &str = "/oauth/token/info";

fn info(server: &TestServer, token: &str) -> TestResponse {
    TestCaller::bearer(server.base_url(), token).get(INFO)
}

/// OAUTH-07. All members, including the two deprecated ones.
#[test]
fn token_info_lists_owner_scopes_and_lifetime() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("openid api");
    let by_header = info(&fixture.server, &tokens.access);
    let by_query = fixture
        .server
        .anonymous()
        .get(&format!("{INFO}?access_token={}", tokens.access));
    for answer in [by_header, by_query] {
        assert_unstored(&answer);
        let body = answer.expect(200);
        let remaining = body["expires_in"].as_i64().unwrap();
        assert!((7100..=7200).contains(&remaining), "{body}");
        let text = answer
            .text()
            .replace(&fixture.client.id, "UID")
            .replace(&remaining.to_string(), "LEFT")
            .replace(&tokens.body["created_at"].to_string(), "CREATED");
        insta::allow_duplicates! {
            assert_snapshot!(text, @r#"{"resource_owner_id":2,"scope":["api","openid"],"expires_in":LEFT,"application":{"uid":"UID"},"created_at":CREATED,"scopes":["api","openid"],"expires_in_seconds":LEFT}"#);
        }
    }
}

/// OAUTH-07. A token without an application has no application member.
#[test]
fn token_info_without_an_application_has_a_null_uid() {
    let server = TestServer::start();
    let form = OauthClient::tool(&server)
        .form("password")
        .without("client_id");
    let form = form
        .with("username", "dev")
        .with("password", &server.password_of("developer"));
    let token = form.send(&server).expect(200)["access_token"].clone();
    let body = info(&server, token.as_str().unwrap()).expect(200);
    assert_eq!(body["application"], json!({ "uid": null }));
}

/// OAUTH-07, lesson 33. Missing, unknown, of another kind, expired: each is 401 with a challenge, and never 500.
#[test]
fn a_token_that_does_not_work_is_401() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("api");
    let personal = fixture.server.text("/developer/token").to_owned();
    let unknown = [
        fixture.server.anonymous().get(INFO),
        fixture
            .server
            .anonymous()
            .get(&format!("{INFO}?access_token=")),
        info(&fixture.server, "x"),
        info(&fixture.server, "ghoa_x"),
        info(&fixture.server, &tokens.refresh),
        info(&fixture.server, &personal),
        fixture
            .server
            .anonymous()
            .with("Authorization", "Basic eDp5")
            .get(INFO),
    ];
    for answer in unknown {
        assert_refused(&answer, 401, "invalid_token");
        let challenge = answer.header("www-authenticate").unwrap();
        assert_eq!(
            challenge,
            "Bearer realm=\"Gatehouse\", error=\"invalid_token\", error_description=\"The access token is invalid\""
        );
    }
    let past = "UPDATE oauth_token_pairs SET expires_at = created_at - 1";
    change(&fixture.server, past);
    let expired = info(&fixture.server, &tokens.access);
    assert_refused(&expired, 401, "invalid_token");
    assert!(expired.text().contains("expired"), "{}", expired.text());
}

/// OAUTH-07. A revoked token is reported as such.
#[test]
fn a_revoked_token_is_reported_as_revoked() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("api");
    info(&fixture.server, &tokens.access).assert_ok();
    let form = fixture.client.form("x").with("token", &tokens.access);
    form.post(&fixture.server, "/oauth/revoke").assert_ok();
    let answer = info(&fixture.server, &tokens.access);
    assert_refused(&answer, 401, "invalid_token");
    assert!(answer.text().contains("revoked"), "{}", answer.text());
}

/// Lesson 23. Bytes that are not text are not a token, and are refused in the format of the protocol.
#[test]
fn bytes_that_are_no_text_are_refused() {
    let server = TestServer::start();
    for token in ["x%00", "%ff%fe"] {
        let answer = server
            .anonymous()
            .get(&format!("{INFO}?access_token={token}"));
        assert_refused(&answer, 400, "invalid_request");
    }
}

/// D29, lesson 19. With two tokens it is unclear which one is meant.
#[test]
fn two_tokens_are_refused() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("api");
    let caller = TestCaller::bearer(fixture.server.base_url(), &tokens.access);
    let both = caller.get(&format!("{INFO}?access_token={}", tokens.access));
    assert_refused(&both, 400, "invalid_request");
    let twice = format!("{INFO}?access_token={0}&access_token={0}", tokens.access);
    let twice = fixture.server.anonymous().get(&twice);
    assert_refused(&twice, 400, "invalid_request");
    let posted = post(
        &fixture.server,
        INFO,
        &format!("access_token={}", tokens.access),
    );
    assert_eq!(posted.status, 405);
}
