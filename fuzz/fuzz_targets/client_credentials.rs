//! Parsing of client credentials. The input is the value of the `Authorization` header, a line feed, and the form.
#![no_main]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gatehouse_fuzz::oauth::check_refusal;
use libfuzzer_sys::fuzz_target;
use oauth_provider::wire::{ClientCredentials, FormParameters};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

fuzz_target!(|text: &str| {
    let (header, body) = text.split_once('\n').unwrap_or((text, ""));
    let Ok(mut form) = FormParameters::from_body(body.as_bytes()) else {
        return;
    };
    match ClientCredentials::read(Some(header), &mut form) {
        Err(error) => check_refusal(&error),
        Ok(None) => assert!(!is_basic(header), "who authenticates by header is somebody"),
        Ok(Some(found)) => {
            assert_eq!(found.by_header, is_basic(header));
            assert!(!found.client_id.is_empty());
            assert!(
                !format!("{found:?}").contains("secret: Some(\""),
                "no secret is shown"
            );
            check_round_trip(&found);
        }
    }
});

fn is_basic(header: &str) -> bool {
    let scheme = header.split_ascii_whitespace().next();
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("basic"))
}

/// Credentials that were parsed, then encoded as in RFC 6749, section 2.3.1, are parsed to the same values.
fn check_round_trip(found: &ClientCredentials) {
    let secret = found.secret.as_ref().map_or("", |secret| secret.reveal());
    let escaped = |half: &str| utf8_percent_encode(half, NON_ALPHANUMERIC).to_string();
    let pair = format!("{}:{}", escaped(&found.client_id), escaped(secret));
    let header = format!("Basic {}", STANDARD.encode(pair));
    // Escapes make a value three times as long, and a header that is too long is ignored.
    let Ok(again) = ClientCredentials::read(Some(&header), &mut FormParameters::default()) else {
        assert!(header.len() > 8_000, "{header}");
        return;
    };
    let again = again.expect("who is named is somebody");
    assert_eq!(again.client_id, found.client_id);
    assert_eq!(
        again.secret.as_ref().map_or("", |secret| secret.reveal()),
        secret
    );
}
