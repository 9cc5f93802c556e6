//! The use cases, over the repository traits. None begins or ends a transaction.

pub mod change;
pub mod collect;
pub mod keys;
pub mod settings;
