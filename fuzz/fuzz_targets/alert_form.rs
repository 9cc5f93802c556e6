//! Parsing of forms at an alert endpoint.
#![no_main]

use alert_intake::payload::BodyFormat;
use gatehouse_fuzz::delivery::check_form;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    check_form(body, BodyFormat::Form);
    check_form(body, BodyFormat::Multipart("x".to_owned()));
});
