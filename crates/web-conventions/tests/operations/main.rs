//! Tests of operations in a host.

#![expect(
    clippy::unwrap_used,
    reason = "a panic in a test is the failure to show"
)]

mod document;
mod fitting;
mod releases;
mod router;
mod support;
