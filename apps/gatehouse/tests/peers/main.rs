//! The server with real peers: Alertmanager, clients, a browser, and the original's engine.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics is a test that fails"
)]

#[path = "../support/mod.rs"]
mod support;

mod alertmanager;
mod alertmanager_process;
mod browser;
mod chain;
mod clients;
mod faulty_link;
mod feed_streams;
mod generators;
mod git;
mod notifications;
mod oracle;
mod packages;
mod paging;
mod patroni;
mod prometheus_chain;
mod prometheus_direct;
mod proxies;
mod python_gitlab;
mod python_gitlab_releases;
mod registry;
mod schemathesis;
mod self_monitoring;
mod stories;
mod trackers;
mod two_nodes;
