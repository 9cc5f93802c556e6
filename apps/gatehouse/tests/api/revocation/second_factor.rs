//! Enabling two-factor authentication.

use super::{ALL, SignInCredentials, on_each_database};
use crate::pages::second_factor::TwoFactorUser;

/// Other browsers were signed in without it, so they are signed out; earlier grants stay.
#[test]
fn a_second_factor_ends_the_sessions_that_began_without_it() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let there = SignInCredentials::of(&server, "developer", &shop);
        let here = SignInCredentials::of(&server, "developer", &shop);
        let factor = TwoFactorUser::in_browser(server, here.browser.clone());
        assert_eq!(there.still_valid(), ["access token", "refresh token"]);
        assert_eq!(here.still_valid(), ALL);
        drop(factor);
    });
}

/// OAUTH-05, D32, lesson 28: from then on the password alone gives no token, and the response does not reveal whether
/// it was correct.
#[test]
fn with_a_second_factor_the_right_password_is_refused_like_a_wrong_one() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let password = server.password_of("developer");
        shop.by_password("dev", &password).assert_ok();
        let wrong = shop.by_password("dev", "wrong");
        let browser = server.signed_in("developer");
        let factor = TwoFactorUser::in_browser(server, browser);
        let right = shop.by_password("dev", &password);
        assert_eq!(right.expect(400)["error"], "invalid_grant");
        let shown = |answer: &crate::support::TestResponse| {
            let kept = answer.headers.iter().filter(|(name, _)| {
                !matches!(name.as_str(), "date" | "x-request-id" | "x-runtime")
            });
            (
                answer.status,
                kept.cloned().collect::<Vec<_>>(),
                answer.text(),
            )
        };
        assert_eq!(shown(&right), shown(&wrong));
        drop(factor);
    });
}
