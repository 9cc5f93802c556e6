//! Concurrent uses of one refresh token, and revocation meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use super::{all_at_once, on_each_database, statuses};
use crate::support::relying_party::RelyingPartyTokens;

/// OAUTH-04, D20, lessons 1 and 2: one request rotates the pair, and the concurrent ones get the same new pair. There
/// is one branch, and it continues.
#[test]
fn a_hundred_who_refresh_at_once_get_the_same_pair() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let old = shop.tokens(&mut server.signed_in("developer"));
        shop.call(&old.access).assert_ok();
        let answers = all_at_once(100, |_| shop.refresh(&old.refresh));
        assert_eq!(statuses(&answers), BTreeMap::from([(200, 100)]));
        let pairs: BTreeSet<RelyingPartyTokens> =
            answers.iter().map(RelyingPartyTokens::of).collect();
        assert_eq!(pairs.len(), 1);
        assert_eq!(shop.call(&old.access).status, 401);
        let next = pairs.into_iter().next().unwrap();
        shop.call(&next.access).assert_ok();
        let last = RelyingPartyTokens::of(&shop.refresh(&next.refresh));
        assert_eq!(shop.call(&next.access).status, 401);
        shop.call(&last.access).assert_ok();
    });
}

/// OAUTH-08: whichever comes first, a concurrent refresh and revocation leave no valid token.
#[test]
fn no_token_survives_a_revocation_that_races_refreshes() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let mut browser = server.signed_in("developer");
        for round in 0..12 {
            let old = shop.tokens(&mut browser);
            let ended = if round % 2 == 0 {
                &old.refresh
            } else {
                &old.access
            };
            let answers = all_at_once(6, |number| {
                if number == round % 6 {
                    shop.revoke(ended)
                } else {
                    shop.refresh(&old.refresh)
                }
            });
            assert_eq!(answers[round % 6].text(), "{}");
            let mut tokens = vec![old];
            for answer in &answers {
                if answer.status == 200 && answer.text() != "{}" {
                    tokens.push(RelyingPartyTokens::of(answer));
                } else if answer.status != 200 {
                    assert_eq!(answer.expect(400)["error"], "invalid_grant");
                }
            }
            for pair in tokens {
                assert_eq!(shop.call(&pair.access).status, 401, "round {round}");
                assert_eq!(shop.refresh(&pair.refresh).status, 400, "round {round}");
            }
        }
    });
}

/// D22: while its owner refreshes, strangers with the same token get no tokens and revoke nothing.
#[test]
fn strangers_who_try_at_the_same_time_change_nothing() {
    on_each_database(|server| {
        let [shop, stranger] = ["Shop", "Stranger"].map(|name| server.relying_party(name));
        let old = shop.tokens(&mut server.signed_in("developer"));
        let answers = all_at_once(20, |number| {
            if number % 2 == 0 {
                shop.refresh(&old.refresh)
            } else {
                stranger.refresh(&old.refresh)
            }
        });
        for (number, answer) in answers.iter().enumerate() {
            let expected = if number % 2 == 0 { 200 } else { 400 };
            assert_eq!(answer.status, expected, "{}", answer.text());
        }
        let next = RelyingPartyTokens::of(&answers[0]);
        shop.call(&next.access).assert_ok();
        shop.refresh(&next.refresh).assert_ok();
    });
}
