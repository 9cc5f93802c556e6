//! Selection of the release that answers a request (`DEPR-01` to `DEPR-08`).

mod behaviours;
mod headers;
mod operations;
mod published;
mod reports;
mod script;
mod uses;

use crate::support::{TestCaller, TestServer};

/// The header that requests another release.
const HEADER: &str = "Gatehouse-Release";

/// The administrator, with a requested release.
pub(crate) fn admin_at(server: &TestServer, release: &str) -> TestCaller {
    server.admin().with(HEADER, release)
}

/// The developer, with a requested release.
pub(crate) fn developer_at(server: &TestServer, release: &str) -> TestCaller {
    server.developer().with(HEADER, release)
}

/// A server that runs as a release.
pub(crate) fn server_as(release: &str) -> TestServer {
    TestServer::start_configured(&format!("[api]\nrelease = \"{release}\"\n"))
}
