//! Ways in which SDKs send a key.
#![no_main]

use error_tracking::protocol::credentials::{RequestCredentials, extract_key};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let mut lines = input.splitn(3, '\n');
    let [header, query, envelope] = [lines.next(), lines.next(), lines.next()];
    let all = extract_key(&RequestCredentials {
        tracker_header: header,
        query,
        envelope,
        ..RequestCredentials::default()
    });
    let alone = [
        extract_key(&RequestCredentials {
            tracker_header: header,
            ..RequestCredentials::default()
        }),
        extract_key(&RequestCredentials {
            query,
            ..RequestCredentials::default()
        }),
        extract_key(&RequestCredentials {
            envelope,
            ..RequestCredentials::default()
        }),
    ];
    if let Ok(key) = all {
        for one in alone.into_iter().flatten() {
            assert_eq!(one, key, "keys that differ are refused");
        }
    }
});
