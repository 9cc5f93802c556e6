//! A user who is not signed in, on the way to an application.

use crate::oauth::support::{Landing, OauthClient, OauthFixture, approve};
use crate::support::browser::hidden;
use crate::support::{TestResponse, TestServer};

/// Signs the developer in at the URL of a sign-in page, and returns the response.
#[track_caller]
pub(in crate::oauth) fn sign_in_at(
    server: &TestServer,
    browser: &mut crate::support::browser::TestBrowser,
    address: &str,
) -> TestResponse {
    let page = browser.open(address);
    assert_eq!(page.status, 200, "{}", page.text());
    let mut fields = vec![
        ("authenticity_token", hidden(&page, "authenticity_token")),
        ("user[login]", "dev".to_owned()),
        ("user[password]", server.password_of("developer")),
    ];
    if page.text().contains("name=\"return_to\"") {
        fields.push(("return_to", hidden(&page, "return_to")));
    }
    let fields: Vec<(&str, &str)> = fields.iter().map(|(a, b)| (*a, b.as_str())).collect();
    browser.post("/users/sign_in", &fields)
}

/// OAUTH-01. After signing in the user returns to the same request, with every byte of the application's parameters.
#[test]
fn sign_in_returns_to_the_unchanged_authorization_request() {
    let server = TestServer::start();
    let client = OauthClient::tool(&server);
    let state = "a b&c=d%20+\u{e9}\u{1f600}\"";
    let request = client.authorization_request().with("state", state);
    let mut browser = server.browser();
    let led = browser.open(&request.path());
    assert_eq!(led.status, 303);
    let address = led.header("location").unwrap().to_owned();
    assert!(
        address.starts_with("/users/sign_in?return_to="),
        "{address}"
    );
    let back = sign_in_at(&server, &mut browser, &address);
    assert_eq!(back.header("location"), Some(&*request.path()));
    let page = browser.open(&request.path());
    let landing = Landing::of(&approve(&mut browser, &page));
    assert_eq!(landing.get("state"), Some(state));
    client.redemption(&landing.code()).send(&server).assert_ok();
}

/// The sign-in page names the waiting application, on the first try and after a wrong password, and no other.
#[test]
fn the_sign_in_page_names_the_requesting_application() {
    let server = TestServer::start();
    let shop = server.create_application("Invoices <b>", &["https://shop.example/cb"], "api", true);
    let client = OauthClient {
        id: shop["client_id"].as_str().unwrap().to_owned(),
        secret: None,
        redirect_uri: "https://shop.example/cb".to_owned(),
    };
    let named = "to continue to <bdi class=\"name\">Invoices &#60;b&#62;</bdi>";
    let mut browser = server.browser();
    let page = browser.visit(&client.authorization_request().path());
    assert!(page.text().contains(named), "{}", page.text());
    let fields = [
        ("authenticity_token", hidden(&page, "authenticity_token")),
        ("return_to", hidden(&page, "return_to")),
        ("user[login]", "dev".to_owned()),
        ("user[password]", "wrong password".to_owned()),
    ];
    let fields: Vec<(&str, &str)> = fields.iter().map(|(a, b)| (*a, b.as_str())).collect();
    let refused = browser.post("/users/sign_in", &fields);
    assert_eq!(refused.status, 422);
    assert!(refused.text().contains(named), "{}", refused.text());
    // A link that uses the application's name with a redirect URI that is not registered.
    let forged = client
        .authorization_request()
        .with("redirect_uri", "https://evil.example/cb")
        .path();
    let query = crate::support::browser::form(&[("return_to", &forged)]);
    let page = browser.open(&format!("/users/sign_in?{query}"));
    assert!(!page.text().contains("to continue to"), "{}", page.text());
    let plain = browser.open("/users/sign_in?return_to=/profile");
    assert!(!plain.text().contains("to continue to"), "{}", plain.text());
}

/// OAUTH-01. A signed-in user learns why they have to sign in again.
#[test]
fn the_sign_in_page_states_the_reason_for_reauthentication() {
    let mut fixture = OauthFixture::web();
    for (name, value, response) in [
        (
            "prompt",
            "login",
            "The application asks you to sign in again.",
        ),
        (
            "prompt",
            "select_account",
            "Sign in with the account that you want to use.",
        ),
        (
            "max_age",
            "0",
            "This application requires a more recent sign-in.",
        ),
    ] {
        let request = fixture.client.authorization_request().with(name, value);
        let page = fixture.browser.visit(&request.path());
        assert!(
            page.text().contains(response),
            "{response}: {}",
            page.text()
        );
        assert!(page.text().contains("to continue to "), "{}", page.text());
    }
    let page = fixture.browser.open("/users/sign_in?again=%3Cb%3E").text();
    let is_plain = page.contains("Sign in again to continue.") && !page.contains("<b>");
    assert!(is_plain, "{page}");
    let anybody = fixture.server.browser().open("/users/sign_in?again=asked");
    assert!(!anybody.text().contains("again."), "{}", anybody.text());
}

/// D3. No password is requested on the way to an unknown application.
#[test]
fn an_invalid_redirect_uri_is_refused_before_sign_in() {
    let server = TestServer::start();
    let request = OauthClient::web(&server).authorization_request();
    let wrong = request.with("redirect_uri", "https://evil.example/cb");
    let answer = server.browser().open(&wrong.path());
    assert_eq!((answer.status, answer.header("location")), (400, None));
}

/// Lesson 29. A user who was blocked in the meantime is no longer signed in, and no application gets a response for
/// them.
#[test]
fn a_blocked_user_is_signed_in_nowhere() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request();
    let page = fixture.browser.open(&request.path());
    fixture.server.block("dev");
    let refused = crate::support::eventually("the session ends", || {
        let answer = fixture.browser.open(&request.path());
        (answer.status != 200).then_some(answer)
    });
    let address = refused.header("location").unwrap();
    assert!(address.starts_with("/users/sign_in"), "{address}");
    assert_eq!(approve(&mut fixture.browser, &page).status, 403);
}
