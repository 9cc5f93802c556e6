//! Exchange of a refresh token for the next pair (`OAUTH-04`).

use insta::assert_snapshot;
use serde_json::json;

use crate::oauth::support::{
    Client, OTHER_VERIFIER, Stage, Tokens, VERIFIER, assert_refused, assert_unstored,
};
use crate::support::rows::change;

/// OAUTH-04, D20, D25. The response has the next pair, and both old tokens are invalid from then on.
#[test]
fn a_refresh_gives_the_next_pair_and_ends_the_old_one_at_once() {
    for mut stage in [Stage::web(), Stage::tool()] {
        let first = stage.tokens("api read_user");
        stage.use_token(&first.access).assert_ok();
        let answer = stage.refresh(&first.refresh);
        assert_unstored(&answer);
        let next = Tokens::of(&answer);
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
        let refused = stage.use_token(&first.access).expect(401);
        assert_eq!(refused["error"], "invalid_token");
        stage.use_token(&next.access).assert_ok();
        Tokens::of(&stage.refresh(&next.refresh));
    }
}

/// OAUTH-04, spec rule 4, lessons 32 and 33. It also works long after the access token has expired.
#[test]
fn a_refresh_works_after_the_access_token_expired() {
    let mut stage = Stage::web();
    let tokens = stage.tokens("api");
    let past = "UPDATE oauth_token_pairs SET expires_at = created_at - 1";
    change(&stage.server, past);
    assert_eq!(
        stage.use_token(&tokens.access).expect(401)["error"],
        "invalid_token"
    );
    let introspect = |token: &str| {
        let form = stage.client.form("x").with("token", token);
        form.post(&stage.server, "/oauth/introspect").expect(200)["active"].clone()
    };
    assert_eq!(
        (introspect(&tokens.access), introspect(&tokens.refresh)),
        (json!(false), json!(true))
    );
    let next = Tokens::of(&stage.refresh(&tokens.refresh));
    stage.use_token(&next.access).assert_ok();
}

/// OAUTH-03, spec rule 1. Few clients resend the redirect URI or the verifier; if they do, it must match.
#[test]
fn what_is_sent_again_at_a_refresh_must_be_what_it_was() {
    let mut stage = Stage::tool();
    let tokens = stage.tokens("api");
    let refreshes = stage.client.refreshes(&tokens.refresh);
    for (name, value) in [
        ("redirect_uri", "https://evil.example/cb"),
        ("redirect_uri", "http://127.0.0.1:8091/callback"),
        ("code_verifier", OTHER_VERIFIER),
        ("code_verifier", "short"),
    ] {
        let refused = refreshes.clone().with(name, value).ask(&stage.server);
        assert_refused(&refused, 400, "invalid_grant");
    }
    let whole = refreshes
        .with("redirect_uri", &stage.client.redirect_uri)
        .with("code_verifier", VERIFIER);
    Tokens::of(&whole.ask(&stage.server));
}

/// D16. A verifier for a grant without a challenge is also an error at a refresh.
#[test]
fn a_verifier_at_a_refresh_without_a_challenge_is_refused() {
    let mut stage = Stage::web();
    let tokens = stage.tokens("api");
    let with = stage
        .client
        .refreshes(&tokens.refresh)
        .with("code_verifier", VERIFIER);
    assert_refused(&with.ask(&stage.server), 400, "invalid_grant");
    Tokens::of(&stage.refresh(&tokens.refresh));
}

/// D21, lesson 7. A refresh may request fewer scopes, but not more than the user consented to, even if the application
/// has them.
#[test]
fn a_refresh_narrows_and_never_widens() {
    let mut stage = Stage::web();
    let tokens = stage.tokens("read_api read_user");
    let with = |token: &str, scope: &str| stage.client.refreshes(token).with("scope", scope);
    for scope in ["api", "read_user api", "openid", "sudo", "mystery", " "] {
        let refused = with(&tokens.refresh, scope).ask(&stage.server);
        assert_refused(&refused, 400, "invalid_scope");
    }
    stage.use_token(&tokens.access).assert_ok();
    let narrow = Tokens::of(&with(&tokens.refresh, "read_user").ask(&stage.server));
    assert_eq!(narrow.body["scope"], "read_user");
    let caller = crate::support::Caller::bearer(stage.server.base_url(), &narrow.access);
    caller.get("/api/v4/user").assert_ok();
    assert_eq!(caller.get("/api/v4/projects").status, 403);
    let whole = Tokens::of(&stage.refresh(&narrow.refresh));
    assert_eq!(
        whole.body["scope"], "read_api read_user",
        "the user's yes stays as it was"
    );
}

/// D22, lesson 7. It belongs to one application, which authenticates if it can.
#[test]
fn a_refresh_token_is_of_use_to_its_application_alone() {
    let mut stage = Stage::web();
    let tokens = stage.tokens("api");
    let tool = Client::tool(&stage.server);
    let other = Client::register(&stage.server, "https://shop.example/cb", &[]);
    for stranger in [&tool, &other] {
        let refused = stranger.refreshes(&tokens.refresh).ask(&stage.server);
        assert_refused(&refused, 400, "invalid_grant");
    }
    let own = stage.client.refreshes(&tokens.refresh);
    let bare = own.clone().without("client_secret").ask(&stage.server);
    assert_refused(&bare, 401, "invalid_client");
    let nobody = own.clone().without("client_secret").without("client_id");
    assert_refused(&nobody.ask(&stage.server), 401, "invalid_client");
    Tokens::of(&own.ask(&stage.server));
}

/// OAUTH-04. A public application has no secret to refresh with, and needs none.
#[test]
fn a_public_application_refreshes_without_a_secret() {
    let mut stage = Stage::tool();
    let tokens = stage.tokens("api");
    let own = stage.client.refreshes(&tokens.refresh);
    let guessed = own.clone().with("client_secret", "x").ask(&stage.server);
    assert_refused(&guessed, 401, "invalid_client");
    Tokens::of(&own.ask(&stage.server));
}

/// D23. Unused it expires after 90 days, and each use extends it by 90 more, up to a year after the consent.
#[test]
fn a_refresh_token_ends_unused_and_in_the_end_in_any_case() {
    let mut stage = Stage::web();
    let idle = stage.tokens("api");
    let day: i64 = 86_400_000_000;
    let shift = |table: &str, column: &str, days: i64| {
        let micros = days * day;
        let past = format!("UPDATE {table} SET {column} = {column} - {micros}");
        change(&stage.server, &past);
    };
    shift("oauth_token_pairs", "refresh_expires_at", 89);
    let next = Tokens::of(&stage.refresh(&idle.refresh));
    shift("oauth_token_pairs", "refresh_expires_at", 90);
    assert_refused(&stage.refresh(&next.refresh), 400, "invalid_grant");

    let request = stage.client.asks();
    let code = stage.land(&request).code();
    let used = Tokens::of(&stage.client.redeems(&code).ask(&stage.server));
    let end = |column: &str| {
        let statement = format!(
            "UPDATE oauth_grants SET {column} = {column} - {}",
            365 * day
        );
        change(&stage.server, &statement);
    };
    end("expires_at");
    assert_refused(&stage.refresh(&used.refresh), 400, "invalid_grant");
}

/// D23. A refresh token never outlives its grant.
#[test]
fn no_refresh_token_outlives_its_grant() {
    let mut stage = Stage::configured("[oauth]\ngrant_days = 30\nrefresh_idle_days = 90");
    let tokens = stage.tokens("api");
    let form = stage.client.form("x").with("token", &tokens.refresh);
    let response = form.post(&stage.server, "/oauth/introspect").expect(200);
    let lives = response["exp"].as_i64().unwrap() - response["iat"].as_i64().unwrap();
    assert!((29 * 86_400..=30 * 86_400).contains(&lives), "{response}");
}

/// Lesson 29. The user's state is checked each time, not only at the consent.
#[test]
fn a_blocked_user_refreshes_nothing() {
    let mut stage = Stage::web();
    let tokens = stage.tokens("api");
    stage.server.block("dev");
    assert_refused(&stage.refresh(&tokens.refresh), 400, "invalid_grant");
    let refused = crate::support::eventually("the token is refused", || {
        let answer = stage.use_token(&tokens.access);
        (answer.status != 200).then_some(answer.status)
    });
    assert!(matches!(refused, 401 | 403), "{refused}");
}

/// OAUTH-04. An access token, a code, or an empty value is not a refresh token.
#[test]
fn what_is_no_refresh_token_refreshes_nothing() {
    let mut stage = Stage::web();
    let code = stage.code();
    let tokens = stage.tokens("api");
    for other in [&tokens.access, &code, "x", "ghor_", &"ghor_".repeat(800)] {
        assert_refused(&stage.refresh(other), 400, "invalid_grant");
    }
    Tokens::of(&stage.refresh(&tokens.refresh));
}
