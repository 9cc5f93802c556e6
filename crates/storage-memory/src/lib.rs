//! The reference adapter: the smallest correct [`Store`](storage::Store), kept in memory.
//!
//! It is what the examples of the domain crates and the fast tests run on, and what an author of another adapter
//! reads to see what a method of a repository means.
//!
//! # How it works
//! * A closure runs at once, on the thread that hands it over, so a [`Pending`](storage::Pending) is ready when it
//!   is returned.
//! * A write runs on a copy of everything. `Ok` puts the copy in the place of the original; `Err` and a panic drop
//!   it, and a panic becomes an [`Internal`](storage::StoreErrorKind::Internal) error.
//! * Writes run one after the other. Reads look at what is committed and wait for nobody. A closure must not start
//!   a write of its own: it would wait for itself.
//!
//! # Features
//! `accounts`, `projects`, `alert-intake`, `events` and `oauth-provider` (all default) choose whose repositories are
//! implemented.
//!
//! # When not to use it
//! Whenever rows are to outlive the process, or are many: each write copies them all.
#![cfg_attr(
    feature = "accounts",
    doc = r"
```
use accounts::{AccountQueries as _, AccountRepository as _};
use storage::{Store as _, StoreError};
use storage_memory::MemoryStore;

let store = MemoryStore::new();
let raised: Result<i64, StoreError> = store.write(|tx| tx.raise_auth_epoch(&[])).wait();
let read: Result<i64, StoreError> = store.read(|tx| tx.auth_epoch()).wait();
assert_eq!(raised?, read?);
# Ok::<(), StoreError>(())
```
"
)]

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
