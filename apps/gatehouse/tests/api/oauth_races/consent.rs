//! Answering one question.

use super::{all_at_once, on_each_database};
use crate::support::browser::hidden;
use crate::support::relying_party::{agree, code_of};

/// OAUTH-01: a form that is sent several times at once gives one code.
#[test]
fn one_question_is_answered_with_one_code() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let mut browser = server.signed_in("developer");
        let handle = shop.question(&mut browser);
        let answers = all_at_once(20, |_| agree(&mut browser.clone(), &handle));
        let codes: Vec<String> = answers.iter().filter_map(code_of).collect();
        assert_eq!(codes.len(), 1);
        let refused = answers.iter().filter(|answer| answer.status != 303);
        assert!(refused.clone().all(|answer| answer.status == 403));
        assert_eq!(refused.count(), 19);
        shop.redeem(&codes[0]).assert_ok();
    });
}

/// Yes and no at the same moment: the application hears one of them.
#[test]
fn of_yes_and_no_one_is_heard() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let mut browser = server.signed_in("developer");
        for _ in 0..5 {
            let handle = shop.question(&mut browser);
            let answers = all_at_once(4, |number| {
                let mut browser = browser.clone();
                if number % 2 == 0 {
                    return agree(&mut browser, &handle);
                }
                let fields = [("handle", handle.as_str()), ("_method", "delete")];
                browser.submit("/profile", "/oauth/authorize", &fields)
            });
            let heard = answers.iter().filter(|answer| answer.status == 303);
            assert_eq!(heard.count(), 1);
        }
    });
}

/// D7: while a browser signs out, its user's consent is asked and taken for granted in other tabs. Whatever code comes
/// of it is worth nothing afterwards.
#[test]
fn no_code_outlives_a_sign_out_that_races_it() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        shop.tokens(&mut server.signed_in("developer"));
        for round in 0..20 {
            let mut browser = server.signed_in("developer");
            let handle = shop.question(&mut browser);
            let silent = shop.authorize_path(&[("prompt", "none")]);
            let token = hidden(&browser.open("/profile"), "authenticity_token");
            let answers = all_at_once(8, |number| {
                let mut browser = browser.clone();
                match number {
                    0 => browser.post("/users/sign_out", &[("authenticity_token", &token)]),
                    1 => {
                        let fields = [("authenticity_token", &*token), ("handle", &handle)];
                        browser.post("/oauth/authorize", &fields)
                    }
                    _ => browser.open(&silent),
                }
            });
            for code in answers.iter().filter_map(code_of) {
                assert_eq!(shop.redeem(&code).status, 400, "round {round}");
            }
        }
    });
}
