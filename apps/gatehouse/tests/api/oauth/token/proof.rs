//! PKCE at the token endpoint (`OAUTH-02`, RFC 7636, section 4.6).

use crate::oauth::support::{OTHER_VERIFIER, Request, Stage, Tokens, VERIFIER, assert_refused};

/// OAUTH-02. Only the verifier proves a public application; a secret does not replace it.
#[test]
fn a_public_application_proves_itself_with_the_verifier() {
    let mut stage = Stage::tool();
    let code = stage.code();
    let redeems = stage.client.redeems(&code);
    assert_refused(
        &redeems.clone().without("code_verifier").ask(&stage.server),
        400,
        "invalid_grant",
    );
    Tokens::of(&redeems.ask(&stage.server));
}

/// OAUTH-02, D6, D16. A wrong or invalid verifier is refused and does not spend the code.
#[test]
fn a_verifier_that_does_not_fit_is_refused() {
    let mut stage = Stage::tool();
    let code = stage.code();
    let redeems = stage.client.redeems(&code);
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
        let redeems = redeems.clone().with("code_verifier", &verifier);
        assert_refused(&redeems.ask(&stage.server), 400, "invalid_grant");
    }
    Tokens::of(&redeems.ask(&stage.server));
}

/// D16. Otherwise a code stolen from a flow without PKCE could be used in one with it (RFC 9700, 4.8.2).
#[test]
fn a_verifier_without_a_challenge_is_refused() {
    let mut stage = Stage::web();
    let code = stage.code();
    let redeems = stage.client.redeems(&code);
    let with = redeems.clone().with("code_verifier", VERIFIER);
    assert_refused(&with.ask(&stage.server), 400, "invalid_grant");
    Tokens::of(&redeems.ask(&stage.server));
}

/// D16. A secret does not replace the verifier of a code that was requested with a challenge.
#[test]
fn a_challenge_without_a_verifier_is_refused_with_the_right_secret_too() {
    let mut stage = Stage::web();
    let request = stage.client.asks().with_challenge();
    let code = stage.land(&request).code();
    let redeems = stage.client.redeems(&code);
    assert_refused(&redeems.ask(&stage.server), 400, "invalid_grant");
    Tokens::of(&redeems.with("code_verifier", VERIFIER).ask(&stage.server));
}

/// OAUTH-02, D6. The shortest and the longest verifier, with every allowed character.
#[test]
fn every_verifier_within_the_grammar_is_taken() {
    let mut stage = Stage::tool();
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    for verifier in ["~".repeat(43), "-".repeat(128), alphabet.to_owned()] {
        let redeems = redeems_proven_by(&mut stage, &verifier);
        Tokens::of(&redeems.ask(&stage.server));
    }
}

/// OAUTH-02. A widely used client sends padded standard base64; it is accepted if its digest matches.
#[test]
fn a_verifier_in_padded_base64_is_taken() {
    let mut stage = Stage::tool();
    for verifier in [
        "3q2+7wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZ/ho=".to_owned(),
        "+/=".repeat(42),
    ] {
        let redeems = redeems_proven_by(&mut stage, &verifier);
        let spaced = redeems
            .clone()
            .with("code_verifier", &verifier.replace('+', " "));
        assert_refused(&spaced.ask(&stage.server), 400, "invalid_grant");
        Tokens::of(&redeems.ask(&stage.server));
    }
}

/// OAUTH-02. Other characters outside the alphabet are refused, even if the digest matches.
#[test]
fn a_verifier_of_other_characters_is_refused() {
    let mut stage = Stage::tool();
    for odd in [" ", "%", ":", "\"", "\u{e9}"] {
        let redeems = redeems_proven_by(&mut stage, &odd.repeat(43));
        assert_refused(&redeems.ask(&stage.server), 400, "invalid_grant");
    }
}

/// The form that redeems a code requested with the digest of `verifier`.
fn redeems_proven_by(stage: &mut Stage, verifier: &str) -> Request {
    use base64::Engine as _;
    use sha2::Digest as _;

    let digest = sha2::Sha256::digest(verifier.as_bytes());
    let challenge = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(digest);
    let request = stage.client.asks().with("code_challenge", &challenge);
    let code = stage.land(&request).code();
    stage.client.redeems(&code).with("code_verifier", verifier)
}
