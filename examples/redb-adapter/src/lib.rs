//! An adapter of `alert-intake` and `events` over redb.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//! * `store`: where transactions begin and end, on which thread, and until when.
//! * `workers`: threads behind a bounded queue, and the deadline of the queued jobs.
//! * `tables`: rows as JSON by their keys.
//! * `transaction`: the type that reads and writes them.
//! * `alerts` and `events`: the repository traits.

mod alerts;
mod events;
mod store;
mod tables;
mod transaction;
mod workers;

pub use store::RedbStore;
pub use tables::Tables;
pub use transaction::RedbTx;
pub use workers::RedbLimits;
