//! Decoding of forms: any bytes, and the same values as for a query with the same text.
#![no_main]

use api_conventions::params::Params;
use gatehouse_fuzz::parameters::{check_query, check_refusal};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    let form = Params::from_form(body);
    match (&form, std::str::from_utf8(body)) {
        (Ok(params), Ok(text)) => {
            check_query(params, text);
            assert_eq!(form, Params::from_query(text));
            assert_eq!(&params.clone().merged(params.clone()), params);
        }
        (Ok(_), Err(_)) => panic!("a form of bytes that are no text was read"),
        (Err(error), _) => check_refusal(error),
    }
});
