//! PKCE at the authorization (`OAUTH-02`, RFC 7636).

use crate::oauth::support::{CHALLENGE, Landing, OauthFixture, OauthRequest, VERIFIER};

/// Asserts an error that is reported to the application.
#[track_caller]
fn assert_reports(fixture: &mut OauthFixture, request: &OauthRequest, wrong: &str) {
    let landing = Landing::of(&fixture.browser.open(&request.path()));
    assert_eq!(landing.address, fixture.client.redirect_uri);
    assert_eq!(landing.get("error"), Some("invalid_request"), "{landing:?}");
    let response = landing.get("error_description").unwrap();
    assert!(response.contains(wrong), "{response}");
    assert_eq!(landing.get("code"), None);
}

/// OAUTH-02, D4.
#[test]
fn a_public_application_must_send_a_challenge() {
    let mut fixture = OauthFixture::tool();
    let bare = fixture
        .client
        .authorization_request()
        .without("code_challenge")
        .without("code_challenge_method");
    assert_reports(&mut fixture, &bare, "code_challenge (PKCE)");
    let empty = fixture
        .client
        .authorization_request()
        .with("code_challenge", "");
    assert_reports(&mut fixture, &empty, "without a code_challenge");
}

/// OAUTH-02, D5, lessons 17 and 18. A challenge without a method would mean `plain`, so it is refused, too.
#[test]
fn only_the_s256_challenge_method_is_accepted() {
    for mut fixture in [OauthFixture::tool(), OauthFixture::web()] {
        let request = fixture
            .client
            .authorization_request()
            .with("code_challenge", CHALLENGE);
        for method in ["plain", "s256", "S512", "S256 ", "none"] {
            let request = request.clone().with("code_challenge_method", method);
            assert_reports(&mut fixture, &request, "must be S256");
        }
        for request in [
            request.clone().without("code_challenge_method"),
            request.with("code_challenge_method", ""),
        ] {
            assert_reports(&mut fixture, &request, "must be S256");
        }
        let lonely = fixture
            .client
            .authorization_request()
            .without("code_challenge")
            .with("code_challenge_method", "S256");
        assert_reports(&mut fixture, &lonely, "without a code_challenge");
    }
}

/// D6. A digest of SHA-256 has 43 characters; any other value could never match, or would match too much.
#[test]
fn a_challenge_is_43_characters_of_base64url() {
    let mut fixture = OauthFixture::tool();
    for challenge in [
        VERIFIER[..42].to_owned(),
        format!("{CHALLENGE}A"),
        format!("{CHALLENGE}="),
        CHALLENGE.replace('-', "+"),
        CHALLENGE.replace('-', "/"),
        CHALLENGE.replace('-', " "),
        CHALLENGE.replace('-', "."),
        CHALLENGE.replace('-', "\u{e9}"),
        "x".repeat(128),
    ] {
        let request = fixture
            .client
            .authorization_request()
            .with("code_challenge", &challenge);
        assert_reports(&mut fixture, &request, "not a SHA-256 digest");
    }
}

/// OAUTH-02. A confidential application may use PKCE or omit it.
#[test]
fn an_application_with_a_secret_may_send_a_challenge() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request().with_challenge();
    let code = fixture.land(&request).code();
    let redemption = fixture
        .client
        .redemption(&code)
        .with("code_verifier", VERIFIER);
    redemption.send(&fixture.server).assert_ok();
    let code = fixture.code();
    fixture
        .client
        .redemption(&code)
        .send(&fixture.server)
        .assert_ok();
}

/// OAUTH-02. For applications without PKCE support an operator can make it optional; a challenge that was sent still
/// counts.
#[test]
fn a_challenge_is_enforced_even_if_pkce_is_optional() {
    let server =
        crate::support::TestServer::start_configured("[oauth]\npublic_clients_need_pkce = false");
    let mut fixture = OauthFixture::of(server, crate::oauth::support::OauthClient::tool);
    let bare = fixture
        .client
        .authorization_request()
        .without("code_challenge")
        .without("code_challenge_method");
    let code = fixture.land(&bare).code();
    let redemption = fixture.client.redemption(&code);
    assert_eq!(
        redemption.send(&fixture.server).expect(400)["error"],
        "invalid_grant"
    );
    redemption
        .without("code_verifier")
        .send(&fixture.server)
        .assert_ok();
    let code = fixture.code();
    let redemption = fixture.client.redemption(&code).without("code_verifier");
    assert_eq!(
        redemption.send(&fixture.server).expect(400)["error"],
        "invalid_grant"
    );
}
