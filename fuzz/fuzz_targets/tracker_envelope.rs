//! Parsing of envelopes.
#![no_main]

use error_tracking::protocol::envelope::{Envelope, MAX_ITEMS};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    let Ok(envelope) = Envelope::parse(body) else {
        return;
    };
    assert!(envelope.items.len() <= MAX_ITEMS);
    let whole = body.as_ptr_range();
    let mut end = whole.start;
    for item in &envelope.items {
        let part = item.payload.as_ptr_range();
        if item.payload.is_empty() {
            continue;
        }
        assert!(
            end <= part.start && part.end <= whole.end,
            "payloads follow each other"
        );
        end = part.end;
    }
});
