//! The feed on the reference adapter: what is recorded, what is listed for whom, and how it is told.
#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails ends the test that called it"
)]

mod feed;
mod names;
mod support;
mod wire;
