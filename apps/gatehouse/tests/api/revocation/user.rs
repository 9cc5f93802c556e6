//! Users are blocked, and unblocked.

use gatehouse_core::auth::epoch::MAX_STALENESS;
use serde_json::json;

use super::{SignInCredentials, on_each_database};
use crate::oauth_races::is_over_within;
use crate::support::TestCaller;

/// A blocked user is refused everywhere, and learns the reason only after authenticating.
#[test]
fn blocking_ends_everything_and_is_reported_to_its_user_alone() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let mut credentials = SignInCredentials::of(&server, "developer", &shop);
        let personal = server.developer();
        let by_password = shop.by_password("dev", &server.password_of("developer"));
        let by_password = by_password.expect(200)["access_token"].clone();
        let wrong = shop.by_password("dev", "wrong");
        server.block("dev");
        is_over_within(MAX_STALENESS, || personal.get("/api/v4/user").status == 200);
        is_over_within(MAX_STALENESS, || {
            shop.call(&credentials.tokens.access).status == 200
        });
        is_over_within(MAX_STALENESS, || credentials.browser.is_signed_in());
        personal.get("/api/v4/user").assert_is(
            403,
            &json!({ "message": "403 Forbidden - Your account has been blocked." }),
        );
        let caller = TestCaller::bearer(server.base_url(), by_password.as_str().unwrap());
        assert_eq!(caller.get("/api/v4/user").status, 401);
        assert_eq!(
            caller.get("/oauth/token/info").expect(401)["error"],
            "invalid_token"
        );
        assert_eq!(credentials.still_valid(), Vec::<&str>::new());
        let right = shop.by_password("dev", &server.password_of("developer"));
        assert_eq!(
            (right.status, right.text()),
            (wrong.status, wrong.text()),
            "the password grant tells nobody"
        );
        let mut browser = server.browser();
        let response = browser.try_sign_in("dev", &server.password_of("developer"));
        assert!(response.text().contains("This account is blocked."));
        assert!(!browser.is_signed_in());
        let response = browser.try_sign_in("dev", "wrong");
        assert!(!response.text().contains("blocked"));
    });
}

/// An unblocked user signs in and consents again: revoked credentials stay revoked.
#[test]
fn unblocking_brings_nothing_back() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let credentials = SignInCredentials::of(&server, "developer", &shop);
        let rita = SignInCredentials::of(&server, "reporter", &shop);
        server.block("dev");
        let unblocked = server.command(&["user", "unblock", "dev"]);
        assert!(unblocked.status.success(), "{unblocked:?}");
        is_over_within(MAX_STALENESS, || {
            shop.call(&credentials.tokens.access).status == 200
        });
        let personal = server.developer();
        crate::support::eventually("personal tokens work again", || {
            (personal.get("/api/v4/user").status == 200).then_some(())
        });
        assert_eq!(credentials.still_valid(), Vec::<&str>::new());
        assert_eq!(
            SignInCredentials::of(&server, "developer", &shop).still_valid(),
            super::ALL
        );
        assert_eq!(rita.still_valid(), super::ALL);
    });
}
