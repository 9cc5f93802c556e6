//! Decoding of query strings.
#![no_main]

use api_conventions::params::Params;
use gatehouse_fuzz::parameters::{check_query, check_refusal};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Params::from_query(text) {
        Ok(params) => check_query(&params, text),
        Err(error) => check_refusal(&error),
    }
});
