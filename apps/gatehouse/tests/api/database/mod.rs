//! The same behaviour on PostgreSQL, and several servers on one database.

mod errors;
mod expiry;
mod failover;
mod notifications;
mod pooled;
mod postgres;
mod replica;
mod revocations;
mod sessions;
mod shared;
mod streams;
mod tabs;

use test_databases::TestDatabase;

use crate::support::TestServer;

/// A database for one test, or `None` if no PostgreSQL server is installed.
pub(crate) fn database() -> Option<TestDatabase> {
    TestDatabase::empty()
}

/// A server on that database.
pub(crate) fn server_on(database: &TestDatabase) -> TestServer {
    TestServer::start_with(&["--database", database.url()])
}
