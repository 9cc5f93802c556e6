//! Tests of key generation, signing and verification.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{IdTokenHint, KeySet, PrivateKey, SigningError, VerifyError};
use crate::model::SigningAlgorithm;

const ISSUER: &str = "https://gate.example";

fn key(algorithm: SigningAlgorithm) -> PrivateKey {
    PrivateKey::generate(algorithm).unwrap()
}

fn set(keys: &[&PrivateKey]) -> KeySet {
    let jwks: Vec<String> = keys.iter().map(|key| key.public().to_json()).collect();
    KeySet::parse(jwks.iter().map(String::as_str)).unwrap()
}

/// Replaces the header of a token; the signature stays.
fn with_header(token: &str, header: &Value) -> String {
    let (_, rest) = token.split_once('.').unwrap();
    format!("{}.{rest}", URL_SAFE_NO_PAD.encode(header.to_string()))
}

#[test]
fn signatures_of_every_algorithm_verify_with_the_published_key() {
    for algorithm in SigningAlgorithm::ALL {
        let key = key(algorithm);
        let token = key
            .sign(&json!({"iss": ISSUER, "sub": "42", "aud": "app", "auth_time": 1_700_000_000}))
            .unwrap();
        let header = URL_SAFE_NO_PAD
            .decode(token.split('.').next().unwrap())
            .unwrap();
        let header: Value = serde_json::from_slice(&header).unwrap();
        assert_eq!(
            header,
            json!({"alg": algorithm.as_str(), "kid": key.kid(), "typ": "JWT"})
        );
        let hint = set(&[&key]).verify_hint(&token, ISSUER);
        let audience = vec!["app".to_owned()];
        assert_eq!(
            hint,
            Ok(IdTokenHint {
                sub: "42".to_owned(),
                audience,
                auth_time: Some(1_700_000_000),
            }),
            "{algorithm:?}"
        );
    }
}

#[test]
fn a_kept_key_signs_on_as_the_same_key() {
    for algorithm in SigningAlgorithm::ALL {
        let created = key(algorithm);
        let pkcs8 = created.to_pkcs8().unwrap();
        let stored = PrivateKey::from_pkcs8(algorithm, &pkcs8).unwrap();
        assert_eq!(
            (stored.kid(), stored.public()),
            (created.kid(), created.public())
        );
        let token = stored.sign(&json!({"sub": "42"})).unwrap();
        assert!(set(&[&created]).verify(&token).is_ok(), "{algorithm:?}");
    }
}

#[test]
fn a_key_is_of_one_algorithm_only() {
    let pkcs8 = key(SigningAlgorithm::Es256).to_pkcs8().unwrap();
    for other in [SigningAlgorithm::Rs256, SigningAlgorithm::EdDsa] {
        let read = PrivateKey::from_pkcs8(other, &pkcs8);
        assert_eq!(read.unwrap_err(), SigningError::NoPrivateKey);
    }
}

#[test]
fn a_fresh_rsa_key_has_2048_bits() {
    let super::PublicJwk::Rsa { n, .. } = key(SigningAlgorithm::Rs256).public().clone() else {
        panic!("RS256 is RSA");
    };
    assert_eq!(n.len(), 256);
}

/// `none`, a symmetric algorithm with the public key as its secret, and another key's algorithm are all refused.
#[test]
fn the_header_chooses_no_algorithm() {
    let key = key(SigningAlgorithm::Rs256);
    let token = key.sign(&json!({"sub": "42"})).unwrap();
    for alg in ["none", "HS256", "ES256", "EdDSA", "rs256", "RS512"] {
        let forged = with_header(&token, &json!({"alg": alg, "kid": key.kid()}));
        assert_eq!(
            set(&[&key]).verify(&forged),
            Err(VerifyError::Algorithm),
            "{alg}"
        );
    }
    let same = with_header(&token, &json!({"alg": "RS256", "kid": key.kid()}));
    assert_eq!(
        set(&[&key]).verify(&same),
        Err(VerifyError::Signature),
        "the header is signed, too"
    );
}

#[test]
fn an_unknown_key_a_demanding_header_and_garbage_are_refused() {
    let (ours, other) = (key(SigningAlgorithm::EdDsa), key(SigningAlgorithm::EdDsa));
    let token = ours.sign(&json!({"sub": "42"})).unwrap();
    assert_eq!(set(&[&other]).verify(&token), Err(VerifyError::UnknownKey));
    let critical = json!({"alg": "EdDSA", "kid": ours.kid(), "crit": ["exp"]});
    let forged = with_header(&token, &critical);
    assert_eq!(set(&[&ours]).verify(&forged), Err(VerifyError::Malformed));
    let nameless = with_header(&token, &json!({"alg": "EdDSA"}));
    assert_eq!(
        set(&[&ours]).verify(&nameless),
        Err(VerifyError::UnknownKey)
    );
    for garbage in [
        "",
        ".",
        "..",
        "a.b",
        "a.b.c",
        "a.b.c.d",
        &"a".repeat(20_000),
    ] {
        assert_eq!(set(&[&ours]).verify(garbage), Err(VerifyError::Malformed));
    }
}

#[test]
fn a_hint_of_another_issuer_or_without_its_claims_is_foreign() {
    let key = key(SigningAlgorithm::EdDsa);
    for claims in [
        json!({"iss": "https://other.example", "sub": "42", "aud": "app"}),
        json!({"sub": "42", "aud": "app"}),
        json!({"iss": ISSUER, "aud": "app"}),
        json!({"iss": ISSUER, "sub": 42, "aud": "app"}),
        json!({"iss": ISSUER, "sub": "42"}),
        json!({"iss": ISSUER, "sub": "42", "aud": [1]}),
    ] {
        let token = key.sign(&claims).unwrap();
        let hint = set(&[&key]).verify_hint(&token, ISSUER);
        assert_eq!(hint, Err(VerifyError::Foreign), "{claims}");
    }
}

#[test]
fn the_key_set_lists_public_members_only() {
    let keys = SigningAlgorithm::ALL.map(key);
    let text = set(&keys.each_ref()).to_json();
    let document: Value = serde_json::from_str(&text).unwrap();
    let listed = document["keys"].as_array().unwrap();
    let names: Vec<Vec<&String>> = listed
        .iter()
        .map(|key| key.as_object().unwrap().keys().collect())
        .collect();
    assert_eq!(
        names,
        [
            ["alg", "e", "kid", "kty", "n", "use"].as_slice(),
            &["alg", "crv", "kid", "kty", "use", "x", "y"],
            &["alg", "crv", "kid", "kty", "use", "x"],
        ]
    );
    assert_eq!(set(&[]).to_json(), r#"{"keys":[]}"#);
}

proptest! {
    #[test]
    fn no_text_and_no_changed_token_passes(place in 0_usize..200, byte in 0_u8..128, text in "\\PC{0,80}") {
        let key = key(SigningAlgorithm::EdDsa);
        let keys = set(&[&key]);
        prop_assert!(keys.verify(&text).is_err());
        let token = key.sign(&json!({"iss": ISSUER, "sub": "42", "aud": "application"})).unwrap();
        let mut changed = token.clone().into_bytes();
        let place = place % changed.len();
        changed[place] = byte;
        let changed = String::from_utf8(changed).unwrap();
        prop_assert!(changed == token || keys.verify(&changed).is_err(), "{changed}");
    }
}
