//! Conformance of both databases with the storage contract.

#![expect(
    clippy::unwrap_used,
    reason = "a test that panics is a test that fails"
)]

mod alone;
mod dangling;
mod pooled;
mod postgres;
mod probe_rows;
mod sqlite;
mod without_a_server;
