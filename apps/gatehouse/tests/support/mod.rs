//! The cast: a running server, callers with the demo's credentials, and their responses.
//!
//! Each test starts a server of its own on a free port with data of its own, so tests are independent.

#![expect(dead_code, reason = "each test binary uses its own part of the cast")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a panic in a test is the failure to show, and what is skipped is told"
)]

pub(crate) mod alertmanager;
pub(crate) mod archives;
pub(crate) mod browser;
pub(crate) mod caller;
pub(crate) mod failover;
pub(crate) mod fake_registry;
pub(crate) mod fake_service;
pub(crate) mod feed_stream;
pub(crate) mod mail_server;
pub(crate) mod outside;
pub(crate) mod packed;
pub(crate) mod pages;
pub(crate) mod people;
pub(crate) mod polling;
pub(crate) mod random;
pub(crate) mod relying_party;
pub(crate) mod response;
pub(crate) mod rows;
pub(crate) mod script;
pub(crate) mod server;
pub(crate) mod storm;
pub(crate) mod template;
pub(crate) mod terminate;
pub(crate) mod tracker;
pub(crate) mod wire;

pub(crate) use caller::TestCaller;
pub(crate) use polling::eventually;
pub(crate) use response::TestResponse;
pub(crate) use server::TestServer;
pub(crate) use terminate::terminate;
