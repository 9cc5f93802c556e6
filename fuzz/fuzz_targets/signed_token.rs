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

static VALID_TOKEN: LazyLock<(KeySet, String)> = LazyLock::new(|| {
    let pkcs8 = [&PKCS8[..], &[7; 32]].concat();
    let key = PrivateKey::from_pkcs8(SigningAlgorithm::EdDsa, &pkcs8).expect("a fixed key");
    let set = KeySet::parse([key.public().to_json().as_str()]).expect("our own key");
    let token = key.sign(&json!({"iss": ISSUER, "sub": "42", "aud": "app"}));
    (set, token.expect("a token"))
});

fuzz_target!(|input: &[u8]| {
    let (keys, valid) = &*VALID_TOKEN;
    assert!(keys.verify_hint(valid, ISSUER).is_ok());
    let Some((position, replacement)) = input.split_first_chunk::<2>() else {
        return;
    };
    let mut changed = valid.clone().into_bytes();
    let position = usize::from(u16::from_be_bytes(*position)) % (changed.len() + 1);
    let end = (position + replacement.len()).min(changed.len());
    changed.splice(position..end, replacement.iter().copied());
    for token in [replacement, &changed] {
        if let Ok(token) = str::from_utf8(token) {
            let passes = keys.verify_hint(token, ISSUER).is_ok();
            assert_eq!(passes, token == valid, "{token}");
        }
    }
});
