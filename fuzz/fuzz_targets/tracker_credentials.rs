//! Ways in which SDKs send a key.
#![no_main]

use error_tracking::protocol::credentials::{Offered, offered_key};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let mut lines = input.splitn(3, '\n');
    let [header, query, envelope] = [lines.next(), lines.next(), lines.next()];
    let all = offered_key(&Offered {
        tracker_header: header,
        query,
        envelope,
        ..Offered::default()
    });
    let alone = [
        offered_key(&Offered {
            tracker_header: header,
            ..Offered::default()
        }),
        offered_key(&Offered {
            query,
            ..Offered::default()
        }),
        offered_key(&Offered {
            envelope,
            ..Offered::default()
        }),
    ];
    if let Ok(key) = all {
        for one in alone.into_iter().flatten() {
            assert_eq!(one, key, "keys that differ are refused");
        }
    }
});
