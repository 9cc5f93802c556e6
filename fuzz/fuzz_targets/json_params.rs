//! Decoding of JSON bodies of the API.
#![no_main]

use api_conventions::params::{MAX_NESTING, Params};
use gatehouse_fuzz::parameters::{check_readers, check_refusal};
use gatehouse_fuzz::tree::{depth, holds_nul};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|body: &[u8]| {
    let params = match Params::from_json(body) {
        Ok(params) => params,
        Err(error) => return check_refusal(&error),
    };
    let Ok(tree) = serde_json::from_slice::<Value>(body) else {
        assert!(
            body.iter().all(u8::is_ascii_whitespace),
            "what was read is JSON or nothing"
        );
        assert_eq!(params, Params::default());
        return;
    };
    let names = tree.as_object().expect("only an object is read");
    assert!(depth(&tree) <= MAX_NESTING && !holds_nul(&tree));
    for (name, value) in names {
        assert_eq!(params.get(name), Some(value));
    }
    let text = String::from_utf8_lossy(body);
    check_readers(&params, &text);
});
