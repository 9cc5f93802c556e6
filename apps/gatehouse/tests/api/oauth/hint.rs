//! `id_token_hint`: the user that an application expects (OpenID Connect Core 1.0, section 3.1.2.1).

use crate::oauth::authorize::sign_in_at;
use crate::oauth::keys::id_token;
use crate::oauth::support::{Landing, OauthClient, OauthFixture, OauthRequest, approve};
use crate::support::TestResponse;
use crate::support::rows::change;

/// An application with an id token of the developer, and a browser in which the reporter is signed in and has consented
/// to the same application.
fn another_is_signed_in() -> (OauthFixture, OauthRequest) {
    let mut fixture = OauthFixture::web();
    let (hint, _) = id_token(&mut fixture, "openid api");
    fixture.browser = fixture.server.signed_in("reporter");
    fixture.tokens("api");
    let request = fixture
        .client
        .authorization_request()
        .with("id_token_hint", &hint);
    (fixture, request)
}

/// Approves a request, and returns the redirect to the application.
#[track_caller]
fn land_with_consent(fixture: &mut OauthFixture, path: &str) -> Landing {
    let page = fixture.browser.open(path);
    Landing::of(&approve(&mut fixture.browser, &page))
}

/// The sign-in page for another user.
#[track_caller]
fn sign_in_page(answer: &TestResponse) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text());
    let address = answer.header("location").unwrap();
    assert!(address.starts_with("/users/sign_in?"), "{address}");
    address.to_owned()
}

#[test]
fn a_hint_of_the_user_who_is_signed_in_changes_nothing() {
    let mut fixture = OauthFixture::web();
    let (hint, _) = id_token(&mut fixture, "openid");
    let request = fixture
        .client
        .authorization_request()
        .with("id_token_hint", &hint);
    let request = request.with("scope", "openid");
    for prompt in ["", "none"] {
        let landing = fixture.land(&request.clone().with("prompt", prompt));
        let redeemed = fixture
            .client
            .redemption(&landing.code())
            .send(&fixture.server);
        redeemed.assert_ok();
    }
}

#[test]
fn without_a_page_another_user_is_not_answered_for() {
    let (mut fixture, request) = another_is_signed_in();
    let silent = request.with("prompt", "none");
    let landing = fixture.land(&silent);
    assert_eq!(landing.get("error"), Some("login_required"));
    assert_eq!(landing.get("code"), None);
    let silent = silent.without("id_token_hint");
    fixture.land(&silent).code();
}

#[test]
fn the_user_whom_a_hint_names_signs_in_over_another() {
    let (mut fixture, request) = another_is_signed_in();
    let address = sign_in_page(&fixture.browser.open(&request.path()));
    let page = fixture.browser.open(&address).text();
    assert!(
        page.contains("The application expects a different account"),
        "{page}"
    );
    let back = sign_in_at(&fixture.server, &mut fixture.browser, &address);
    let back = back.header("location").unwrap().to_owned();
    let landing = land_with_consent(&mut fixture, &back);
    assert_eq!(landing.get("state"), Some("s-1"));
    let redeemed = fixture
        .client
        .redemption(&landing.code())
        .send(&fixture.server);
    let access = redeemed.expect(200)["access_token"].clone();
    let user = fixture.use_token(access.as_str().unwrap()).expect(200);
    assert_eq!(user["username"], "dev");
}

/// A user who cannot sign in as the expected user is sent back to the application, not into a loop.
#[test]
fn another_user_who_signs_in_again_is_led_back_to_the_application() {
    let (mut fixture, request) = another_is_signed_in();
    let address = sign_in_page(&fixture.browser.open(&request.path()));
    let (_, query) = address.split_once('?').unwrap();
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    let (_, back) = pairs.find(|(name, _)| name == "return_to").unwrap();
    let landing = Landing::of(&fixture.browser.open(&back));
    assert_eq!(landing.address, fixture.client.redirect_uri);
    assert_eq!(landing.get("error"), Some("login_required"));
    assert_eq!(landing.get("state"), Some("s-1"));
}

/// The hint stays in the request while a user signs in who was not signed in before.
#[test]
fn a_hint_is_kept_through_the_sign_in() {
    let (mut fixture, request) = another_is_signed_in();
    fixture.browser = fixture.server.browser();
    let address = sign_in_page(&fixture.browser.open(&request.path()));
    let back = sign_in_at(&fixture.server, &mut fixture.browser, &address);
    assert_eq!(back.header("location"), Some(&*request.path()));
    land_with_consent(&mut fixture, &request.path()).code();
}

#[test]
fn a_hint_that_this_server_never_gave_to_the_application_is_refused() {
    let mut fixture = OauthFixture::web();
    let (hint, tokens) = id_token(&mut fixture, "openid api");
    let (signed, signature) = hint.rsplit_once('.').unwrap();
    let (header, _) = signed.split_once('.').unwrap();
    let unsigned = format!("{signed}.");
    let foreign = format!("{header}.e30.{signature}");
    for wrong in [&*unsigned, &*foreign, &*tokens.access, "nonsense", "a.b.c"] {
        for prompt in ["", "none"] {
            let request = fixture
                .client
                .authorization_request()
                .with("id_token_hint", wrong);
            let landing = fixture.land(&request.with("prompt", prompt));
            assert_eq!(landing.get("error"), Some("invalid_request"), "{wrong}");
        }
    }
    fixture.client = OauthClient::tool(&fixture.server);
    let request = fixture
        .client
        .authorization_request()
        .with("id_token_hint", &hint);
    let landing = fixture.land(&request);
    assert_eq!(landing.get("error"), Some("invalid_request"));
}

/// Old keys are deleted. An application that kept an id token for longer can still sign its user in.
#[test]
fn a_hint_signed_by_a_deleted_key_is_ignored() {
    let (mut fixture, request) = another_is_signed_in();
    fixture.server.kill();
    change(&fixture.server, "DELETE FROM oauth_signing_keys");
    fixture.server.restart();
    fixture.land(&request).code();
}
