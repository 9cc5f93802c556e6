//! Consent, and the ways to end it: revoking it, changing the password, blocking the account.

use crate::support::browser::{TestBrowser, form, hidden};
use crate::support::{TestCaller, TestResponse, TestServer, eventually};

const REDIRECT: &str = "https://app.example/cb";

/// An application of the instance, and its scopes.
struct ConsentClient<'s> {
    server: &'s TestServer,
    id: String,
    secret: String,
}

impl<'s> ConsentClient<'s> {
    fn new(server: &'s TestServer) -> Self {
        let created = server.command_json(&[
            "application",
            "create",
            "--name",
            "<i>Dashboard</i>",
            "--redirect-uri",
            REDIRECT,
            "--scopes",
            "api,openid",
            "--json",
        ]);
        Self {
            server,
            id: created["client_id"].as_str().unwrap().to_owned(),
            secret: created["client_secret"].as_str().unwrap().to_owned(),
        }
    }

    fn address(&self) -> String {
        let query = form(&[
            ("response_type", "code"),
            ("client_id", &self.id),
            ("redirect_uri", REDIRECT),
            ("scope", "api openid"),
            ("state", "kept"),
        ]);
        format!("/oauth/authorize?{query}")
    }

    /// Submits a user's answer on the consent page.
    fn submit_decision(
        page: &TestResponse,
        browser: &mut TestBrowser,
        more: &[(&str, &str)],
    ) -> TestResponse {
        let (token, handle) = (hidden(page, "authenticity_token"), hidden(page, "handle"));
        let mut fields = vec![
            ("authenticity_token", token.as_str()),
            ("handle", handle.as_str()),
        ];
        fields.extend_from_slice(more);
        browser.post("/oauth/authorize", &fields)
    }

    /// Consents as a user, and returns a caller with the access token.
    fn authorized(&self, browser: &mut TestBrowser) -> TestCaller {
        let page = browser.open(&self.address());
        let answer = Self::submit_decision(&page, browser, &[]);
        let location = answer.header("location").unwrap();
        let (_, rest) = location.split_once("code=").unwrap();
        let code = rest.split('&').next().unwrap();
        let fields = form(&[
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", REDIRECT),
            ("client_id", &self.id),
            ("client_secret", &self.secret),
        ]);
        let caller = self.server.anonymous();
        let caller = caller.with("Content-Type", "application/x-www-form-urlencoded");
        let tokens = caller
            .send("POST", "/oauth/token", fields.as_bytes())
            .expect(200);
        let caller = TestCaller::bearer(
            self.server.base_url(),
            tokens["access_token"].as_str().unwrap(),
        );
        caller.get("/api/v4/user").assert_ok();
        caller
    }
}

#[test]
fn the_consent_page_shows_application_scopes_and_redirect_host() {
    let server = TestServer::start();
    let client = ConsentClient::new(&server);
    let mut browser = server.signed_in("developer");
    let page = browser.open(&client.address());
    assert_eq!(page.status, 200);
    let text = page.text();
    for part in [
        "&#60;i&#62;Dashboard&#60;/i&#62;",
        "Full access",
        "Sign you in",
        "You will be sent to <strong class=\"breakable\">app.example</strong>",
        "Registered by the administrators",
        "Signed in as <strong>dev</strong>",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let policy = page.header("content-security-policy").unwrap();
    assert!(!policy.contains("form-action"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
}

#[test]
fn consent_and_denial_take_a_form_of_ours() {
    let server = TestServer::start();
    let client = ConsentClient::new(&server);
    let mut browser = server.signed_in("developer");
    let page = browser.open(&client.address());
    let handle = hidden(&page, "handle");
    assert_eq!(
        browser
            .post("/oauth/authorize", &[("handle", &handle)])
            .status,
        403
    );
    let mut evil = browser.clone().with("Origin", "https://app.example");
    assert_eq!(
        ConsentClient::submit_decision(&page, &mut evil, &[]).status,
        403
    );
    let denied = ConsentClient::submit_decision(&page, &mut browser, &[("_method", "delete")]);
    let location = denied.header("location").unwrap();
    assert!(
        location.contains("error=access_denied") && location.contains("state=kept"),
        "{location}"
    );
}

#[test]
fn a_visitor_who_is_not_signed_in_comes_back_to_the_question_after_signing_in() {
    let server = TestServer::start();
    let client = ConsentClient::new(&server);
    let mut browser = server.browser();
    let led = browser.open(&client.address());
    let address = led.header("location").unwrap().to_owned();
    let path = hidden(&browser.open(&address), "return_to");
    let password = server.password_of("developer");
    let fields = [
        ("user[login]", "dev"),
        ("user[password]", &password),
        ("return_to", &path),
    ];
    let answer = browser.submit(&address, "/users/sign_in", &fields);
    let back = answer.header("location").unwrap().to_owned();
    assert!(browser.open(&back).text().contains("name=\"handle\""));
}

#[test]
fn an_authorization_is_listed_and_revoked_by_the_user_who_gave_it() {
    let server = TestServer::start();
    let client = ConsentClient::new(&server);
    let mut browser = server.signed_in("developer");
    let (mut rita, list) = (server.signed_in("reporter"), "/profile/applications");
    let ours = client.authorized(&mut browser);
    let theirs = client.authorized(&mut rita);
    let text = browser.open(list).text();
    assert!(
        text.contains("&#60;i&#62;Dashboard&#60;/i&#62;") && text.contains("full access"),
        "{text}"
    );
    let (_, rest) = text
        .split_once("action=\"/oauth/authorized_applications/")
        .unwrap();
    let path = format!(
        "/oauth/authorized_applications/{}",
        rest.split_once('"').unwrap().0
    );
    let revoked = browser.submit(list, &path, &[("_method", "delete")]);
    assert_eq!(
        (revoked.status, revoked.header("location")),
        (303, Some(list))
    );
    assert_eq!(ours.get("/api/v4/user").status, 401);
    theirs.get("/api/v4/user").assert_ok();
    let page = browser.open(list).text();
    assert!(
        page.contains("Authorization revoked.")
            && page.contains("You have not authorized any application.")
    );
    assert_eq!(browser.open(&path).status, 404);
}

#[test]
fn a_password_change_revokes_tokens_of_authorized_applications() {
    let server = TestServer::start();
    let client = ConsentClient::new(&server);
    let mut browser = server.signed_in("developer");
    let token = client.authorized(&mut browser);
    let old = server.password_of("developer");
    let fields = [
        ("user[current_password]", old.as_str()),
        ("user[password]", "a new password"),
        ("user[password_confirmation]", "a new password"),
    ];
    assert_eq!(
        browser
            .submit("/profile", "/profile/password", &fields)
            .status,
        303
    );
    assert_eq!(token.get("/api/v4/user").status, 401);
    server.developer().get("/api/v4/user").assert_ok();
}

#[test]
fn a_blocked_accounts_authorizations_are_over_for_good() {
    let server = TestServer::start();
    let client = ConsentClient::new(&server);
    let token = client.authorized(&mut server.signed_in("developer"));
    server.block("dev");
    eventually("the token is refused", || {
        (token.get("/api/v4/user").status != 200).then_some(())
    });
    assert!(server.command(&["user", "unblock", "dev"]).status.success());
    eventually("the account acts again", || {
        (server.developer().get("/api/v4/user").status == 200).then_some(())
    });
    assert_eq!(token.get("/api/v4/user").status, 401);
}

#[test]
fn signing_out_ends_codes_that_nobody_redeemed() {
    let server = TestServer::start();
    let client = ConsentClient::new(&server);
    let mut browser = server.signed_in("developer");
    let page = browser.open(&client.address());
    let answer = ConsentClient::submit_decision(&page, &mut browser, &[]);
    let location = answer.header("location").unwrap();
    let (_, rest) = location.split_once("code=").unwrap();
    let code = rest.split('&').next().unwrap();
    browser.submit("/profile", "/users/sign_out", &[]);
    let fields = form(&[
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", REDIRECT),
        ("client_id", &client.id),
        ("client_secret", &client.secret),
    ]);
    let caller = server
        .anonymous()
        .with("Content-Type", "application/x-www-form-urlencoded");
    let refused = caller
        .send("POST", "/oauth/token", fields.as_bytes())
        .expect(400);
    assert_eq!(refused["error"], "invalid_grant");
}
