//! Exchange of a refresh token for the next pair (`OAUTH-04`).

use insta::assert_snapshot;
use serde_json::json;

use crate::oauth::support::{
    IssuedTokens, OTHER_VERIFIER, OauthClient, OauthFixture, VERIFIER, assert_refused,
    assert_unstored,
};
use crate::support::rows::change;

/// OAUTH-04, D20, D25. The response has the next pair, and both old tokens are invalid from then on.
#[test]
fn a_refresh_gives_the_next_pair_and_ends_the_old_one_at_once() {
    for mut fixture in [OauthFixture::web(), OauthFixture::tool()] {
        let first = fixture.tokens("api read_user");
        fixture.use_token(&first.access).assert_ok();
        let answer = fixture.refresh(&first.refresh);
        assert_unstored(&answer);
        let next = IssuedTokens::of(&answer);
        let text = answer
            .text()
            .replace(&next.access, "ACCESS")
            .replace(&next.refresh, "REFRESH")
            .replace(&next.body["created_at"].to_string(), "CREATED");
        insta::allow_duplicates! {
            assert_snapshot!(text, @r#"{"access_token":"ACCESS","token_type":"bearer","expires_in":7200,"refresh_token":"REFRESH","scope":"api read_user","created_at":CREATED}"#);
        }
        assert_ne!(
            (&next.access, &next.refresh),
            (&first.access, &first.refresh)
        );
        let refused = fixture.use_token(&first.access).expect(401);
        assert_eq!(refused["error"], "invalid_token");
        fixture.use_token(&next.access).assert_ok();
        IssuedTokens::of(&fixture.refresh(&next.refresh));
    }
}

/// OAUTH-04, spec rule 4, lessons 32 and 33. It also works long after the access token has expired.
#[test]
fn a_refresh_works_after_the_access_token_expired() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("api");
    let past = "UPDATE oauth_token_pairs SET expires_at = created_at - 1";
    change(&fixture.server, past);
    assert_eq!(
        fixture.use_token(&tokens.access).expect(401)["error"],
        "invalid_token"
    );
    let introspect = |token: &str| {
        let form = fixture.client.form("x").with("token", token);
        form.post(&fixture.server, "/oauth/introspect").expect(200)["active"].clone()
    };
    assert_eq!(
        (introspect(&tokens.access), introspect(&tokens.refresh)),
        (json!(false), json!(true))
    );
    let next = IssuedTokens::of(&fixture.refresh(&tokens.refresh));
    fixture.use_token(&next.access).assert_ok();
}

/// OAUTH-03, spec rule 1. Few clients resend the redirect URI or the verifier; if they do, it must match.
#[test]
fn redirect_uri_and_verifier_resent_at_a_refresh_must_match() {
    let mut fixture = OauthFixture::tool();
    let tokens = fixture.tokens("api");
    let refresh_request = fixture.client.refresh_request(&tokens.refresh);
    for (name, value) in [
        ("redirect_uri", "https://evil.example/cb"),
        ("redirect_uri", "http://127.0.0.1:8091/callback"),
        ("code_verifier", OTHER_VERIFIER),
        ("code_verifier", "short"),
    ] {
        let refused = refresh_request
            .clone()
            .with(name, value)
            .send(&fixture.server);
        assert_refused(&refused, 400, "invalid_grant");
    }
    let whole = refresh_request
        .with("redirect_uri", &fixture.client.redirect_uri)
        .with("code_verifier", VERIFIER);
    IssuedTokens::of(&whole.send(&fixture.server));
}

/// D16. A verifier for a grant without a challenge is also an error at a refresh.
#[test]
fn a_verifier_at_a_refresh_without_a_challenge_is_refused() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("api");
    let with = fixture
        .client
        .refresh_request(&tokens.refresh)
        .with("code_verifier", VERIFIER);
    assert_refused(&with.send(&fixture.server), 400, "invalid_grant");
    IssuedTokens::of(&fixture.refresh(&tokens.refresh));
}

/// D21, lesson 7. A refresh may request fewer scopes, but not more than the user consented to, even if the application
/// has them.
#[test]
fn a_refresh_narrows_and_never_widens() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("read_api read_user");
    let with =
        |token: &str, scope: &str| fixture.client.refresh_request(token).with("scope", scope);
    for scope in ["api", "read_user api", "openid", "sudo", "mystery", " "] {
        let refused = with(&tokens.refresh, scope).send(&fixture.server);
        assert_refused(&refused, 400, "invalid_scope");
    }
    fixture.use_token(&tokens.access).assert_ok();
    let narrow = IssuedTokens::of(&with(&tokens.refresh, "read_user").send(&fixture.server));
    assert_eq!(narrow.body["scope"], "read_user");
    let caller = crate::support::TestCaller::bearer(fixture.server.base_url(), &narrow.access);
    caller.get("/api/v4/user").assert_ok();
    assert_eq!(caller.get("/api/v4/projects").status, 403);
    let whole = IssuedTokens::of(&fixture.refresh(&narrow.refresh));
    assert_eq!(
        whole.body["scope"], "read_api read_user",
        "the user's yes stays as it was"
    );
}

/// D22, lesson 7. It belongs to one application, which authenticates if it can.
#[test]
fn a_refresh_token_is_of_use_to_its_application_alone() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("api");
    let tool = OauthClient::tool(&fixture.server);
    let other = OauthClient::register(&fixture.server, "https://shop.example/cb", &[]);
    for stranger in [&tool, &other] {
        let refused = stranger
            .refresh_request(&tokens.refresh)
            .send(&fixture.server);
        assert_refused(&refused, 400, "invalid_grant");
    }
    let own = fixture.client.refresh_request(&tokens.refresh);
    let bare = own.clone().without("client_secret").send(&fixture.server);
    assert_refused(&bare, 401, "invalid_client");
    let unauthenticated = own.clone().without("client_secret").without("client_id");
    assert_refused(
        &unauthenticated.send(&fixture.server),
        401,
        "invalid_client",
    );
    IssuedTokens::of(&own.send(&fixture.server));
}

/// OAUTH-04. A public application has no secret to refresh with, and needs none.
#[test]
fn a_public_application_refreshes_without_a_secret() {
    let mut fixture = OauthFixture::tool();
    let tokens = fixture.tokens("api");
    let own = fixture.client.refresh_request(&tokens.refresh);
    let guessed = own.clone().with("client_secret", "x").send(&fixture.server);
    assert_refused(&guessed, 401, "invalid_client");
    IssuedTokens::of(&own.send(&fixture.server));
}

/// D23. Unused it expires after 90 days, and each use extends it by 90 more, up to a year after the consent.
#[test]
fn a_refresh_token_ends_unused_and_in_the_end_in_any_case() {
    let mut fixture = OauthFixture::web();
    let idle = fixture.tokens("api");
    let day: i64 = 86_400_000_000;
    let shift = |table: &str, column: &str, days: i64| {
        let micros = days * day;
        let past = format!("UPDATE {table} SET {column} = {column} - {micros}");
        change(&fixture.server, &past);
    };
    shift("oauth_token_pairs", "refresh_expires_at", 89);
    let next = IssuedTokens::of(&fixture.refresh(&idle.refresh));
    shift("oauth_token_pairs", "refresh_expires_at", 90);
    assert_refused(&fixture.refresh(&next.refresh), 400, "invalid_grant");

    let request = fixture.client.authorization_request();
    let code = fixture.land(&request).code();
    let used = IssuedTokens::of(&fixture.client.redemption(&code).send(&fixture.server));
    let end = |column: &str| {
        let statement = format!(
            "UPDATE oauth_grants SET {column} = {column} - {}",
            365 * day
        );
        change(&fixture.server, &statement);
    };
    end("expires_at");
    assert_refused(&fixture.refresh(&used.refresh), 400, "invalid_grant");
}

/// D23. A refresh token never outlives its grant.
#[test]
fn no_refresh_token_outlives_its_grant() {
    let mut fixture = OauthFixture::configured("[oauth]\ngrant_days = 30\nrefresh_idle_days = 90");
    let tokens = fixture.tokens("api");
    let form = fixture.client.form("x").with("token", &tokens.refresh);
    let response = form.post(&fixture.server, "/oauth/introspect").expect(200);
    let lives = response["exp"].as_i64().unwrap() - response["iat"].as_i64().unwrap();
    assert!((29 * 86_400..=30 * 86_400).contains(&lives), "{response}");
}

/// Lesson 29. The user's state is checked each time, not only at the consent.
#[test]
fn a_blocked_user_refreshes_nothing() {
    let mut fixture = OauthFixture::web();
    let tokens = fixture.tokens("api");
    fixture.server.block("dev");
    assert_refused(&fixture.refresh(&tokens.refresh), 400, "invalid_grant");
    let refused = crate::support::eventually("the token is refused", || {
        let answer = fixture.use_token(&tokens.access);
        (answer.status != 200).then_some(answer.status)
    });
    assert!(matches!(refused, 401 | 403), "{refused}");
}

/// OAUTH-04. An access token, a code, or an empty value is not a refresh token.
#[test]
fn other_tokens_are_refused_as_refresh_tokens() {
    let mut fixture = OauthFixture::web();
    let code = fixture.code();
    let tokens = fixture.tokens("api");
    for other in [&tokens.access, &code, "x", "ghor_", &"ghor_".repeat(800)] {
        assert_refused(&fixture.refresh(other), 400, "invalid_grant");
    }
    IssuedTokens::of(&fixture.refresh(&tokens.refresh));
}
