//! The store in memory.
#![doc = ""]
// Its example needs the repositories of one crate.
#![cfg_attr(feature = "accounts", doc = include_str!("../README.md"))]
//!
//! # How it works
//! * A closure runs at once, on the thread that hands it over, so a [`Pending`](storage::Pending) is ready when it
//!   is returned.
//! * A write runs on a copy of everything. `Ok` puts the copy in the place of the original; `Err` and a panic drop
//!   it, and a panic becomes an [`Internal`](storage::StoreErrorKind::Internal) error.
//! * Writes run one after the other. Reads look at what is committed and wait for nobody. A closure must not start
//!   a write of its own: it would wait for itself.

#[cfg(feature = "projects")]
mod records;
mod repo;
mod state;
mod store;
#[cfg_attr(
    not(all(feature = "accounts", feature = "projects", feature = "oauth-provider")),
    expect(
        dead_code,
        reason = "each of these features has a query that no other needs"
    )
)]
mod table;

pub use state::State;
pub use store::{MemoryReadTx, MemoryStore, MemoryTx, MemoryWriteTx};
