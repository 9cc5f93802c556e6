//! Parsing of payloads: bodies that real senders sent, and bodies that nobody should send.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper that fails ends the test that called it"
)]

mod bounds;
mod contract;
mod dates;
mod faults;
mod generic;
mod identity;
mod limits;
mod mapping;
mod mending;
mod metrics;
mod refusals;
mod senders;
mod support;
mod volume;
