//! Reuse of a refresh token (RFC 9700, section 4.14): after a lost response, or by a thief.

use crate::oauth::support::{IssuedTokens, OauthFixture, assert_refused};
use crate::support::rows::change;

/// D20, lessons 2 and 32. Shortly after the first use, the same request gets the same response: the family does not
/// fork.
#[test]
fn soon_after_the_same_refresh_gets_the_same_pair() {
    for mut fixture in [OauthFixture::web(), OauthFixture::tool()] {
        let first = fixture.tokens("openid api");
        let next = IssuedTokens::of(&fixture.refresh(&first.refresh));
        for _ in 0..3 {
            let again = IssuedTokens::of(&fixture.refresh(&first.refresh));
            assert_eq!(
                (&again.access, &again.refresh),
                (&next.access, &next.refresh)
            );
            assert_eq!(again.body["created_at"], next.body["created_at"]);
        }
        fixture.use_token(&next.access).assert_ok();
        IssuedTokens::of(&fixture.refresh(&next.refresh));
    }
}

/// D20, lessons 2 and 3. The time counts from the first use. Retries do not extend it; a later reuse revokes the
/// family.
#[test]
fn the_time_for_repeats_counts_from_the_first_use() {
    let mut fixture = OauthFixture::tool();
    let first = fixture.tokens("api");
    let next = IssuedTokens::of(&fixture.refresh(&first.refresh));
    let earlier = |seconds: i64| {
        let past = format!(
            "UPDATE oauth_token_pairs SET rotated_at = rotated_at - {seconds}000000 WHERE rotated_at IS NOT NULL"
        );
        change(&fixture.server, &past);
    };
    for _ in 0..2 {
        earlier(3);
        IssuedTokens::of(&fixture.refresh(&first.refresh));
    }
    earlier(5);
    assert_refused(&fixture.refresh(&first.refresh), 400, "invalid_grant");
    assert_eq!(
        fixture.use_token(&next.access).expect(401)["error"],
        "invalid_token"
    );
    assert_refused(&fixture.refresh(&next.refresh), 400, "invalid_grant");
}

/// D20. If no retry is allowed, the second use revokes the family.
#[test]
fn the_second_use_revokes_the_family_if_retries_are_disabled() {
    let mut fixture = OauthFixture::configured("[oauth]\nrefresh_repeat_seconds = 0");
    let bystander = fixture.tokens("api");
    let first = fixture.tokens("api");
    let next = IssuedTokens::of(&fixture.refresh(&first.refresh));
    fixture.use_token(&next.access).assert_ok();
    assert_refused(&fixture.refresh(&first.refresh), 400, "invalid_grant");
    assert_eq!(
        fixture.use_token(&next.access).expect(401)["error"],
        "invalid_token"
    );
    assert_refused(&fixture.refresh(&next.refresh), 400, "invalid_grant");
    fixture.use_token(&bystander.access).assert_ok();
    IssuedTokens::of(&fixture.refresh(&bystander.refresh));
}

/// D20. A client that has used the next pair has received the response; a reuse is then a thief's, however soon it
/// comes.
#[test]
fn a_repeat_after_the_next_pair_was_used_ends_the_family() {
    let mut fixture = OauthFixture::web();
    let first = fixture.tokens("api");
    let second = IssuedTokens::of(&fixture.refresh(&first.refresh));
    let third = IssuedTokens::of(&fixture.refresh(&second.refresh));
    assert_refused(&fixture.refresh(&first.refresh), 400, "invalid_grant");
    for token in [&second, &third] {
        assert_refused(&fixture.refresh(&token.refresh), 400, "invalid_grant");
        assert_eq!(fixture.use_token(&token.access).status, 401);
    }
}

/// Lesson 4. Within one second as well as over many: the order of pairs does not depend on seconds.
#[test]
fn rotations_within_one_second_are_distinguished() {
    let mut fixture = OauthFixture::web();
    let mut tokens = vec![fixture.tokens("api")];
    for _ in 0..8 {
        let next = IssuedTokens::of(&fixture.refresh(&tokens.last().unwrap().refresh));
        tokens.push(next);
    }
    let (newest, old) = tokens.split_last().unwrap();
    for one in old {
        assert_eq!(fixture.use_token(&one.access).status, 401);
    }
    fixture.use_token(&newest.access).assert_ok();
}

/// Lessons 5 and 6. Reuse is detected as long as the family lives, even after restarts and cleanups.
#[test]
fn reuse_is_noticed_as_long_as_the_family_lives() {
    let mut fixture = OauthFixture::web();
    let first = fixture.tokens("api");
    let second = IssuedTokens::of(&fixture.refresh(&first.refresh));
    let third = IssuedTokens::of(&fixture.refresh(&second.refresh));
    let month: i64 = 30 * 86_400_000_000;
    fixture.server.kill();
    let past = format!(
        "UPDATE oauth_token_pairs SET created_at = created_at - {month}, expires_at = expires_at - {month}, \
         rotated_at = rotated_at - {month} WHERE rotated_at IS NOT NULL"
    );
    change(&fixture.server, &past);
    fixture.server.restart();
    fixture.use_token(&third.access).assert_ok();
    assert_refused(&fixture.refresh(&first.refresh), 400, "invalid_grant");
    assert_eq!(fixture.use_token(&third.access).status, 401);
    assert_refused(&fixture.refresh(&third.refresh), 400, "invalid_grant");
}

/// D22. A stranger cannot revoke anything with a spent token.
#[test]
fn a_stranger_with_a_spent_token_ends_nothing() {
    let mut fixture = OauthFixture::configured("[oauth]\nrefresh_repeat_seconds = 0");
    let first = fixture.tokens("api");
    let next = IssuedTokens::of(&fixture.refresh(&first.refresh));
    let stranger = crate::oauth::support::OauthClient::tool(&fixture.server);
    let refused = stranger
        .refresh_request(&first.refresh)
        .send(&fixture.server);
    assert_refused(&refused, 400, "invalid_grant");
    fixture.use_token(&next.access).assert_ok();
}
