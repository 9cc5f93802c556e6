//! Two processes on one database, each with its own cache.

use std::collections::BTreeMap;

use gatehouse_core::auth::epoch::MAX_STALENESS;
use gatehouse_core::auth::revocations::GRANT_CACHE_TTL;

use super::{all_at_once, is_over_within, on_each_shared_database, statuses};
use crate::support::browser::SESSION_COOKIE;
use crate::support::relying_party::{RelyingPartyTokens, agree, code_of};

/// OAUTH-04: the pair is rotated at one process; the other had cached it as valid.
#[test]
fn a_pair_that_one_process_replaces_is_over_at_the_other() {
    on_each_shared_database(|first, second| {
        let at_first = first.relying_party("Shop");
        let at_second = at_first.at(&second);
        let old = at_first.tokens(&mut first.signed_in("developer"));
        at_second.call(&old.access).assert_ok();
        let next = RelyingPartyTokens::of(&at_first.refresh(&old.refresh));
        assert_eq!(at_first.call(&old.access).status, 401);
        is_over_within(GRANT_CACHE_TTL, || {
            at_second.call(&old.access).status == 200
        });
        at_second.call(&next.access).assert_ok();
        let last = RelyingPartyTokens::of(&at_second.refresh(&next.refresh));
        at_first.call(&last.access).assert_ok();
    });
}

/// OAUTH-08.
#[test]
fn a_token_that_one_process_revokes_is_over_at_the_other() {
    on_each_shared_database(|first, second| {
        let at_first = first.relying_party("Shop");
        let at_second = at_first.at(&second);
        let tokens = at_first.tokens(&mut first.signed_in("developer"));
        at_second.call(&tokens.access).assert_ok();
        assert_eq!(at_first.revoke(&tokens.refresh).text(), "{}");
        is_over_within(GRANT_CACHE_TTL, || {
            at_second.call(&tokens.access).status == 200
        });
        assert_eq!(at_second.refresh(&tokens.refresh).status, 400);
    });
}

/// Changes that raise the authentication epoch at one process reach the other: the end of a session, and a new secret
/// of an application.
#[test]
fn a_session_and_a_secret_that_end_at_one_process_are_over_at_the_other() {
    on_each_shared_database(|first, second| {
        let at_first = first.relying_party("Shop");
        let old = at_first.at(&second);
        let mut here = first.signed_in("developer");
        let mut there = second.browser();
        there.plant(SESSION_COOKIE, here.session());
        assert!(there.is_signed_in());
        let tokens = old.tokens(&mut there);
        assert_eq!(here.submit("/profile", "/users/sign_out", &[]).status, 303);
        is_over_within(MAX_STALENESS, || there.is_signed_in());
        let path = format!("/api/v4/applications/{}/renew-secret", old.id);
        let renewed = first.admin().post(&path, &serde_json::json!({}));
        is_over_within(MAX_STALENESS, || old.refresh("unknown").status == 400);
        assert_eq!(
            old.refresh("unknown").expect(401)["error"],
            "invalid_client"
        );
        old.with_secret_of(&renewed)
            .refresh(&tokens.refresh)
            .assert_ok();
    });
}

/// D20: half of them refresh at one process and half at the other.
#[test]
fn refreshes_at_both_processes_give_the_same_pair() {
    on_each_shared_database(|first, second| {
        let shop = first.relying_party("Shop");
        let both = [shop.clone(), shop.at(&second)];
        let mut tokens = shop.tokens(&mut first.signed_in("developer"));
        for _ in 0..3 {
            let answers = all_at_once(30, |number| both[number % 2].refresh(&tokens.refresh));
            assert_eq!(statuses(&answers), BTreeMap::from([(200, 30)]));
            let next = RelyingPartyTokens::of(&answers[0]);
            assert!(
                answers
                    .iter()
                    .all(|answer| RelyingPartyTokens::of(answer) == next)
            );
            for at in &both {
                at.call(&next.access).assert_ok();
            }
            tokens = next;
        }
    });
}

/// D19: a code that one process issued is redeemed at both at once.
#[test]
fn a_code_is_redeemed_at_one_of_both_processes() {
    on_each_shared_database(|first, second| {
        let shop = first.relying_party("Shop");
        let both = [shop.clone(), shop.at(&second)];
        let code = shop.code(&mut first.signed_in("developer"));
        let answers = all_at_once(20, |number| both[number % 2].redeem(&code));
        assert_eq!(statuses(&answers), BTreeMap::from([(200, 1), (400, 19)]));
        let tokens = answers.iter().find(|answer| answer.status == 200);
        let tokens = RelyingPartyTokens::of(tokens.unwrap());
        for at in both {
            is_over_within(GRANT_CACHE_TTL, || at.call(&tokens.access).status == 200);
        }
    });
}

/// OAUTH-01: one process shows the consent page, the other gets the answer, and the first redeems the code.
#[test]
fn consent_shown_by_one_process_can_be_submitted_to_another() {
    on_each_shared_database(|first, second| {
        let shop = first.relying_party("Shop");
        let mut here = first.signed_in("developer");
        let handle = shop.question(&mut here);
        let mut there = second.browser();
        there.plant(SESSION_COOKIE, here.session());
        let code = code_of(&agree(&mut there, &handle)).unwrap();
        assert_eq!(agree(&mut here, &handle).status, 403);
        shop.redeem(&code).assert_ok();
    });
}
