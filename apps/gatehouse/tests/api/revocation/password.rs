//! Changes of a password.

use gatehouse_core::auth::epoch::MAX_STALENESS;

use super::{ALL, SignInCredentials, on_each_database};
use crate::oauth_races::is_over_within;

/// AUTH-03, D24, RFC 9700: anyone who knew the old password loses the access that it gave, in other browsers and at
/// applications. The browser in which it is changed stays signed in.
#[test]
fn another_password_leaves_nothing_but_the_browser_in_which_it_is_changed() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let there = SignInCredentials::of(&server, "developer", &shop);
        let rita = SignInCredentials::of(&server, "reporter", &shop);
        let mut here = SignInCredentials::of(&server, "developer", &shop);
        let old = server.password_of("developer");
        let fields = [
            ("user[current_password]", old.as_str()),
            ("user[password]", "a new password"),
            ("user[password_confirmation]", "a new password"),
        ];
        let answer = here
            .browser
            .submit("/profile", "/profile/password", &fields);
        assert_eq!(answer.status, 303, "{}", answer.text());
        assert_eq!(there.still_valid(), Vec::<&str>::new());
        assert_eq!(here.still_valid(), ["session", "question"]);
        let still_valid = rita.still_valid();
        assert!(still_valid.contains(&"session") && still_valid.contains(&"access token"));
        let refused = shop.by_password("dev", &old).expect(400);
        assert_eq!(refused["error"], "invalid_grant");
        shop.by_password("dev", "a new password").assert_ok();
    });
}

/// An administrator sets a new password, in a separate process.
#[test]
fn another_password_from_an_administrator_ends_everything() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let mut credentials = SignInCredentials::of(&server, "developer", &shop);
        let rita = SignInCredentials::of(&server, "reporter", &shop);
        let flags = ["user", "password", "dev", "--password-stdin"];
        let output = server.command_with_input(&flags, "a new password\n");
        assert!(output.status.success(), "{output:?}");
        is_over_within(MAX_STALENESS, || {
            shop.call(&credentials.tokens.access).status == 200
        });
        is_over_within(MAX_STALENESS, || credentials.browser.is_signed_in());
        assert_eq!(credentials.still_valid(), Vec::<&str>::new());
        assert_eq!(rita.still_valid(), ALL);
        let mut browser = server.browser();
        let old = server.password_of("developer");
        assert_eq!(browser.try_sign_in("dev", &old).status, 422);
        browser.sign_in("dev", "a new password");
    });
}
