//! Use cases, over the repository traits.
//! None of them begins or ends a transaction.

pub mod change;
pub mod collect;
pub mod keys;
pub mod monitors;
pub mod settings;
