//! Use cases, tested on an in-memory database.

#![expect(
    clippy::unwrap_used,
    reason = "a test that panics is a test that fails"
)]

mod deployments;
mod environments;
mod runners;
mod statuses;

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use pipelines::flow::CiError;
use pipelines::store::CiWriteTx;
use storage::Store as _;
use storage_diesel::SqliteStore;

/// Project that all tests use.
const HERE: ProjectId = ProjectId::new(1);
/// A commit.
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// Returns the time this many seconds after the start of 1970.
fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000).unwrap()
}

/// Runs a write transaction.
fn write<T: Send + 'static>(
    store: &SqliteStore,
    work: impl Fn(&mut dyn CiWriteTx) -> Result<T, CiError> + Send + 'static,
) -> Result<T, CiError> {
    store.write(move |tx| work(tx)).wait()
}
