//! Parsing of DSNs.
#![no_main]

use error_tracking::protocol::dsn::Dsn;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(dsn) = Dsn::parse(text) else {
        return;
    };
    let again = Dsn::parse(&dsn.to_string()).expect("what was written is read");
    assert_eq!(again, dsn);
    assert!(
        !format!("{dsn:?}").contains(dsn.key.as_str()),
        "the key is not shown"
    );
});
