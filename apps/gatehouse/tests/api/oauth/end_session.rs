//! `/oauth/end_session`: an application also signs its user out here (OpenID Connect RP-Initiated Logout 1.0).

use crate::oauth::keys::id_token;
use crate::oauth::support::{OauthClient, OauthFixture, OauthRequest};
use crate::support::browser::{TestBrowser, form, hidden};
use crate::support::{TestResponse, TestServer, eventually};

const END_SESSION: &str = "/oauth/end_session";
const BYE: &str = "https://shop.example/bye";

/// An application with a post-logout redirect URI.
fn fixture() -> OauthFixture {
    OauthFixture::of(TestServer::start(), |server| {
        let flags = ["--scopes", "openid,api", "--post-logout-redirect-uri", BYE];
        OauthClient::register(server, "https://shop.example/cb", &flags)
    })
}

/// The logout request of the application.
fn logout_request(fixture: &OauthFixture) -> OauthRequest {
    OauthRequest::default()
        .with("client_id", &fixture.client.id)
        .with("post_logout_redirect_uri", BYE)
        .with("state", "a b&c=d")
}

fn path(request: &OauthRequest) -> String {
    format!("{END_SESSION}?{}", request.encoded())
}

#[track_caller]
fn assert_signed_out(answer: &TestResponse) {
    assert_eq!(answer.status, 303, "{}", answer.text());
    let address = format!("{BYE}?state=a+b%26c%3Dd");
    assert_eq!(answer.header("location"), Some(&*address));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

/// Submits the page with its own fields.
fn confirm(browser: &mut TestBrowser, page: &TestResponse) -> TestResponse {
    let names = [
        "authenticity_token",
        "client_id",
        "post_logout_redirect_uri",
        "state",
    ];
    let values = names.map(|name| hidden(page, name));
    let fields: Vec<(&str, &str)> = names
        .into_iter()
        .zip(values.iter().map(String::as_str))
        .collect();
    browser.post(END_SESSION, &fields)
}

/// Section 2. The id token of this sign-in ends its session without a question, and a copy of the cookie is worthless.
#[test]
fn the_id_token_of_the_session_ends_it_at_once() {
    let mut fixture = fixture();
    let (id_token, tokens) = id_token(&mut fixture, "openid api");
    let kept = fixture.browser.session().to_owned();
    let request = logout_request(&fixture).with("id_token_hint", &id_token);
    assert_signed_out(&fixture.browser.open(&path(&request)));
    assert!(!fixture.browser.is_signed_in());
    fixture.browser.plant("_service_session", &kept);
    assert!(!fixture.browser.is_signed_in());
    // Tokens of the application stay valid, as after any other sign-out.
    fixture.use_token(&tokens.access).assert_ok();
}

/// Section 2. The hint identifies the application as well as the client id does.
#[test]
fn the_hint_names_the_application() {
    let mut fixture = fixture();
    let (id_token, _) = id_token(&mut fixture, "openid");
    let request = logout_request(&fixture)
        .with("id_token_hint", &id_token)
        .without("client_id");
    assert_signed_out(&fixture.browser.open(&path(&request)));
}

/// Section 2. A refreshed id token is equally good: it is for the same sign-in.
#[test]
fn a_refreshed_id_token_ends_the_session_too() {
    let mut fixture = fixture();
    let (_, tokens) = id_token(&mut fixture, "openid");
    let next = fixture.refresh(&tokens.refresh).expect(200);
    let request =
        logout_request(&fixture).with("id_token_hint", next["id_token"].as_str().unwrap());
    assert_signed_out(&fixture.browser.open(&path(&request)));
    assert!(!fixture.browser.is_signed_in());
}

/// Section 2. Without a hint the user is asked; a link alone signs nobody out.
#[test]
fn sign_out_without_an_id_token_hint_requires_confirmation() {
    let mut fixture = fixture();
    let page = fixture.browser.open(&path(&logout_request(&fixture)));
    assert_eq!(page.status, 200);
    let text = page.text();
    assert!(text.contains("Another") && text.contains("dev"), "{text}");
    let policy = page.header("content-security-policy").unwrap();
    assert!(!policy.contains("form-action"), "{policy}");
    assert!(fixture.browser.is_signed_in());
    assert_signed_out(&confirm(&mut fixture.browser, &page));
    assert!(!fixture.browser.is_signed_in());
}

/// Section 2. The id token of an earlier session, or of another user, proves nothing about this one.
#[test]
fn the_id_token_of_another_session_proves_nothing() {
    let mut fixture = fixture();
    let (first, _) = id_token(&mut fixture, "openid");
    // From here on the server has cached this token as valid.
    fixture.server.reporter().get("/api/v4/user").assert_ok();
    // Times in id tokens are whole seconds, so the other session must begin in another second.
    crate::support::rows::change_and_revoke(
        &fixture.server,
        "UPDATE sessions SET authenticated_at = authenticated_at - 1000000; \
         UPDATE access_tokens SET revoked_at = 1",
    );
    // The server notices both changes at once.
    eventually("the server has read it", || {
        let answer = fixture.server.reporter().get("/api/v4/user");
        (answer.status == 401).then_some(())
    });
    let other_user = fixture.server.signed_in("reporter");
    for browser in [fixture.browser.clone(), other_user] {
        let mut browser = browser;
        let request = logout_request(&fixture).with("id_token_hint", &first);
        let page = browser.open(&path(&request));
        assert_eq!(page.status, 200, "{}", page.text());
        assert!(browser.is_signed_in());
    }
}

/// Section 2. Without a signed-in user there is nothing to ask.
#[test]
fn sign_out_without_a_signed_in_user_redirects_at_once() {
    let fixture = fixture();
    let mut browser = fixture.server.browser();
    assert_signed_out(&browser.open(&path(&logout_request(&fixture))));
    let answer = browser.open(END_SESSION);
    assert_eq!(answer.header("location"), Some("/users/sign_in"));
    assert!(
        browser
            .open("/users/sign_in")
            .text()
            .contains("Signed out.")
    );
}

/// Section 3. Without a redirect URI the browser stays here.
#[test]
fn without_an_address_the_browser_stays_here() {
    let mut fixture = fixture();
    let (id_token, _) = id_token(&mut fixture, "openid");
    let request = OauthRequest::default().with("id_token_hint", &id_token);
    let answer = fixture.browser.open(&path(&request));
    assert_eq!(answer.header("location"), Some("/users/sign_in"));
    assert!(!fixture.browser.is_signed_in());
}

/// Sections 3 and 4. An unverified request is reported to the user, signs nobody out, and redirects nowhere.
#[test]
fn unverified_sign_out_requests_are_refused() {
    let mut fixture = fixture();
    let (id_token, _) = id_token(&mut fixture, "openid");
    let good = logout_request(&fixture).with("id_token_hint", &id_token);
    let public = OauthClient::tool(&fixture.server).id;
    let (signed, _) = id_token.rsplit_once('.').unwrap();
    for request in [
        good.clone()
            .with("post_logout_redirect_uri", "https://evil.example/"),
        good.clone()
            .with("post_logout_redirect_uri", "https://shop.example/cb"),
        good.clone()
            .with("post_logout_redirect_uri", &format!("{BYE}/")),
        good.clone().with("client_id", &public),
        good.clone().with("client_id", "nobody"),
        good.clone()
            .with("id_token_hint", &format!("{signed}.AAAA")),
        good.clone().with("id_token_hint", "x"),
        good.clone().with("state", &"x".repeat(4097)),
        good.clone().and("state", "a b&c=d"),
        good.clone().and("client_id[]", "x"),
        logout_request(&fixture).without("client_id"),
    ] {
        let answer = fixture.browser.open(&path(&request));
        assert_eq!(answer.status, 400, "{request:?}");
        assert_eq!(answer.header("location"), None);
        let text = answer.text();
        assert!(
            text.contains("This sign-out request is not valid"),
            "{text}"
        );
        assert!(fixture.browser.is_signed_in());
    }
}

/// Section 2. The page of another site may post the request; the browser sends our cookie only with a link.
#[test]
fn a_posted_request_goes_on_as_a_link() {
    let mut fixture = fixture();
    let (id_token, _) = id_token(&mut fixture, "openid");
    let request = logout_request(&fixture)
        .with("id_token_hint", &id_token)
        .and("x", "1");
    let posted = fixture
        .server
        .anonymous()
        .with("Content-Type", "application/x-www-form-urlencoded")
        .with("Origin", "https://shop.example")
        .with("Sec-Fetch-Site", "cross-site")
        .send("POST", END_SESSION, request.encoded().as_bytes());
    assert_eq!(posted.status, 303, "{}", posted.text());
    let next = posted.header("location").unwrap().to_owned();
    assert!(next.starts_with("/oauth/end_session?") && !next.contains("x=1"));
    assert_signed_out(&fixture.browser.open(&next));
    assert!(!fixture.browser.is_signed_in());
}

/// Our own form must meet the rules of our forms, and its fields are validated again.
#[test]
fn a_form_that_is_not_ours_signs_nobody_out() {
    let mut fixture = fixture();
    let page = fixture.browser.open(&path(&logout_request(&fixture)));
    let token = hidden(&page, "authenticity_token");
    let wrong = fixture
        .browser
        .post(END_SESSION, &[("authenticity_token", "x")]);
    assert_eq!(wrong.status, 403);
    let mut cross_origin = fixture
        .browser
        .clone()
        .with("Origin", "https://evil.example")
        .with("Sec-Fetch-Site", "cross-site");
    let fields = [("authenticity_token", &*token)];
    assert_eq!(cross_origin.post(END_SESSION, &fields).status, 403);
    let led_astray = form(&[
        ("authenticity_token", &*token),
        ("client_id", &*fixture.client.id),
        ("post_logout_redirect_uri", "https://evil.example/"),
    ]);
    let answer = fixture.browser.send("POST", END_SESSION, &led_astray);
    assert_eq!((answer.status, answer.header("location")), (400, None));
    assert!(fixture.browser.is_signed_in());
}

/// Below a path of the host, the page, its form and the redirect stay below that path.
#[test]
fn below_a_path_everything_stays_there() {
    let server = TestServer::start_below("/gate");
    let mut browser = server.signed_in("developer");
    let page = browser.open("/gate/oauth/end_session");
    assert!(page.text().contains("action=\"/gate/oauth/end_session\""));
    let token = hidden(&page, "authenticity_token");
    let fields = [("authenticity_token", &*token)];
    let answer = browser.post("/gate/oauth/end_session", &fields);
    assert_eq!(answer.header("location"), Some("/gate/users/sign_in"));
    assert!(!browser.is_signed_in());
}
