//! Concurrent answers to one consent page.

use super::{all_at_once, on_each_database};
use crate::support::relying_party::{agree, code_of};

/// OAUTH-01: a form that is sent several times at once results in one code.
#[test]
fn concurrent_consent_submissions_issue_one_code() {
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

/// Approval and denial at the same time: the application gets one of them.
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
