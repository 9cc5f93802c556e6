//! Storage contract that every domain crate is written against and every adapter implements.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # What is here
//! * [`Store`]: two kinds of transaction, each run as a closure on a thread that the adapter owns.
//! * [`StoreExt`]: the same for closures whose only error is the store's own.
//! * [`dyn_store!`]: a store behind `dyn`, for hosts that name no adapter.
//! * [`GroupWork`]: writes of one kind that an adapter may run together, in one set of statements.
//! * [`TransactionWrapper`]: a wrapper around a transaction; [`macro@queries`] and [`macro@repository`] generate its
//!   methods.
//! * [`Locked`]: a value that a write transaction has locked, so that a change is computed from current data.
//! * [`Pending`]: the pending result. It is a plain future and can also be waited for; it needs no runtime.
//! * [`StoreError`]: the error, classified by what a caller can do about it.
//! * [`Capabilities`]: the few permitted differences between adapters.
//!
//! # The rules
//! 1. `Ok` commits, `Err` rolls back. A rejection that must leave a record is therefore an `Ok` outcome.
//! 2. A write's [`Pending`] completes with success only after the commit is as durable as the adapter promises.
//! 3. Dropping a [`Pending`] does not cancel the work.
//! 4. A closure owns its inputs and does no slow work of its own: no hashing of passwords, no parsing, no network.

mod capabilities;
mod continuation;
#[doc(hidden)]
pub mod dynamic;
mod error;
mod ext;
mod group;
mod locked;
mod pending;
mod store;
mod wrapper;

pub use capabilities::Capabilities;
pub use error::{StoreError, StoreErrorKind};
pub use ext::StoreExt;
pub use group::{GroupWork, Work};
pub use locked::Locked;
pub use pending::{Expiry, Pending, Promise};
pub use storage_macros::{queries, repository};
pub use store::{Lane, Store};
pub use wrapper::{MethodKind, RepositoryMethod, TransactionWrapper};
