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

use std::time::Duration;

/// Time limit of reads and writes. The clauses are not about time limits, and on a machine that is busy with other tests the
/// default limits of a store may pass.
const TIME_LIMIT: Duration = Duration::from_mins(1);
