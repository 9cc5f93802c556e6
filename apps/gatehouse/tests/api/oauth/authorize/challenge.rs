//! PKCE at the authorization (`OAUTH-02`, RFC 7636).

use crate::oauth::support::{CHALLENGE, Landing, Request, Stage, VERIFIER};

/// Asserts an error that is reported to the application.
#[track_caller]
fn assert_reports(stage: &mut Stage, request: &Request, wrong: &str) {
    let landing = Landing::of(&stage.browser.open(&request.path()));
    assert_eq!(landing.address, stage.client.redirect_uri);
    assert_eq!(landing.get("error"), Some("invalid_request"), "{landing:?}");
    let response = landing.get("error_description").unwrap();
    assert!(response.contains(wrong), "{response}");
    assert_eq!(landing.get("code"), None);
}

/// OAUTH-02, D4.
#[test]
fn a_public_application_must_send_a_challenge() {
    let mut stage = Stage::tool();
    let bare = stage
        .client
        .asks()
        .without("code_challenge")
        .without("code_challenge_method");
    assert_reports(&mut stage, &bare, "code_challenge (PKCE)");
    let empty = stage.client.asks().with("code_challenge", "");
    assert_reports(&mut stage, &empty, "without a code_challenge");
}

/// OAUTH-02, D5, lessons 17 and 18. A challenge without a method would mean `plain`, so it is refused, too.
#[test]
fn no_method_but_s256_is_taken_of_anybody() {
    for mut stage in [Stage::tool(), Stage::web()] {
        let request = stage.client.asks().with("code_challenge", CHALLENGE);
        for method in ["plain", "s256", "S512", "S256 ", "none"] {
            let request = request.clone().with("code_challenge_method", method);
            assert_reports(&mut stage, &request, "must be S256");
        }
        for request in [
            request.clone().without("code_challenge_method"),
            request.with("code_challenge_method", ""),
        ] {
            assert_reports(&mut stage, &request, "must be S256");
        }
        let lonely = stage
            .client
            .asks()
            .without("code_challenge")
            .with("code_challenge_method", "S256");
        assert_reports(&mut stage, &lonely, "without a code_challenge");
    }
}

/// D6. A digest of SHA-256 has 43 characters; any other value could never match, or would match too much.
#[test]
fn a_challenge_is_43_characters_of_base64url() {
    let mut stage = Stage::tool();
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
        let request = stage.client.asks().with("code_challenge", &challenge);
        assert_reports(&mut stage, &request, "not a SHA-256 digest");
    }
}

/// OAUTH-02. A confidential application may use PKCE or omit it.
#[test]
fn an_application_with_a_secret_may_send_a_challenge() {
    let mut stage = Stage::web();
    let request = stage.client.asks().with_challenge();
    let code = stage.land(&request).code();
    let redeems = stage.client.redeems(&code).with("code_verifier", VERIFIER);
    redeems.ask(&stage.server).assert_ok();
    let code = stage.code();
    stage.client.redeems(&code).ask(&stage.server).assert_ok();
}

/// OAUTH-02. For applications without PKCE support an operator can make it optional; a challenge that was sent still
/// counts.
#[test]
fn where_the_settings_do_without_it_a_challenge_that_was_sent_still_counts() {
    let server =
        crate::support::Server::start_configured("[oauth]\npublic_clients_need_pkce = false");
    let mut stage = Stage::of(server, crate::oauth::support::Client::tool);
    let bare = stage
        .client
        .asks()
        .without("code_challenge")
        .without("code_challenge_method");
    let code = stage.land(&bare).code();
    let redeems = stage.client.redeems(&code);
    assert_eq!(
        redeems.ask(&stage.server).expect(400)["error"],
        "invalid_grant"
    );
    redeems
        .without("code_verifier")
        .ask(&stage.server)
        .assert_ok();
    let code = stage.code();
    let redeems = stage.client.redeems(&code).without("code_verifier");
    assert_eq!(
        redeems.ask(&stage.server).expect(400)["error"],
        "invalid_grant"
    );
}
