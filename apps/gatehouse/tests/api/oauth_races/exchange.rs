//! Concurrent redemptions of one code.

use std::collections::BTreeMap;

use super::{all_at_once, on_each_database, statuses};
use crate::support::relying_party::RelyingPartyTokens;

/// OAUTH-03, RFC 6749, section 4.1.2: a code works once, however many redeem it at the same time; and because the
/// others replayed it, the tokens of the first one are revoked (lesson 11).
#[test]
fn of_a_hundred_who_redeem_one_code_one_gets_tokens() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let mut browser = server.signed_in("developer");
        let other = shop.tokens(&mut browser);
        let code = shop.code(&mut browser);
        let answers = all_at_once(100, |_| shop.redeem(&code));
        assert_eq!(statuses(&answers), BTreeMap::from([(200, 1), (400, 99)]));
        for answer in &answers {
            if answer.status == 400 {
                assert_eq!(answer.json()["error"], "invalid_grant");
            } else {
                let tokens = RelyingPartyTokens::of(answer);
                assert_eq!(shop.call(&tokens.access).status, 401);
                assert_eq!(shop.refresh(&tokens.refresh).status, 400);
            }
        }
        shop.call(&other.access).assert_ok();
        shop.refresh(&other.refresh).assert_ok();
    });
}

/// A code that is not replayed gives tokens that last, whatever else is redeemed meanwhile.
#[test]
fn fifty_codes_at_once_give_fifty_pairs() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let mut browser = server.signed_in("developer");
        let codes: Vec<String> = (0..50).map(|_| shop.code(&mut browser)).collect();
        let answers = all_at_once(50, |number| shop.redeem(&codes[number]));
        let mut pairs: Vec<RelyingPartyTokens> =
            answers.iter().map(RelyingPartyTokens::of).collect();
        for pair in &pairs {
            shop.call(&pair.access).assert_ok();
        }
        pairs.sort();
        pairs.dedup();
        assert_eq!(pairs.len(), 50);
    });
}
