//! Verification of signed tokens. The first two bytes of the input choose a position in a valid token, whose bytes
//! there are replaced by the rest; the rest alone is also tried as a token. Only the valid token is accepted.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use oauth_provider::SigningAlgorithm;
use oauth_provider::signing::{KeySet, PrivateKey};
use serde_json::json;

const ISSUER: &str = "https://gate.example";
/// Prefix of the seed of an Ed25519 private key in PKCS#8 (RFC 8410, section 7).
const PKCS8: [u8; 16] = [
    0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20,
];

static GOOD: LazyLock<(KeySet, String)> = LazyLock::new(|| {
    let pkcs8 = [&PKCS8[..], &[7; 32]].concat();
    let key = PrivateKey::from_pkcs8(SigningAlgorithm::EdDsa, &pkcs8).expect("a fixed key");
    let set = KeySet::parse([key.public().to_json().as_str()]).expect("our own key");
    let token = key.sign(&json!({"iss": ISSUER, "sub": "42", "aud": "app"}));
    (set, token.expect("a token"))
});

fuzz_target!(|input: &[u8]| {
    let (keys, good) = &*GOOD;
    assert!(keys.verify_hint(good, ISSUER).is_ok());
    let Some((place, put)) = input.split_first_chunk::<2>() else {
        return;
    };
    let mut changed = good.clone().into_bytes();
    let place = usize::from(u16::from_be_bytes(*place)) % (changed.len() + 1);
    let end = (place + put.len()).min(changed.len());
    changed.splice(place..end, put.iter().copied());
    for token in [put, &changed] {
        if let Ok(token) = str::from_utf8(token) {
            let passes = keys.verify_hint(token, ISSUER).is_ok();
            assert_eq!(passes, token == good, "{token}");
        }
    }
});
