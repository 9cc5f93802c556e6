//! `id_token_hint`: the user that an application expects (OpenID Connect Core 1.0, section 3.1.2.1).

use crate::oauth::authorize::sign_in_at;
use crate::oauth::keys::id_token;
use crate::oauth::support::{Client, Landing, Request, Stage, approve};
use crate::support::Answer;
use crate::support::rows::change;

/// An application with an id token of the developer, and a browser in which the reporter is signed in and has consented
/// to the same application.
fn another_is_signed_in() -> (Stage, Request) {
    let mut stage = Stage::web();
    let (hint, _) = id_token(&mut stage, "openid api");
    stage.browser = stage.server.signed_in("reporter");
    stage.tokens("api");
    let request = stage.client.asks().with("id_token_hint", &hint);
    (stage, request)
}

/// Approves a request, and returns the redirect to the application.
#[track_caller]
fn landed(stage: &mut Stage, path: &str) -> Landing {
    let page = stage.browser.open(path);
    Landing::of(&approve(&mut stage.browser, &page))
}

/// The sign-in page for another user.
#[track_caller]
fn sign_in_page(answer: &Answer) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text());
    let address = answer.header("location").unwrap();
    assert!(address.starts_with("/users/sign_in?"), "{address}");
    address.to_owned()
}

#[test]
fn a_hint_of_the_user_who_is_signed_in_changes_nothing() {
    let mut stage = Stage::web();
    let (hint, _) = id_token(&mut stage, "openid");
    let request = stage.client.asks().with("id_token_hint", &hint);
    let request = request.with("scope", "openid");
    for prompt in ["", "none"] {
        let landing = stage.land(&request.clone().with("prompt", prompt));
        let redeemed = stage.client.redeems(&landing.code()).ask(&stage.server);
        redeemed.assert_ok();
    }
}

#[test]
fn without_a_page_another_user_is_not_answered_for() {
    let (mut stage, request) = another_is_signed_in();
    let silent = request.with("prompt", "none");
    let landing = stage.land(&silent);
    assert_eq!(landing.get("error"), Some("login_required"));
    assert_eq!(landing.get("code"), None);
    let silent = silent.without("id_token_hint");
    stage.land(&silent).code();
}

#[test]
fn the_user_whom_a_hint_names_signs_in_over_another() {
    let (mut stage, request) = another_is_signed_in();
    let address = sign_in_page(&stage.browser.open(&request.path()));
    let page = stage.browser.open(&address).text();
    assert!(
        page.contains("The application expects another account"),
        "{page}"
    );
    let back = sign_in_at(&stage.server, &mut stage.browser, &address);
    let back = back.header("location").unwrap().to_owned();
    let landing = landed(&mut stage, &back);
    assert_eq!(landing.get("state"), Some("s-1"));
    let redeemed = stage.client.redeems(&landing.code()).ask(&stage.server);
    let access = redeemed.expect(200)["access_token"].clone();
    let user = stage.use_token(access.as_str().unwrap()).expect(200);
    assert_eq!(user["username"], "dev");
}

/// A user who cannot sign in as the expected user is sent back to the application, not into a loop.
#[test]
fn another_user_who_signs_in_again_is_led_back_to_the_application() {
    let (mut stage, request) = another_is_signed_in();
    let address = sign_in_page(&stage.browser.open(&request.path()));
    let (_, query) = address.split_once('?').unwrap();
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    let (_, back) = pairs.find(|(name, _)| name == "return_to").unwrap();
    let landing = Landing::of(&stage.browser.open(&back));
    assert_eq!(landing.address, stage.client.redirect_uri);
    assert_eq!(landing.get("error"), Some("login_required"));
    assert_eq!(landing.get("state"), Some("s-1"));
}

/// The hint stays in the request while a user signs in who was not signed in before.
#[test]
fn a_hint_is_kept_through_the_sign_in() {
    let (mut stage, request) = another_is_signed_in();
    stage.browser = stage.server.browser();
    let address = sign_in_page(&stage.browser.open(&request.path()));
    let back = sign_in_at(&stage.server, &mut stage.browser, &address);
    assert_eq!(back.header("location"), Some(&*request.path()));
    landed(&mut stage, &request.path()).code();
}

#[test]
fn a_hint_that_this_server_never_gave_to_the_application_is_refused() {
    let mut stage = Stage::web();
    let (hint, tokens) = id_token(&mut stage, "openid api");
    let (signed, signature) = hint.rsplit_once('.').unwrap();
    let (header, _) = signed.split_once('.').unwrap();
    let unsigned = format!("{signed}.");
    let foreign = format!("{header}.e30.{signature}");
    for wrong in [&*unsigned, &*foreign, &*tokens.access, "nonsense", "a.b.c"] {
        for prompt in ["", "none"] {
            let request = stage.client.asks().with("id_token_hint", wrong);
            let landing = stage.land(&request.with("prompt", prompt));
            assert_eq!(landing.get("error"), Some("invalid_request"), "{wrong}");
        }
    }
    stage.client = Client::tool(&stage.server);
    let request = stage.client.asks().with("id_token_hint", &hint);
    let landing = stage.land(&request);
    assert_eq!(landing.get("error"), Some("invalid_request"));
}

/// Old keys are deleted. An application that kept an id token for longer can still sign its user in.
#[test]
fn a_hint_by_a_key_that_is_gone_names_nobody() {
    let (mut stage, request) = another_is_signed_in();
    stage.server.kill();
    change(&stage.server, "DELETE FROM oauth_signing_keys");
    stage.server.restart();
    stage.land(&request).code();
}
