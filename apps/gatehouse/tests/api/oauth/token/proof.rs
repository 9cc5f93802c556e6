//! PKCE at the token endpoint (`OAUTH-02`, RFC 7636, section 4.6).

use crate::oauth::support::{
    IssuedTokens, OTHER_VERIFIER, OauthFixture, OauthRequest, VERIFIER, assert_refused,
};

/// OAUTH-02. Only the verifier proves a public application; a secret does not replace it.
#[test]
fn a_public_application_proves_itself_with_the_verifier() {
    let mut fixture = OauthFixture::tool();
    let code = fixture.code();
    let redemption = fixture.client.redemption(&code);
    assert_refused(
        &redemption
            .clone()
            .without("code_verifier")
            .send(&fixture.server),
        400,
        "invalid_grant",
    );
    IssuedTokens::of(&redemption.send(&fixture.server));
}

/// OAUTH-02, D6, D16. A wrong or invalid verifier is refused and does not spend the code.
#[test]
fn a_verifier_that_does_not_fit_is_refused() {
    let mut fixture = OauthFixture::tool();
    let code = fixture.code();
    let redemption = fixture.client.redemption(&code);
    for verifier in [
        OTHER_VERIFIER.to_owned(),
        crate::oauth::support::CHALLENGE.to_owned(),
        VERIFIER.to_lowercase(),
        VERIFIER[..42].to_owned(),
        format!("{VERIFIER} "),
        format!("{VERIFIER}="),
        format!("{VERIFIER}+/="),
        "a".repeat(129),
        "a".repeat(4096),
        String::new(),
    ] {
        let redemption = redemption.clone().with("code_verifier", &verifier);
        assert_refused(&redemption.send(&fixture.server), 400, "invalid_grant");
    }
    IssuedTokens::of(&redemption.send(&fixture.server));
}

/// D16. Otherwise a code stolen from a flow without PKCE could be used in one with it (RFC 9700, 4.8.2).
#[test]
fn a_verifier_without_a_challenge_is_refused() {
    let mut fixture = OauthFixture::web();
    let code = fixture.code();
    let redemption = fixture.client.redemption(&code);
    let with = redemption.clone().with("code_verifier", VERIFIER);
    assert_refused(&with.send(&fixture.server), 400, "invalid_grant");
    IssuedTokens::of(&redemption.send(&fixture.server));
}

/// D16. A secret does not replace the verifier of a code that was requested with a challenge.
#[test]
fn a_challenge_without_a_verifier_is_refused_with_the_right_secret_too() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request().with_challenge();
    let code = fixture.land(&request).code();
    let redemption = fixture.client.redemption(&code);
    assert_refused(&redemption.send(&fixture.server), 400, "invalid_grant");
    IssuedTokens::of(
        &redemption
            .with("code_verifier", VERIFIER)
            .send(&fixture.server),
    );
}

/// OAUTH-02, D6. The shortest and the longest verifier, with every allowed character.
#[test]
fn every_verifier_within_the_grammar_is_accepted() {
    let mut fixture = OauthFixture::tool();
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    for verifier in ["~".repeat(43), "-".repeat(128), alphabet.to_owned()] {
        let redemption = redeems_proven_by(&mut fixture, &verifier);
        IssuedTokens::of(&redemption.send(&fixture.server));
    }
}

/// OAUTH-02. A widely used client sends padded standard base64; it is accepted if its digest matches.
#[test]
fn a_verifier_in_padded_base64_is_accepted() {
    let mut fixture = OauthFixture::tool();
    for verifier in [
        "3q2+7wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZ/ho=".to_owned(),
        "+/=".repeat(42),
    ] {
        let redemption = redeems_proven_by(&mut fixture, &verifier);
        let spaced = redemption
            .clone()
            .with("code_verifier", &verifier.replace('+', " "));
        assert_refused(&spaced.send(&fixture.server), 400, "invalid_grant");
        IssuedTokens::of(&redemption.send(&fixture.server));
    }
}

/// OAUTH-02. Other characters outside the alphabet are refused, even if the digest matches.
#[test]
fn a_verifier_of_other_characters_is_refused() {
    let mut fixture = OauthFixture::tool();
    for odd in [" ", "%", ":", "\"", "\u{e9}"] {
        let redemption = redeems_proven_by(&mut fixture, &odd.repeat(43));
        assert_refused(&redemption.send(&fixture.server), 400, "invalid_grant");
    }
}

/// The form that redeems a code requested with the digest of `verifier`.
fn redeems_proven_by(fixture: &mut OauthFixture, verifier: &str) -> OauthRequest {
    use base64::Engine as _;
    use sha2::Digest as _;

    let digest = sha2::Sha256::digest(verifier.as_bytes());
    let challenge = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(digest);
    let request = fixture
        .client
        .authorization_request()
        .with("code_challenge", &challenge);
    let code = fixture.land(&request).code();
    fixture
        .client
        .redemption(&code)
        .with("code_verifier", verifier)
}
