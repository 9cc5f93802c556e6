//! Files with recorded calls: no input makes the check panic, and a report never repeats data that a client sent.

#![no_main]

use deprecations::inspect::{InspectOptions, inspect};
use deprecations::{Edition, NEWEST, published};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(report) = inspect(published(), text, &InspectOptions::at(Edition::of(NEWEST))) {
        assert!(!report.to_string().is_empty());
    }
});
