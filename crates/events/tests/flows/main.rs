//! Activity feed on the reference adapter: recording, listing by audience, and JSON.
#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails ends the test that called it"
)]

mod feed;
mod names;
mod support;
mod wire;
