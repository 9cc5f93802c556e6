//! Exchange of a code for tokens (`OAUTH-03`).

use insta::assert_snapshot;

use crate::oauth::support::{
    Client, OTHER_VERIFIER, Stage, Tokens, VERIFIER, assert_refused, assert_unstored,
};
use crate::support::rows::change;

/// OAUTH-03, OAUTH-06, D25. The whole response, with its members in the order that clients know.
#[test]
fn a_code_gives_an_answer_with_all_members_in_order() {
    let mut stage = Stage::web();
    let request = stage.client.asks().with("scope", "openid read_user");
    let code = stage.land(&request).code();
    let answer = stage.client.redeems(&code).ask(&stage.server);
    assert_unstored(&answer);
    assert_eq!(answer.header("pragma"), Some("no-cache"));
    assert_eq!(
        answer.header("content-type"),
        Some("application/json; charset=utf-8")
    );
    let tokens = Tokens::of(&answer);
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
        stage.use_token(&tokens.access).expect(200)["username"],
        "dev"
    );
}

/// OAUTH-03. Without `openid` there is no id token.
#[test]
fn a_code_for_the_api_gives_no_id_token() {
    let mut stage = Stage::tool();
    let tokens = stage.tokens("api");
    assert_eq!(tokens.body.get("id_token"), None);
    assert_eq!(tokens.body["scope"], "api");
    assert_eq!(tokens.body["expires_in"], 7200);
    assert_eq!(tokens.body["token_type"], "bearer");
}

/// D7, D15, lesson 11. The second use is refused, and revokes the tokens of the first one.
#[test]
fn a_replayed_code_ends_the_tokens_that_it_gave() {
    let mut stage = Stage::web();
    let others = stage.tokens("api");
    let code = stage.code();
    let redeems = stage.client.redeems(&code);
    let tokens = Tokens::of(&redeems.ask(&stage.server));
    stage.use_token(&tokens.access).assert_ok();
    assert_refused(&redeems.ask(&stage.server), 400, "invalid_grant");
    assert_eq!(stage.use_token(&tokens.access).status, 401);
    assert_refused(&stage.refresh(&tokens.refresh), 400, "invalid_grant");
    assert_refused(&redeems.ask(&stage.server), 400, "invalid_grant");
    stage.use_token(&others.access).assert_ok();
    Tokens::of(&stage.refresh(&others.refresh));
}

/// D15, lesson 11. Tokens from later refreshes belong to the code, too.
#[test]
fn a_replayed_code_ends_the_tokens_that_followed() {
    let mut stage = Stage::web();
    let code = stage.code();
    let redeems = stage.client.redeems(&code);
    let first = Tokens::of(&redeems.ask(&stage.server));
    let next = Tokens::of(&stage.refresh(&first.refresh));
    assert_refused(&redeems.ask(&stage.server), 400, "invalid_grant");
    assert_eq!(stage.use_token(&next.access).status, 401);
    assert_refused(&stage.refresh(&next.refresh), 400, "invalid_grant");
}

/// D7. A minute by default, and never more than ten; an expired code is refused.
#[test]
fn a_code_is_good_for_a_minute() {
    let mut stage = Stage::web();
    for (seconds, status) in [(55, 200), (61, 400)] {
        let code = stage.code();
        let past =
            format!("UPDATE oauth_grants SET code_expires_at = code_expires_at - {seconds}000000");
        change(&stage.server, &past);
        let answer = stage.client.redeems(&code).ask(&stage.server);
        assert_eq!(answer.status, status, "{seconds}: {}", answer.text());
    }
}

/// D17, D22. Another application can neither redeem the code nor spend it for its owner.
#[test]
fn a_code_of_another_application_is_neither_redeemed_nor_spent() {
    let mut stage = Stage::web();
    let request = stage.client.asks().with_challenge();
    let code = stage.land(&request).code();
    let redeems = stage.client.redeems(&code).with("code_verifier", VERIFIER);
    let stranger = Client::tool(&stage.server);
    assert_refused(
        &stranger.redeems(&code).ask(&stage.server),
        400,
        "invalid_grant",
    );
    let other = Client::register(&stage.server, &stage.client.redirect_uri, &[]);
    let theirs = other.redeems(&code).with("code_verifier", VERIFIER);
    assert_refused(&theirs.ask(&stage.server), 400, "invalid_grant");
    let tokens = Tokens::of(&redeems.ask(&stage.server));
    assert_refused(&theirs.ask(&stage.server), 400, "invalid_grant");
    stage.use_token(&tokens.access).assert_ok();
}

/// OAUTH-03, D18. The redirect URI must equal that of the request, byte for byte.
#[test]
fn a_code_is_redeemed_with_the_address_that_it_was_sent_to() {
    let mut stage = Stage::web();
    let code = stage.code();
    let redeems = stage.client.redeems(&code);
    for other in [
        format!("{}/", stage.client.redirect_uri),
        stage.client.redirect_uri.to_uppercase(),
        stage.client.redirect_uri.replace("8090", "8091"),
        "https://evil.example/cb".to_owned(),
    ] {
        let redeems = redeems.clone().with("redirect_uri", &other);
        assert_refused(&redeems.ask(&stage.server), 400, "invalid_grant");
    }
    let missing = redeems.clone().without("redirect_uri").ask(&stage.server);
    assert_refused(&missing, 400, "invalid_request");
    Tokens::of(&redeems.ask(&stage.server));
}

/// OAUTH-03. A token permits the scopes that the user consented to; the token request cannot change them.
#[test]
fn a_scope_at_the_exchange_changes_nothing() {
    let mut stage = Stage::web();
    let request = stage.client.asks().with("scope", "read_user");
    let code = stage.land(&request).code();
    let redeems = stage.client.redeems(&code).with("scope", "api");
    assert_eq!(redeems.ask(&stage.server).expect(200)["scope"], "read_user");
}

/// Lesson 29. For a user who was blocked since then, neither the user nor an application gets tokens.
#[test]
fn a_code_of_a_blocked_user_is_refused() {
    let mut stage = Stage::web();
    let code = stage.code();
    stage.server.block("dev");
    let redeems = stage.client.redeems(&code);
    assert_refused(&redeems.ask(&stage.server), 400, "invalid_grant");
}

/// D7. An unknown code is refused like a spent one.
#[test]
fn a_made_up_code_is_refused() {
    let mut stage = Stage::web();
    let code = stage.code();
    let tokens = stage.tokens("api");
    for made_up in [
        "x",
        "ghoc_",
        &"ghoc_".repeat(800),
        &code[..code.len() - 1],
        &tokens.refresh,
    ] {
        let redeems = stage.client.redeems(made_up);
        assert_refused(&redeems.ask(&stage.server), 400, "invalid_grant");
    }
    let wrong_case = code.to_ascii_uppercase();
    let redeems = stage
        .client
        .redeems(&wrong_case)
        .with("code_verifier", OTHER_VERIFIER);
    assert_refused(&redeems.ask(&stage.server), 400, "invalid_grant");
}
