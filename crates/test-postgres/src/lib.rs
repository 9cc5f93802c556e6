//! Throw-away PostgreSQL databases for the tests of this workspace.
//!
//! * With `GATEHOUSE_TEST_POSTGRES` set to a connection URL, databases are made on that server. The user of the
//!   URL must be allowed to make databases.
//! * Without it, a cluster is started from the server programs that are installed. All test processes of a run
//!   share it, the first one starts it, and it is stopped and removed soon after the last one has ended,
//!   however that one ended. It writes to its disk as a real one does (`fsync` stays on).
//! * Without server programs there is no database: the test says so and is skipped, except where `CI` is
//!   set (and not to `false` or `0`): there a missing part is a failure.
//!
//! Every test gets a database of its own, copied from a template that was brought up to date once, so tests run
//! side by side and know nothing of each other. It is dropped with its [`TestDatabase`].
//!
//! # When not to use it
//! Outside tests: everything here panics when it fails, and the cluster trusts anyone who reaches its socket.
//!
//! ```no_run
//! let Some(database) = test_postgres::TestDatabase::empty() else { return };
//! println!("{}", database.url());
//! ```

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "the crate is used by tests alone, where a panic with its cause is the failure to show"
)]

mod cluster;
mod database;
mod programs;
mod run;

pub use database::{Paused, TestDatabase};
