//! What is over when somebody revokes something: a browser signs out, a password or an application changes, a user is blocked.
//!
//! Each end is looked at from all that somebody can hold: a session, an access token, a refresh token, a code that
//! nobody redeemed, and a question that waits for its answer.

mod all_at_once;
mod application;
mod at_once;
mod password;
mod second_factor;
mod sign_out;
mod user;

use crate::oauth_races::on_each_database_with;
use crate::support::Server;
use crate::support::browser::Browser;
use crate::support::relying_party::{RelyingParty, Tokens, agree, code_of};

/// Everything that follows from signing in, in one browser and at one application.
struct Credentials {
    shop: RelyingParty,
    browser: Browser,
    tokens: Tokens,
    code: String,
    question: String,
}

/// All credentials, in the order in which [`Credentials::left`] looks for them.
const ALL: [&str; 5] = [
    "session",
    "access token",
    "question",
    "code",
    "refresh token",
];

/// Holds a fact against a server on each database, whose codes last longer than any test.
fn on_each_database(fact: impl Fn(Server) + Sync) {
    on_each_database_with("[oauth]\ncode_seconds = 600\n", fact);
}

impl Credentials {
    /// Signs one of the demo's people in, and lets them authorize the application.
    #[track_caller]
    fn of(server: &Server, person: &str, shop: &RelyingParty) -> Self {
        Self::in_browser(server.signed_in(person), shop)
    }

    /// The same in a browser in which somebody is signed in.
    #[track_caller]
    fn in_browser(mut browser: Browser, shop: &RelyingParty) -> Self {
        let tokens = shop.tokens(&mut browser);
        let question = shop.question(&mut browser);
        let code = shop.code(&mut browser);
        // Whatever the server remembers of them, it remembers from here on.
        shop.call(&tokens.access).assert_ok();
        Self {
            shop: shop.clone(),
            browser,
            tokens,
            code,
            question,
        }
    }

    /// Tries all credentials, which spends some of them, and names those that still work.
    #[track_caller]
    fn left(mut self) -> Vec<&'static str> {
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

/// While nobody revokes anything, everything works; otherwise the other tests would show nothing.
#[test]
fn nothing_ends_by_itself() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        assert_eq!(Credentials::of(&server, "developer", &shop).left(), ALL);
    });
}
