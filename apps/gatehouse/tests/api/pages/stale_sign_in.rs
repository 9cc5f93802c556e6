//! Sign-in forms that were left open: the pending request is not lost (`AUTH-03`).

use crate::support::browser::{SESSION_COOKIE, hidden};
use crate::support::{TestResponse, TestServer};

const SIGN_IN: &str = "/users/sign_in";
const WAITING: &str = "/oauth/authorize?client_id=x&state=a%26b";

/// The form with this token, filled in by a user on the way to a pending request.
fn fields<'f>(token: &'f str, password: &'f str) -> Vec<(&'f str, &'f str)> {
    vec![
        ("authenticity_token", token),
        ("user[login]", "dev"),
        ("user[password]", password),
        ("return_to", WAITING),
    ]
}

#[track_caller]
fn assert_shown_again(answer: &TestResponse) {
    assert_eq!(answer.status, 403, "{}", answer.text());
    let text = answer.text();
    assert!(
        text.contains("name=\"user[login]\" value=\"dev\""),
        "{text}"
    );
    assert!(text.contains("Enter your password again."), "{text}");
    assert_eq!(hidden(answer, "return_to"), WAITING);
}

#[test]
fn a_second_tab_goes_on_once_the_first_has_signed_in() {
    let server = TestServer::start();
    let mut browser = server.browser();
    let password = server.password_of("developer");
    let tab = browser.open(SIGN_IN);
    let token = hidden(&tab, "authenticity_token");
    browser.sign_in("dev", &password);
    // The entered password is not tried.
    let answer = browser.post(SIGN_IN, &fields(&token, "not the password"));
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, Some(WAITING))
    );
    assert!(browser.is_signed_in());
}

#[test]
fn a_form_without_its_cookie_is_shown_again_with_the_login() {
    let server = TestServer::start();
    let password = server.password_of("developer");
    let token = hidden(&server.browser().open(SIGN_IN), "authenticity_token");
    let mut browser = server.browser();
    let answer = browser.post(SIGN_IN, &fields(&token, &password));
    assert_shown_again(&answer);
    assert!(!browser.is_signed_in());
    // The form that was shown again works.
    let token = hidden(&answer, "authenticity_token");
    let answer = browser.post(SIGN_IN, &fields(&token, &password));
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, Some(WAITING))
    );
    assert!(browser.is_signed_in());
}

#[test]
fn a_stale_form_does_not_skip_required_reauthentication() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let mut fields = fields("stale", "not the password");
    fields.push(("again", "choose_account"));
    let answer = browser.post(SIGN_IN, &fields);
    assert_shown_again(&answer);
    assert_eq!(hidden(&answer, "again"), "choose_account");
}

#[test]
fn another_site_gets_neither_a_form_nor_a_way_on() {
    let server = TestServer::start();
    for browser in [server.browser(), server.signed_in("developer")] {
        let mut browser = browser.with("Sec-Fetch-Site", "cross-site");
        let answer = browser.post(SIGN_IN, &fields("stale", "x"));
        assert_eq!(answer.status, 403);
        assert!(
            answer.text().contains("This form is no longer valid"),
            "{}",
            answer.text()
        );
    }
}

#[test]
fn an_old_form_of_the_second_factor_goes_on_or_to_the_beginning() {
    let server = TestServer::start();
    let path = "/users/sign_in/second_factor";
    let fields = [
        ("authenticity_token", "stale"),
        ("user[otp_attempt]", "123456"),
        ("return_to", WAITING),
    ];
    let mut browser = server.signed_in("developer");
    let answer = browser.post(path, &fields);
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, Some(WAITING))
    );
    let mut anonymous = server.browser();
    let answer = anonymous.post(path, &fields);
    let location = answer.header("location").unwrap_or_default();
    assert_eq!(answer.status, 303);
    assert!(
        location.starts_with("/users/sign_in?return_to=/oauth/authorize"),
        "{location}"
    );
    assert!(
        anonymous
            .cookie(SESSION_COOKIE)
            .is_none_or(|_| !anonymous.clone().is_signed_in())
    );
}
