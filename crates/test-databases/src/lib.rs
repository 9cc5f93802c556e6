//! Databases for tests.
#![doc = ""]
#![doc = include_str!("../README.md")]
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "only tests use this crate, and a panic with its cause is how they fail"
)]

mod bouncer;
mod cluster;
mod database;
mod file;
mod pair;
mod patroni;
mod pool;
mod programs;
mod run;

pub use bouncer::Bouncer;
pub use database::{PausedServer, TestDatabase};
pub use file::prepared_file;
pub use pair::ReplicatedPair;
pub use patroni::{PatroniPair, PatroniServer};
