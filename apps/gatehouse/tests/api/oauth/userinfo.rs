//! `/oauth/userinfo` (`OAUTH-09`; OpenID Connect Core 1.0, section 5.3).

use insta::assert_snapshot;

use crate::oauth::support::{Stage, assert_refused, assert_unstored};
use crate::support::rows::change;
use crate::support::{Answer, Caller, Server};

const USERINFO: &str = "/oauth/userinfo";

fn userinfo(server: &Server, token: &str) -> Answer {
    Caller::bearer(server.base_url(), token).get(USERINFO)
}

/// OAUTH-09, D25. With GET and with POST; the address for mail with its scope only.
#[test]
fn the_claims_are_those_of_the_scopes() {
    let mut stage = Stage::web();
    let tokens = stage.tokens("openid profile email");
    let by_get = userinfo(&stage.server, &tokens.access);
    let caller = Caller::bearer(stage.server.base_url(), &tokens.access);
    let by_post = caller.send("POST", USERINFO, b"");
    for answer in [&by_get, &by_post] {
        assert_unstored(answer);
        let text = answer.text().replace(stage.server.base_url(), "{base}");
        insta::allow_duplicates! {
            assert_snapshot!(text, @r#"{"sub":"2","name":"Dana Developer","nickname":"dev","preferred_username":"dev","profile":"{base}/dev","email":"dev@example.com","email_verified":true}"#);
        }
    }
    let small = stage.tokens("openid");
    let text = userinfo(&stage.server, &small.access).text();
    let text = text.replace(stage.server.base_url(), "{base}");
    assert_snapshot!(text, @r#"{"sub":"2","name":"Dana Developer","nickname":"dev","preferred_username":"dev","profile":"{base}/dev"}"#);
}

/// OAUTH-09. The user is the one of the id token (OpenID Connect Core 1.0, section 5.3.2).
#[test]
fn the_subject_is_the_one_of_the_id_token() {
    let mut stage = Stage::web();
    let tokens = stage.tokens("openid");
    let claims = crate::oauth::keys::claims(tokens.body["id_token"].as_str().unwrap());
    let told = userinfo(&stage.server, &tokens.access).expect(200);
    assert_eq!(told["sub"], claims["sub"]);
}

/// OAUTH-09, D30. A token for the API alone, or for something else, says nothing about the user here.
#[test]
fn without_the_scope_openid_nothing_is_told() {
    let mut stage = Stage::web();
    for scope in ["api", "read_user", "profile email"] {
        let tokens = stage.tokens(scope);
        let answer = userinfo(&stage.server, &tokens.access);
        assert_refused(&answer, 403, "insufficient_scope");
        let challenge = answer.header("www-authenticate").unwrap();
        assert!(
            challenge.contains("error=\"insufficient_scope\""),
            "{challenge}"
        );
    }
}

/// OAUTH-09, lesson 33. Missing, unknown, over: each is 401 with a challenge that says why.
#[test]
fn a_token_that_does_not_work_is_401() {
    let mut stage = Stage::web();
    let tokens = stage.tokens("openid");
    let personal = stage.server.text("/developer/token").to_owned();
    for answer in [
        stage.server.anonymous().get(USERINFO),
        stage.server.developer().get(USERINFO),
        userinfo(&stage.server, "x"),
        userinfo(&stage.server, &personal),
        userinfo(&stage.server, &tokens.refresh),
        stage
            .server
            .anonymous()
            .get(&format!("{USERINFO}?access_token={}", tokens.access)),
        stage
            .server
            .anonymous()
            .with(
                "Cookie",
                &format!("_service_session={}", stage.browser.session()),
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
        &stage.server,
        "UPDATE oauth_token_pairs SET expires_at = created_at - 1",
    );
    let expired = userinfo(&stage.server, &tokens.access);
    assert_refused(&expired, 401, "invalid_token");
    let challenge = expired.header("www-authenticate").unwrap();
    assert!(
        challenge.contains("The access token expired"),
        "{challenge}"
    );
}

/// OAUTH-09. A refresh that narrowed the scopes narrowed what is told.
#[test]
fn a_narrowed_token_tells_less() {
    let mut stage = Stage::web();
    let tokens = stage.tokens("openid email");
    let refreshes = stage
        .client
        .refreshes(&tokens.refresh)
        .with("scope", "openid");
    let narrow = refreshes.ask(&stage.server).expect(200);
    let told = userinfo(&stage.server, narrow["access_token"].as_str().unwrap()).expect(200);
    assert_eq!(told.get("email"), None);
}
