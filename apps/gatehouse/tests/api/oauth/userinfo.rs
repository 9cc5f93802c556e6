//! `/oauth/userinfo` (`OAUTH-09`; OpenID Connect Core 1.0, section 5.3).

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::oauth::support::{OauthClient, OauthFixture, assert_refused, assert_unstored};
use crate::support::rows::change;
use crate::support::{TestCaller, TestResponse, TestServer};

const USERINFO: &str = "/oauth/userinfo";

fn userinfo(server: &TestServer, token: &str) -> TestResponse {
    TestCaller::bearer(server.base_url(), token).get(USERINFO)
}

/// OAUTH-09, D25. With GET and with POST; the email address only with its scope.
#[test]
fn the_claims_are_those_of_the_scopes() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("openid profile email");
    let by_get = userinfo(&fixture.server, &tokens.access);
    let caller = TestCaller::bearer(fixture.server.base_url(), &tokens.access);
    let by_post = caller.send("POST", USERINFO, b"");
    for answer in [&by_get, &by_post] {
        assert_unstored(answer);
        let text = answer.text().replace(fixture.server.base_url(), "{base}");
        insta::allow_duplicates! {
            assert_snapshot!(text, @r#"{"sub":"2","name":"Dana Developer","nickname":"dev","preferred_username":"dev","profile":"{base}/dev","email":"dev@example.com","email_verified":true}"#);
        }
    }
    let small = fixture.tokens("openid");
    let text = userinfo(&fixture.server, &small.access).text();
    let text = text.replace(fixture.server.base_url(), "{base}");
    assert_snapshot!(text, @r#"{"sub":"2","name":"Dana Developer","nickname":"dev","preferred_username":"dev","profile":"{base}/dev"}"#);
}

/// OAUTH-09. The user is the one of the id token (OpenID Connect Core 1.0, section 5.3.2).
#[test]
fn the_subject_is_the_one_of_the_id_token() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("openid");
    let claims = crate::oauth::keys::claims(tokens.body["id_token"].as_str().unwrap());
    let response = userinfo(&fixture.server, &tokens.access).expect(200);
    assert_eq!(response["sub"], claims["sub"]);
}

/// OAUTH-09, D30. A token for the API alone, or for something else, reveals nothing about the user here.
#[test]
fn without_the_scope_openid_nothing_is_reported() {
    let mut fixture = OauthFixture::web();
    for scope in ["api", "read_user", "profile email"] {
        let tokens = fixture.tokens(scope);
        let answer = userinfo(&fixture.server, &tokens.access);
        assert_refused(&answer, 403, "insufficient_scope");
        let challenge = answer.header("www-authenticate").unwrap();
        assert!(
            challenge.contains("error=\"insufficient_scope\""),
            "{challenge}"
        );
    }
}

/// OAUTH-09, lesson 33. Missing, unknown, expired: each is 401 with a challenge that names the reason.
#[test]
fn a_token_that_does_not_work_is_401() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("openid");
    let personal = fixture.server.text("/developer/token").to_owned();
    for answer in [
        fixture.server.anonymous().get(USERINFO),
        fixture.server.developer().get(USERINFO),
        userinfo(&fixture.server, "x"),
        userinfo(&fixture.server, &personal),
        userinfo(&fixture.server, &tokens.refresh),
        fixture
            .server
            .anonymous()
            .with(
                "Cookie",
                &format!("_service_session={}", fixture.browser.session()),
            )
            .get(USERINFO),
    ] {
        assert_refused(&answer, 401, "invalid_token");
        let challenge = answer.header("www-authenticate").unwrap();
        assert!(
            challenge.starts_with("Bearer realm=\"Gatehouse\""),
            "{challenge}"
        );
    }
    change(
        &fixture.server,
        "UPDATE oauth_token_pairs SET expires_at = created_at - 1",
    );
    let expired = userinfo(&fixture.server, &tokens.access);
    assert_refused(&expired, 401, "invalid_token");
    let challenge = expired.header("www-authenticate").unwrap();
    assert!(
        challenge.contains("The access token expired"),
        "{challenge}"
    );
}

/// Sends a form to the endpoint.
fn posted(caller: &TestCaller, form: &str) -> TestResponse {
    caller
        .clone()
        .with("Content-Type", "application/x-www-form-urlencoded")
        .send("POST", USERINFO, form.as_bytes())
}

/// OAUTH-09, D29 (RFC 6750, sections 2.1 to 2.3). The token may be sent in the header, in the query, and in the form of
/// a POST.
#[test]
fn a_token_comes_in_the_header_the_query_or_a_form() {
    let mut fixture = OauthFixture::web();
    let token = fixture.tokens("openid").access;
    let anonymous = fixture.server.anonymous();
    let expected = userinfo(&fixture.server, &token).expect(200);
    let in_query = format!("{USERINFO}?access_token={token}");
    for answer in [
        anonymous.get(&in_query),
        anonymous.get(&format!("{USERINFO}?access%5Ftoken={token}")),
        anonymous.send("POST", &in_query, b""),
        posted(&anonymous, &format!("access_token={token}")),
        posted(&anonymous, &format!("x=1&access_token={token}&y")),
    ] {
        assert_unstored(&answer);
        answer.assert_is(200, &expected);
    }
    // A body of another type is ignored, and so is the body of a GET.
    let json = format!("{{\"access_token\":\"{token}\"}}");
    let by_json = anonymous.post(USERINFO, &serde_json::from_str(&json).unwrap());
    assert_refused(&by_json, 401, "invalid_token");
    let by_get = anonymous
        .clone()
        .with("Content-Type", "application/x-www-form-urlencoded")
        .send("GET", USERINFO, format!("access_token={token}").as_bytes());
    assert_refused(&by_get, 401, "invalid_token");
    // A client that sends its token in the header may send any body.
    let header = TestCaller::bearer(fixture.server.base_url(), &token);
    header.post_bytes(USERINFO, b"{}").assert_is(200, &expected);
}

/// D29, lesson 19. Two readers might use different ones of two tokens, even if both are the same.
#[test]
fn two_tokens_are_refused() {
    let mut fixture = OauthFixture::web();
    let token = fixture.tokens("openid").access;
    let anonymous = fixture.server.anonymous();
    let header = TestCaller::bearer(fixture.server.base_url(), &token);
    let query = format!("{USERINFO}?access_token={token}");
    let form = format!("access_token={token}");
    let in_query_and_form = anonymous
        .clone()
        .with("Content-Type", "application/x-www-form-urlencoded")
        .send("POST", &query, form.as_bytes());
    for answer in [
        header.get(&query),
        posted(&header, &form),
        in_query_and_form,
        anonymous.get(&format!("{query}&access_token={token}")),
        posted(&anonymous, &format!("{form}&{form}")),
        posted(&anonymous, &format!("{form}%00")),
    ] {
        assert_refused(&answer, 400, "invalid_request");
    }
}

/// OAUTH-09. With the scope `groups`, the full paths of all groups, and in the id token those of the user's direct
/// memberships; without the scope none.
#[test]
fn the_groups_need_their_scope() {
    let server = TestServer::start();
    server.create_project("acme/backend/api", "private", "root");
    server.create_project("secret/vault", "private", "root");
    server.create_project("open/tools", "public", "dev");
    let mut fixture = OauthFixture::of(server, |server| {
        let flags = ["--scopes", "openid,profile,groups"];
        OauthClient::register(server, "https://a.example/cb", &flags)
    });
    let tokens = fixture.tokens("openid groups");
    let response = userinfo(&fixture.server, &tokens.access).expect(200);
    assert_eq!(response["groups"], json!(["acme", "acme/backend", "open"]));
    let role = |role: &str| response[format!("https://service.org/claims/groups/{role}")].clone();
    assert_eq!(role("owner"), json!(["open"]));
    assert_eq!(role("developer"), json!(["acme", "acme/backend"]));
    assert_eq!(role("maintainer"), Value::Null, "an empty list is left out");
    let id_token = |body: &Value| crate::oauth::keys::claims(body["id_token"].as_str().unwrap());
    let claims = id_token(&tokens.body);
    assert_eq!(claims["groups_direct"], json!(["acme", "open"]));
    assert_eq!(claims.get("groups"), None);
    let next = fixture.refresh(&tokens.refresh).expect(200);
    assert_eq!(id_token(&next)["groups_direct"], json!(["acme", "open"]));
    let without = fixture.tokens("openid profile");
    let response = userinfo(&fixture.server, &without.access).expect(200);
    assert_eq!(response.get("groups"), None);
    assert_eq!(id_token(&without.body).get("groups_direct"), None);
}

/// OAUTH-09. A refresh that narrows the scopes also narrows the claims.
#[test]
fn a_narrowed_token_returns_fewer_claims() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("openid email");
    let refresh_request = fixture
        .client
        .refresh_request(&tokens.refresh)
        .with("scope", "openid");
    let narrow = refresh_request.send(&fixture.server).expect(200);
    let response = userinfo(&fixture.server, narrow["access_token"].as_str().unwrap()).expect(200);
    assert_eq!(response.get("email"), None);
}
