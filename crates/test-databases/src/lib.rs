//! Databases for tests.
#![doc = ""]
#![doc = include_str!("../README.md")]
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "the crate is used by tests alone, where a panic with its cause is the failure to show"
)]

mod bouncer;
mod cluster;
mod database;
mod file;
mod pool;
mod programs;
mod run;

pub use bouncer::Bouncer;
pub use database::{Paused, TestDatabase};
pub use file::prepared_file;
