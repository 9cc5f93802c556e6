//! Exchange of a code for tokens (`OAUTH-03`).

use insta::assert_snapshot;

use crate::oauth::support::{
    IssuedTokens, OTHER_VERIFIER, OauthClient, OauthFixture, VERIFIER, assert_refused,
    assert_unstored,
};
use crate::support::rows::change;

/// OAUTH-03, OAUTH-06, D25. The whole response, with its members in the order that clients know.
#[test]
fn a_code_gives_an_answer_with_all_members_in_order() {
    let mut fixture = OauthFixture::web();
    let request = fixture
        .client
        .authorization_request()
        .with("scope", "openid read_user");
    let code = fixture.land(&request).code();
    let answer = fixture.client.redemption(&code).send(&fixture.server);
    assert_unstored(&answer);
    assert_eq!(answer.header("pragma"), Some("no-cache"));
    assert_eq!(
        answer.header("content-type"),
        Some("application/json; charset=utf-8")
    );
    let tokens = IssuedTokens::of(&answer);
    let id_token = tokens.body["id_token"].as_str().unwrap();
    let text = answer
        .text()
        .replace(&tokens.access, "ACCESS")
        .replace(&tokens.refresh, "REFRESH")
        .replace(id_token, "ID_TOKEN")
        .replace(&tokens.body["created_at"].to_string(), "CREATED");
    assert_snapshot!(text, @r#"{"access_token":"ACCESS","token_type":"bearer","expires_in":7200,"refresh_token":"REFRESH","scope":"openid read_user","created_at":CREATED,"id_token":"ID_TOKEN"}"#);
    let parts = [&tokens.access, &tokens.refresh].map(|token| token.split_at(5));
    assert_eq!(parts.map(|(prefix, _)| prefix), ["ghoa_", "ghor_"]);
    let is_long = |(_, rest): &(&str, &str)| rest.len() >= 27;
    assert!(parts.iter().all(is_long), "D34: 160 bits at least");
    assert_eq!(
        fixture.use_token(&tokens.access).expect(200)["username"],
        "dev"
    );
}

/// OAUTH-03. Without `openid` there is no id token.
#[test]
fn a_code_for_the_api_gives_no_id_token() {
    let mut fixture = OauthFixture::tool();
    let tokens = fixture.tokens("api");
    assert_eq!(tokens.body.get("id_token"), None);
    assert_eq!(tokens.body["scope"], "api");
    assert_eq!(tokens.body["expires_in"], 7200);
    assert_eq!(tokens.body["token_type"], "bearer");
}

/// D7, D15, lesson 11. The second use is refused, and revokes the tokens of the first one.
#[test]
fn a_replayed_code_ends_the_tokens_that_it_gave() {
    let mut fixture = OauthFixture::web();
    let others = fixture.tokens("api");
    let code = fixture.code();
    let redemption = fixture.client.redemption(&code);
    let tokens = IssuedTokens::of(&redemption.send(&fixture.server));
    fixture.use_token(&tokens.access).assert_ok();
    assert_refused(&redemption.send(&fixture.server), 400, "invalid_grant");
    assert_eq!(fixture.use_token(&tokens.access).status, 401);
    assert_refused(&fixture.refresh(&tokens.refresh), 400, "invalid_grant");
    assert_refused(&redemption.send(&fixture.server), 400, "invalid_grant");
    fixture.use_token(&others.access).assert_ok();
    IssuedTokens::of(&fixture.refresh(&others.refresh));
}

/// D15, lesson 11. Tokens from later refreshes belong to the code, too.
#[test]
fn a_replayed_code_ends_the_tokens_that_followed() {
    let mut fixture = OauthFixture::web();
    let code = fixture.code();
    let redemption = fixture.client.redemption(&code);
    let first = IssuedTokens::of(&redemption.send(&fixture.server));
    let next = IssuedTokens::of(&fixture.refresh(&first.refresh));
    assert_refused(&redemption.send(&fixture.server), 400, "invalid_grant");
    assert_eq!(fixture.use_token(&next.access).status, 401);
    assert_refused(&fixture.refresh(&next.refresh), 400, "invalid_grant");
}

/// D7. A minute by default, and never more than ten; an expired code is refused.
#[test]
fn a_code_is_good_for_a_minute() {
    let mut fixture = OauthFixture::web();
    for (seconds, status) in [(55, 200), (61, 400)] {
        let code = fixture.code();
        let past =
            format!("UPDATE oauth_grants SET code_expires_at = code_expires_at - {seconds}000000");
        change(&fixture.server, &past);
        let answer = fixture.client.redemption(&code).send(&fixture.server);
        assert_eq!(answer.status, status, "{seconds}: {}", answer.text());
    }
}

/// D17, D22. Another application can neither redeem the code nor spend it for its owner.
#[test]
fn a_code_of_another_application_is_neither_redeemed_nor_spent() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request().with_challenge();
    let code = fixture.land(&request).code();
    let redemption = fixture
        .client
        .redemption(&code)
        .with("code_verifier", VERIFIER);
    let stranger = OauthClient::tool(&fixture.server);
    assert_refused(
        &stranger.redemption(&code).send(&fixture.server),
        400,
        "invalid_grant",
    );
    let other = OauthClient::register(&fixture.server, &fixture.client.redirect_uri, &[]);
    let theirs = other.redemption(&code).with("code_verifier", VERIFIER);
    assert_refused(&theirs.send(&fixture.server), 400, "invalid_grant");
    let tokens = IssuedTokens::of(&redemption.send(&fixture.server));
    assert_refused(&theirs.send(&fixture.server), 400, "invalid_grant");
    fixture.use_token(&tokens.access).assert_ok();
}

/// OAUTH-03, D18. The redirect URI must equal that of the request, byte for byte.
#[test]
fn a_code_is_redeemed_with_the_address_that_it_was_sent_to() {
    let mut fixture = OauthFixture::web();
    let code = fixture.code();
    let redemption = fixture.client.redemption(&code);
    for other in [
        format!("{}/", fixture.client.redirect_uri),
        fixture.client.redirect_uri.to_uppercase(),
        fixture.client.redirect_uri.replace("8090", "8091"),
        "https://evil.example/cb".to_owned(),
    ] {
        let redemption = redemption.clone().with("redirect_uri", &other);
        assert_refused(&redemption.send(&fixture.server), 400, "invalid_grant");
    }
    let missing = redemption
        .clone()
        .without("redirect_uri")
        .send(&fixture.server);
    assert_refused(&missing, 400, "invalid_request");
    IssuedTokens::of(&redemption.send(&fixture.server));
}

/// OAUTH-03. A token permits the scopes that the user consented to; the token request cannot change them.
#[test]
fn a_scope_at_the_exchange_changes_nothing() {
    let mut fixture = OauthFixture::web();
    let request = fixture
        .client
        .authorization_request()
        .with("scope", "read_user");
    let code = fixture.land(&request).code();
    let redemption = fixture.client.redemption(&code).with("scope", "api");
    assert_eq!(
        redemption.send(&fixture.server).expect(200)["scope"],
        "read_user"
    );
}

/// Lesson 29. For a user who was blocked since then, neither the user nor an application gets tokens.
#[test]
fn a_code_of_a_blocked_user_is_refused() {
    let mut fixture = OauthFixture::web();
    let code = fixture.code();
    fixture.server.block("dev");
    let redemption = fixture.client.redemption(&code);
    assert_refused(&redemption.send(&fixture.server), 400, "invalid_grant");
}

/// D7. An unknown code is refused like a spent one.
#[test]
fn unknown_codes_are_refused() {
    let mut fixture = OauthFixture::web();
    let code = fixture.code();
    let tokens = fixture.tokens("api");
    for made_up in [
        "x",
        "ghoc_",
        &"ghoc_".repeat(800),
        &code[..code.len() - 1],
        &tokens.refresh,
    ] {
        let redemption = fixture.client.redemption(made_up);
        assert_refused(&redemption.send(&fixture.server), 400, "invalid_grant");
    }
    let wrong_case = code.to_ascii_uppercase();
    let redemption = fixture
        .client
        .redemption(&wrong_case)
        .with("code_verifier", OTHER_VERIFIER);
    assert_refused(&redemption.send(&fixture.server), 400, "invalid_grant");
}
