//! The scan that every JSON body passes first. The first byte of the input is the limit, the rest is the body.
#![no_main]

use api_conventions::json;
use gatehouse_fuzz::parameters::check_refusal;
use gatehouse_fuzz::tree::{depth, holds_nul};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|input: (u8, &[u8])| {
    let (limit, body) = (usize::from(input.0), input.1);
    let tree = serde_json::from_slice::<Value>(body);
    match json::check(body, limit) {
        Ok(()) => {
            if let Ok(tree) = tree {
                assert!(depth(&tree) <= limit, "{limit} levels are allowed");
                assert!(!holds_nul(&tree));
            }
        }
        Err(error) => {
            check_refusal(&error);
            let opened = body
                .iter()
                .filter(|byte| matches!(byte, b'{' | b'['))
                .count();
            let names_nul = body.windows(6).any(|window| window == b"\\u0000");
            assert!(
                opened > limit || names_nul || tree.is_err(),
                "nothing in it is refused: {error}"
            );
        }
    }
    if limit < usize::from(u8::MAX) && json::check(body, limit).is_ok() {
        assert!(
            json::check(body, limit + 1).is_ok(),
            "a higher limit allows no less"
        );
    }
});
