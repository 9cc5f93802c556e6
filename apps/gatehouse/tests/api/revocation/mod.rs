//! Effects of revocations: a browser signs out, a password or an application changes, a user is blocked.
//!
//! Each revocation is checked against all credentials of a user: a session, an access token, a refresh token, an
//! unredeemed code, and a pending consent page.

mod all_at_once;
mod application;
mod at_once;
mod password;
mod second_factor;
mod sign_out;
mod user;

use crate::oauth_races::on_each_database_with;
use crate::support::TestServer;
use crate::support::browser::TestBrowser;
use crate::support::relying_party::{RelyingParty, RelyingPartyTokens, agree, code_of};

/// All credentials that follow from signing in, in one browser and at one application.
struct SignInCredentials {
    shop: RelyingParty,
    browser: TestBrowser,
    tokens: RelyingPartyTokens,
    code: String,
    question: String,
}

/// All credentials, in the order in which [`SignInCredentials::still_valid`] tries them.
const ALL: [&str; 5] = [
    "session",
    "access token",
    "question",
    "code",
    "refresh token",
];

/// Checks a property of a server on each database. Codes last longer than any test.
fn on_each_database(fact: impl Fn(TestServer) + Sync) {
    on_each_database_with("[oauth]\ncode_seconds = 600\n", fact);
}

impl SignInCredentials {
    /// Signs a user of the demo in, and authorizes the application.
    #[track_caller]
    fn of(server: &TestServer, person: &str, shop: &RelyingParty) -> Self {
        Self::in_browser(server.signed_in(person), shop)
    }

    /// The same in a browser with a signed-in user.
    #[track_caller]
    fn in_browser(mut browser: TestBrowser, shop: &RelyingParty) -> Self {
        let tokens = shop.tokens(&mut browser);
        let question = shop.question(&mut browser);
        let code = shop.code(&mut browser);
        // From here on the server has cached the credentials.
        shop.call(&tokens.access).assert_ok();
        Self {
            shop: shop.clone(),
            browser,
            tokens,
            code,
            question,
        }
    }

    /// Tries all credentials, which uses up some of them, and returns the names of those that still work.
    #[track_caller]
    fn still_valid(mut self) -> Vec<&'static str> {
        let (shop, tokens) = (&self.shop, &self.tokens);
        let works = [
            self.browser.is_signed_in(),
            shop.call(&tokens.access).status == 200,
            code_of(&agree(&mut self.browser, &self.question)).is_some(),
            shop.redeem(&self.code).status == 200,
            shop.refresh(&tokens.refresh).status == 200,
        ];
        let named = ALL.into_iter().zip(works);
        named
            .filter_map(|(name, works)| works.then_some(name))
            .collect()
    }
}

/// Without a revocation everything works; otherwise the other tests would prove nothing.
#[test]
fn all_credentials_are_valid_without_a_revocation() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        assert_eq!(
            SignInCredentials::of(&server, "developer", &shop).still_valid(),
            ALL
        );
    });
}
