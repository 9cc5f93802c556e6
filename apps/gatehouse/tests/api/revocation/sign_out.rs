//! Browsers sign out.

use super::{ALL, SignInCredentials, on_each_database};
use crate::support::browser::TestBrowser;

/// AUTH-03, D7: a code and a consent page belong to their session. Redeemed tokens belong to the application.
#[test]
fn sign_out_ends_pending_authorizations_and_keeps_issued_tokens() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let mut here = SignInCredentials::of(&server, "developer", &shop);
        let there = SignInCredentials::of(&server, "developer", &shop);
        let answer = here.browser.submit("/profile", "/users/sign_out", &[]);
        assert_eq!(answer.status, 303);
        assert_eq!(here.still_valid(), ["access token", "refresh token"]);
        assert_eq!(there.still_valid(), ALL);
    });
}

#[test]
fn a_session_that_is_ended_from_the_profile_ends_the_same_way() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let there = SignInCredentials::of(&server, "developer", &shop);
        let mut here = SignInCredentials::of(&server, "developer", &shop);
        let first = first_session(&mut here.browser);
        let answer = here
            .browser
            .submit("/profile", &first, &[("_method", "delete")]);
        assert_eq!(answer.status, 303);
        assert_eq!(there.still_valid(), ["access token", "refresh token"]);
        assert_eq!(here.still_valid(), ALL);
    });
}

/// D24: anyone who used one of the other browsers may have granted anything, so all grants are revoked. The current
/// browser stays signed in, and can grant again.
#[test]
fn signing_out_everywhere_else_leaves_nothing_but_the_browser_in_which_it_is_done() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let there = [(); 2].map(|()| SignInCredentials::of(&server, "developer", &shop));
        let rita = SignInCredentials::of(&server, "reporter", &shop);
        let mut here = SignInCredentials::of(&server, "developer", &shop);
        let answer = here
            .browser
            .submit("/profile", "/profile/sessions/others", &[]);
        assert_eq!(answer.status, 303);
        for credentials in there {
            assert_eq!(credentials.still_valid(), Vec::<&str>::new());
        }
        let again = SignInCredentials::in_browser(here.browser.clone(), &shop);
        assert_eq!(here.still_valid(), ["session", "question"]);
        assert_eq!(again.still_valid(), ALL);
        assert_eq!(rita.still_valid(), ALL);
    });
}

/// A new sign-in in the same browser does not continue anything of the earlier session.
#[test]
fn a_new_sign_in_ends_pending_authorizations_of_the_old_session() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let mut credentials = SignInCredentials::of(&server, "developer", &shop);
        let before = credentials.browser.session().to_owned();
        let (name, password) = (server.name_of("developer"), server.password_of("developer"));
        let from = "/users/sign_in?again=1";
        let fields = [
            ("user[login]", name.as_str()),
            ("user[password]", password.as_str()),
        ];
        let answer = credentials.browser.submit(from, "/users/sign_in", &fields);
        assert_eq!(answer.status, 303, "{}", answer.text());
        assert_ne!(credentials.browser.session(), before);
        assert_eq!(
            credentials.still_valid(),
            ["session", "access token", "refresh token"]
        );
    });
}

/// The path that ends the oldest session.
fn first_session(browser: &mut TestBrowser) -> String {
    let page = browser.open("/profile").text();
    let forms = page.split("action=\"/profile/sessions/").skip(1);
    let ids = forms.filter_map(|rest| rest.split_once('"')?.0.parse::<u64>().ok());
    format!("/profile/sessions/{}", ids.min().unwrap())
}
