//! The server with peers that are not ours: a real Alertmanager and a real client of the API.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that panics is a test that fails"
)]

#[path = "../support/mod.rs"]
mod support;

mod alertmanager;
mod alertmanager_process;
mod browser;
mod oracle;
mod python_gitlab;
