//! Parsing of bodies at a generic endpoint.
#![no_main]

use alert_intake::model::Source;
use gatehouse_fuzz::delivery::check;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| check(body, Source::Generic));
