//! Parsing of the `Authorization` header.
#![no_main]

use api_conventions::credentials::{Authorization, MAX_BYTES};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|value: &str| {
    let Some(found) = Authorization::parse(value) else {
        return;
    };
    let shown = format!("{found:?}");
    let (written, expected) = match &found {
        Authorization::Bearer(token) => {
            assert!(!token.reveal().is_empty());
            (
                format!("bearer   {} ", token.reveal()),
                "Bearer(PlainSecret)".to_owned(),
            )
        }
        Authorization::Basic { username, password } => {
            assert!(!username.contains(':'));
            let text = STANDARD.encode(format!("{username}:{}", password.reveal()));
            let shown = format!("Basic {{ username: {username:?}, password: PlainSecret }}");
            (format!("BASIC {text}"), shown)
        }
    };
    assert_eq!(shown, expected, "the secret is not shown");
    let again = Authorization::parse(&written).expect("what was read is read again");
    assert_eq!(format!("{again:?}"), shown);
    let secret = found.into_secret();
    assert!(secret.reveal().len() <= MAX_BYTES);
    assert_eq!(again.into_secret().reveal(), secret.reveal());
});
