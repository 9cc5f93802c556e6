//! Two-factor authentication: enabling it, signing in with it, recovery codes, and disabling it.

use accounts::TimeSecret;
use accounts::model::one_time_password::step_at;
use api_conventions::time::Clock as _;
use gatehouse_core::clock::SystemClock;

use crate::support::browser::{TestBrowser, hidden};
use crate::support::rows;
use crate::support::{TestResponse, TestServer};

const PAGE: &str = "/profile/two_factor";
const SECOND: &str = "/users/sign_in/second_factor";

/// A developer with two-factor authentication.
pub(crate) struct TwoFactorUser {
    pub(crate) server: TestServer,
    secret: TimeSecret,
    pub(crate) codes: Vec<String>,
    /// The session in which it was enabled.
    browser: TestBrowser,
}

impl TwoFactorUser {
    fn start() -> Self {
        Self::on_server(TestServer::start())
    }

    pub(crate) fn on_server(server: TestServer) -> Self {
        let browser = server.signed_in("developer");
        Self::in_browser(server, browser)
    }

    /// Enables it in a browser in which the developer is signed in.
    pub(crate) fn in_browser(server: TestServer, mut browser: TestBrowser) -> Self {
        let (secret, answer) = switch_on(&mut browser, &server.password_of("developer"));
        assert_eq!(answer.status, 200, "{}", answer.text());
        let codes = shown_codes(&answer);
        Self {
            server,
            secret,
            codes,
            browser,
        }
    }

    /// The next code of the authenticator app.
    pub(crate) fn next_code(&self) -> String {
        code(&self.secret, 1)
    }

    /// A browser in which only the password was entered.
    pub(crate) fn after_password(&self) -> TestBrowser {
        let mut browser = self.server.browser();
        let answer = browser.try_sign_in("dev", &self.server.password_of("developer"));
        assert_eq!(
            (answer.status, answer.header("location")),
            (303, Some(SECOND))
        );
        browser
    }

    pub(crate) fn submit_code(browser: &mut TestBrowser, code: &str) -> TestResponse {
        browser.submit(SECOND, SECOND, &[("user[otp_attempt]", code)])
    }
}

/// Enables it, and returns its secret and the response.
pub(crate) fn switch_on(browser: &mut TestBrowser, password: &str) -> (TimeSecret, TestResponse) {
    let page = browser.open(PAGE);
    let secret = shown_secret(&page);
    let answer = confirm(browser, &page, &code(&secret, 0), password);
    (secret, answer)
}

/// The code of an authenticator app, this many steps from now. The code of the next step is accepted, too, so that a
/// test need not wait for it.
pub(crate) fn code(secret: &TimeSecret, steps: i64) -> String {
    secret
        .password(step_at(SystemClock.now()) + steps)
        .to_string()
}

/// The secret on the page that enables it.
pub(crate) fn shown_secret(page: &TestResponse) -> TimeSecret {
    let text = page.text();
    let (_, rest) = text
        .split_once("<p class=\"secret\"><code tabindex=\"0\">")
        .unwrap();
    let (base32, _) = rest.split_once('<').unwrap();
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0_u32, 0);
    for letter in base32.bytes() {
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        let value = alphabet.iter().position(|known| *known == letter).unwrap();
        held = (held << 5 | u32::try_from(value).unwrap()) & 0xffff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 255).unwrap());
        }
    }
    TimeSecret::from_bytes(bytes.into())
}

fn shown_codes(page: &TestResponse) -> Vec<String> {
    let text = page.text();
    let items = text.split("<li><code>").skip(1);
    let codes = items.map(|rest| rest.split_once('<').unwrap().0.to_owned());
    codes.collect()
}

fn confirm(
    browser: &mut TestBrowser,
    page: &TestResponse,
    code: &str,
    password: &str,
) -> TestResponse {
    let token = hidden(page, "authenticity_token");
    let setup = hidden(page, "setup");
    let fields = [
        ("authenticity_token", token.as_str()),
        ("setup", setup.as_str()),
        ("user[otp_attempt]", code),
        ("user[current_password]", password),
    ];
    browser.post(PAGE, &fields)
}

/// AUTH-03.
#[test]
fn signing_in_takes_the_password_and_a_code() {
    let user = TwoFactorUser::start();
    let mut browser = user.after_password();
    assert!(!browser.is_signed_in());
    let after_password = browser.session().to_owned();
    let answer = TwoFactorUser::submit_code(&mut browser, &code(&user.secret, 1));
    assert_eq!((answer.status, answer.header("location")), (303, Some("/")));
    assert!(browser.is_signed_in());
    assert_ne!(browser.session(), after_password);
    let mut copy = user.server.browser();
    copy.plant(crate::support::browser::SESSION_COOKIE, &after_password);
    assert!(!copy.is_signed_in());
    assert_eq!(copy.open(SECOND).status, 303);
}

#[test]
fn a_code_works_once() {
    let user = TwoFactorUser::start();
    let spent = code(&user.secret, 1);
    let mut first = user.after_password();
    assert_eq!(TwoFactorUser::submit_code(&mut first, &spent).status, 303);
    let mut second = user.after_password();
    let answer = TwoFactorUser::submit_code(&mut second, &spent);
    assert_eq!(answer.status, 422);
    assert!(answer.text().contains("was already used"));
    assert!(!second.is_signed_in());
}

#[test]
fn the_code_that_switched_it_on_is_spent() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let page = browser.open(PAGE);
    let secret = shown_secret(&page);
    let used = code(&secret, 1);
    assert_eq!(
        confirm(&mut browser, &page, &used, &server.password_of("developer")).status,
        200
    );
    let mut other = server.browser();
    other.try_sign_in("dev", &server.password_of("developer"));
    assert_eq!(TwoFactorUser::submit_code(&mut other, &used).status, 422);
}

#[test]
fn a_recovery_code_works_once_and_however_it_is_typed() {
    let user = TwoFactorUser::start();
    assert_eq!(user.codes.len(), 10);
    let typed = user.codes[0].to_uppercase().replace('-', " ");
    assert_eq!(
        TwoFactorUser::submit_code(&mut user.after_password(), &typed).status,
        303
    );
    assert_eq!(
        TwoFactorUser::submit_code(&mut user.after_password(), &user.codes[0]).status,
        422
    );
    let mut browser = user.after_password();
    assert_eq!(
        TwoFactorUser::submit_code(&mut browser, &user.codes[1]).status,
        303
    );
    assert!(
        browser
            .open("/profile")
            .text()
            .contains("8 recovery codes left")
    );
}

#[test]
fn recovery_codes_are_kept_as_digests_and_the_secret_sealed() {
    let user = TwoFactorUser::start();
    let data = std::fs::read(user.server.data().join("gatehouse.sqlite3")).unwrap();
    let journal =
        std::fs::read(user.server.data().join("gatehouse.sqlite3-wal")).unwrap_or_default();
    let all = [data, journal].concat();
    let has = |bytes: &[u8]| all.windows(bytes.len()).any(|window| window == bytes);
    assert!(!has(user.secret.as_bytes()));
    assert!(!has(user.codes[0].as_bytes()) && !has(user.codes[0].replace('-', "").as_bytes()));
    assert!(has(b"dev@example.com"), "the search finds what is there");
}

#[test]
fn wrong_second_factors_are_rejected_and_lock_out_sign_in() {
    let server = TestServer::start_configured("[sign_in]\nmax_failures = 3");
    let user = TwoFactorUser::on_server(server);
    let mut browser = user.after_password();
    for wrong in ["", "000000x", "0000-0000-0000-0000"] {
        assert_eq!(
            TwoFactorUser::submit_code(&mut browser, wrong).status,
            422,
            "{wrong:?}"
        );
    }
    let answer = TwoFactorUser::submit_code(&mut browser, &user.codes[0]);
    assert_eq!(answer.status, 429);
    assert!(answer.header("retry-after").is_some());
    let mut again = user.after_password();
    assert_eq!(
        TwoFactorUser::submit_code(&mut again, &user.codes[0]).status,
        429
    );
    let mut live = user.browser.clone();
    assert!(live.is_signed_in());
}

#[test]
fn half_way_one_can_do_nothing_else_and_not_for_long() {
    let user = TwoFactorUser::start();
    let mut browser = user.after_password();
    for path in ["/profile", PAGE, "/profile/applications"] {
        assert_eq!(browser.open(path).status, 303, "{path}");
    }
    let page = browser.open("/users/sign_in");
    let token = hidden(&page, "authenticity_token");
    let fields = [("authenticity_token", token.as_str())];
    assert_eq!(
        browser.post("/profile/sessions/others", &fields).status,
        303
    );
    let mut live = user.browser.clone();
    assert!(live.is_signed_in());
    rows::change_and_revoke(
        &user.server,
        "UPDATE sessions SET expires_at = expires_at - 600000000 WHERE expires_at < (SELECT max(expires_at) FROM sessions)",
    );
    crate::support::eventually("the time is over", || {
        (browser.open(SECOND).status == 303).then_some(())
    });
}

#[test]
fn a_recovery_code_without_the_password_is_neither_accepted_nor_spent() {
    let user = TwoFactorUser::start();
    let mut browser = user.server.browser();
    let page = browser.open("/users/sign_in");
    let token = hidden(&page, "authenticity_token");
    let fields = [
        ("authenticity_token", token.as_str()),
        ("user[otp_attempt]", user.codes[0].as_str()),
    ];
    let answer = browser.post(SECOND, &fields);
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, Some("/users/sign_in"))
    );
    assert!(!browser.is_signed_in());
    assert_eq!(
        TwoFactorUser::submit_code(&mut user.after_password(), &user.codes[0]).status,
        303
    );
}

#[test]
fn the_way_back_survives_both_steps() {
    let user = TwoFactorUser::start();
    let mut browser = user.server.browser();
    let password = user.server.password_of("developer");
    let fields = [
        ("user[login]", "dev"),
        ("user[password]", password.as_str()),
        (
            "return_to",
            "/oauth/authorize?client_id=x&redirect_uri=https%3A%2F%2Fapp.example%2Fcb",
        ),
    ];
    let answer = browser.submit("/users/sign_in", "/users/sign_in", &fields);
    let address = answer.header("location").unwrap().to_owned();
    let page = browser.open(&address);
    let policy = page.header("content-security-policy").unwrap();
    assert!(!policy.contains("form-action"), "{policy}");
    let back = hidden(&page, "return_to");
    let given = [
        ("user[otp_attempt]", user.codes[0].as_str()),
        ("return_to", back.as_str()),
    ];
    let answer = browser.submit(&address, SECOND, &given);
    assert_eq!(
        answer.header("location"),
        Some("/oauth/authorize?client_id=x&redirect_uri=https%3A%2F%2Fapp.example%2Fcb")
    );
}

#[test]
fn switching_it_on_takes_a_fitting_code_and_the_password() {
    let server = TestServer::start();
    let password = server.password_of("developer");
    let mut browser = server.signed_in("developer");
    let page = browser.open(PAGE);
    let secret = shown_secret(&page);
    let wrong_code = confirm(&mut browser, &page, "12345", &password);
    assert_eq!(wrong_code.status, 422);
    assert_eq!(shown_secret(&wrong_code).as_bytes(), secret.as_bytes());
    let wrong_password = confirm(&mut browser, &page, &code(&secret, 0), "not the password");
    assert_eq!(wrong_password.status, 422);
    assert!(wrong_password.text().contains("The password is wrong."));
    let mut other = server.browser();
    assert_eq!(
        other.try_sign_in("dev", &password).header("location"),
        Some("/")
    );
    let late = confirm(&mut browser, &page, &code(&secret, 0), &password);
    assert_eq!(late.status, 200);
}

#[test]
fn a_setup_secret_shown_to_another_user_is_rejected() {
    let server = TestServer::start();
    let mut attacker = server.signed_in("reporter");
    let theirs = attacker.open(PAGE);
    let secret = shown_secret(&theirs);
    let setup = hidden(&theirs, "setup");
    let mut browser = server.signed_in("developer");
    let password = server.password_of("developer");
    let fields = [
        ("setup", setup.as_str()),
        ("user[otp_attempt]", &code(&secret, 0)),
        ("user[current_password]", password.as_str()),
    ];
    let answer = browser.submit(PAGE, PAGE, &fields);
    assert_eq!(answer.status, 422);
    assert_ne!(shown_secret(&answer).as_bytes(), secret.as_bytes());
}

#[test]
fn switching_it_on_signs_out_everywhere_else() {
    let server = TestServer::start();
    let mut other = server.signed_in("developer");
    let mut user = TwoFactorUser::on_server(server);
    assert!(!other.is_signed_in());
    assert!(user.browser.is_signed_in());
}

#[test]
fn new_recovery_codes_replace_the_old_ones() {
    let mut user = TwoFactorUser::start();
    let password = user.server.password_of("developer");
    let to = "/profile/two_factor/recovery_codes";
    let refused = user
        .browser
        .submit(PAGE, to, &[("user[current_password]", "wrong one")]);
    assert_eq!(refused.status, 422);
    let answer = user
        .browser
        .submit(PAGE, to, &[("user[current_password]", &password)]);
    let codes = shown_codes(&answer);
    assert_eq!(codes.len(), 10);
    assert_eq!(
        TwoFactorUser::submit_code(&mut user.after_password(), &user.codes[0]).status,
        422
    );
    assert_eq!(
        TwoFactorUser::submit_code(&mut user.after_password(), &codes[0]).status,
        303
    );
    assert!(
        !user.browser.open(PAGE).text().contains(&codes[1]),
        "shown once"
    );
}

#[test]
fn switched_off_the_password_is_enough_again() {
    let mut user = TwoFactorUser::start();
    let password = user.server.password_of("developer");
    let off = |password| [("_method", "delete"), ("user[current_password]", password)];
    let refused = user.browser.submit(PAGE, PAGE, &off("wrong one"));
    assert_eq!(refused.status, 422);
    let answer = user.browser.submit(PAGE, PAGE, &off(&password));
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, Some("/profile"))
    );
    user.server.browser().sign_in("dev", &password);
}

#[test]
fn a_user_who_lost_everything_is_helped_on_the_command_line() {
    let user = TwoFactorUser::start();
    let off = ["user", "two-factor-off", "dev"];
    assert!(user.server.command(&off).status.success());
    let password = user.server.password_of("developer");
    user.server.browser().sign_in("dev", &password);
    assert!(!user.server.command(&off).status.success());
}

#[test]
fn the_user_api_reports_two_factor_enabled() {
    let user = TwoFactorUser::start();
    let profile = user.server.developer().get("/api/v4/user").expect(200);
    assert_eq!(profile["two_factor_enabled"], true);
}
