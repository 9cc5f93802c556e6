//! The command line: what each command does, prints and refuses.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic in a test is the failure to show"
)]

#[path = "../support/mod.rs"]
mod support;

mod application;
mod check;
mod configuration;
mod demo;
mod deprecations;
mod logs;
mod migrate;
mod project;
mod readme;
mod serve;
mod shell;
mod token;
mod user;
