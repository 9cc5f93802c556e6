//! `/users/sign_in` and `/users/sign_out`.

use crate::support::browser::{SESSION_COOKIE, hidden};
use crate::support::{TestResponse, TestServer};

fn cookie_line(answer: &TestResponse) -> String {
    let mut lines = answer
        .headers
        .iter()
        .filter(|(name, _)| name == "set-cookie");
    let found = lines.find(|(_, value)| value.starts_with(SESSION_COOKIE));
    found.map(|(_, value)| value.clone()).unwrap()
}

/// AUTH-03.
#[test]
fn a_login_and_a_password_sign_in_by_name_and_by_address() {
    let server = TestServer::start();
    for login in ["dev", "DEV", " dev ", "dev@example.com", "Dev@Example.com"] {
        let mut browser = server.browser();
        let answer = browser.try_sign_in(login, &server.password_of("developer"));
        assert_eq!(
            (answer.status, answer.header("location")),
            (303, Some("/")),
            "{login}"
        );
        let page = browser.visit("/");
        assert!(page.text().contains("Dana Developer"), "{}", page.text());
    }
}

#[test]
fn a_user_who_does_not_exist_gets_the_answer_of_a_wrong_password() {
    let server = TestServer::start();
    let wrong = server.browser().try_sign_in("dev", "not the password");
    let nobody = server.browser().try_sign_in("nob", "not the password");
    let bot = server
        .browser()
        .try_sign_in("alert-bot", "not the password");
    assert_eq!(wrong.status, 422);
    let response = |answer: &TestResponse, login: &str| {
        let token = hidden(answer, "authenticity_token");
        let text = answer.text().replace(&token, "TOKEN");
        (
            answer.status,
            text.replace(&format!("value=\"{login}\""), "value=\"LOGIN\""),
        )
    };
    assert_eq!(response(&wrong, "dev"), response(&nobody, "nob"));
    assert_eq!(response(&wrong, "dev"), response(&bot, "alert-bot"));
}

#[test]
fn an_empty_form_is_refused_like_a_wrong_one() {
    let server = TestServer::start();
    for fields in [
        &[][..],
        &[("user", "x")],
        &[("user[login]", "dev")],
        &[("user[login][]", "dev")],
    ] {
        let answer = server
            .browser()
            .submit("/users/sign_in", "/users/sign_in", fields);
        assert_eq!(answer.status, 422, "{fields:?}");
    }
}

/// AUTH-03. The cookie from before signing in is worthless afterwards.
#[test]
fn signing_in_gives_another_cookie_than_any_that_was_planted() {
    let server = TestServer::start();
    let mut attacker = server.browser();
    attacker.open("/users/sign_in");
    let planted = attacker.session().to_owned();
    let mut victim = server.browser();
    victim.plant(SESSION_COOKIE, &planted);
    victim.sign_in("dev", &server.password_of("developer"));
    assert_ne!(victim.session(), planted);
    assert!(!attacker.is_signed_in());
    assert_eq!(attacker.session(), planted);
}

#[test]
fn client_chosen_session_cookies_are_replaced() {
    let server = TestServer::start();
    for value in ["chosen", "ghse_short", ""] {
        let mut browser = server.browser();
        browser.plant(SESSION_COOKIE, value);
        assert_eq!(browser.open("/users/sign_in").status, 200);
        assert_ne!(browser.session(), value);
    }
}

#[test]
fn signing_in_again_ends_the_session_of_before() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let mut copy = browser.clone();
    let page = browser.open("/users/sign_in?again=1");
    assert_eq!(page.status, 200);
    let token = hidden(&page, "authenticity_token");
    let password = server.password_of("developer");
    let fields = [
        ("authenticity_token", token.as_str()),
        ("user[login]", "dev"),
        ("user[password]", password.as_str()),
    ];
    assert_eq!(browser.post("/users/sign_in", &fields).status, 303);
    assert!(browser.is_signed_in());
    assert!(!copy.is_signed_in());
}

#[test]
fn the_cookie_is_out_of_reach_of_scripts_and_other_sites() {
    let server = TestServer::start();
    let answer = server.browser().open("/users/sign_in");
    let line = cookie_line(&answer);
    assert!(line.starts_with("_service_session=ghse_"), "{line}");
    assert!(line.ends_with("; HttpOnly; SameSite=Lax; Path=/"), "{line}");
    let signed_in = server
        .browser()
        .try_sign_in("dev", &server.password_of("developer"));
    let line = cookie_line(&signed_in);
    assert!(
        line.ends_with("; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000"),
        "{line}"
    );
}

#[test]
fn sign_in_redirects_back_to_the_requested_page() {
    let server = TestServer::start();
    let mut browser = server.browser();
    let led = browser.open("/profile/two_factor?x=1");
    assert_eq!(led.status, 303);
    let address = led.header("location").unwrap().to_owned();
    assert_eq!(
        address,
        "/users/sign_in?return_to=/profile/two_factor%3Fx%3D1"
    );
    let page = browser.open(&address);
    let path = hidden(&page, "return_to");
    assert_eq!(path, "/profile/two_factor?x=1");
    let password = server.password_of("developer");
    let fields = [
        ("user[login]", "dev"),
        ("user[password]", &password),
        ("return_to", &path),
    ];
    let answer = browser.submit(&address, "/users/sign_in", &fields);
    assert_eq!(answer.header("location"), Some("/profile/two_factor?x=1"));
    let already = browser.open("/users/sign_in?return_to=/profile/two_factor");
    assert_eq!(already.header("location"), Some("/profile/two_factor"));
}

#[test]
fn no_link_to_the_sign_in_page_ends_on_another_server() {
    let server = TestServer::start();
    let password = server.password_of("developer");
    for external_url in [
        "//evil.example",
        "/\\evil.example",
        "https://evil.example",
        "/\t/evil.example",
        "javascript:alert(1)",
        "evil.example",
    ] {
        let fields = [
            ("user[login]", "dev"),
            ("user[password]", &password),
            ("return_to", external_url),
        ];
        let mut browser = server.browser();
        let answer = browser.submit("/users/sign_in", "/users/sign_in", &fields);
        assert_eq!(
            (answer.status, answer.header("location")),
            (303, Some("/")),
            "{external_url}"
        );
        let form = crate::support::browser::form(&[("return_to", external_url)]);
        let already = browser.open(&format!("/users/sign_in?{form}"));
        assert_eq!(already.header("location"), Some("/"), "{external_url}");
    }
}

#[test]
fn the_sign_in_csp_allows_redirects_to_a_pending_authorization() {
    let server = TestServer::start();
    let policy = |path: &str| {
        let page = server.browser().open(path);
        page.header("content-security-policy").unwrap().to_owned()
    };
    let waiting = crate::support::browser::form(&[(
        "return_to",
        "/oauth/authorize?client_id=x&redirect_uri=https%3A%2F%2Fapp.example%2Fcb",
    )]);
    let led = policy(&format!("/users/sign_in?{waiting}"));
    assert!(!led.contains("form-action"), "{led}");
    assert!(policy("/users/sign_in").ends_with("form-action 'self'"));
}

#[test]
fn signing_out_ends_the_session_at_once() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let mut copy = browser.clone();
    assert!(copy.is_signed_in());
    let answer = browser.submit("/profile", "/users/sign_out", &[]);
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, Some("/users/sign_in"))
    );
    assert!(browser.cookie(SESSION_COOKIE).is_none());
    assert!(!copy.is_signed_in());
    let page = browser.open("/users/sign_in");
    assert!(page.text().contains("Signed out."));
    assert!(
        !browser
            .open("/users/sign_in")
            .text()
            .contains("Signed out.")
    );
}

#[test]
fn sign_out_requires_a_post_with_a_csrf_token() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let opened = browser.open("/users/sign_out");
    assert_eq!((opened.status, opened.header("allow")), (404, None));
    assert_eq!(browser.post("/users/sign_out", &[]).status, 403);
    assert!(browser.is_signed_in());
}

#[test]
fn a_blocked_account_is_reported_so_only_to_anyone_who_knows_its_password() {
    let server = TestServer::start();
    server.block("dev");
    let right = server
        .browser()
        .try_sign_in("dev", &server.password_of("developer"));
    assert_eq!(right.status, 422);
    assert!(
        right.text().contains("This account is blocked."),
        "{}",
        right.text()
    );
    let wrong = server.browser().try_sign_in("dev", "not the password");
    assert!(!wrong.text().contains("blocked"), "{}", wrong.text());
}
