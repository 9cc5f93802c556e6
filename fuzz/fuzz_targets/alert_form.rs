//! Parsing of forms at an alert endpoint.
#![no_main]

use alert_intake::payload::DeliveryFormat;
use gatehouse_fuzz::delivery::check_form;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    check_form(body, DeliveryFormat::Form);
    check_form(body, DeliveryFormat::Multipart("x".to_owned()));
});
