//! The command line: effects, output and refusals of each command.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic in a test is the failure to show"
)]

#[path = "../support/mod.rs"]
mod support;

mod application;
mod audited;
mod backup;
mod check;
mod closed_pipes;
mod configuration;
mod copy;
mod demo;
mod deprecations;
mod environment;
mod invitation;
mod lists;
mod logs;
mod migrate;
mod missing_database;
mod mistakes;
mod project;
mod readme;
mod secret_key;
mod serve;
mod shell;
mod signals;
mod tls;
mod token;
mod traces;
mod unix_socket;
mod user;
