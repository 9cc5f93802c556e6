//! Conventions as clients see them: the same parameters in three forms, escapes, and paging along the links.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that fails ends the test that called it"
)]

mod client;
mod keyset;
mod offset;
mod parameters;
mod readers;
mod segments;
mod tree;
