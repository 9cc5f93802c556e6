//! Rules of the feed, without a store.

pub mod contributions;
pub mod cursor;
pub mod horizon;
pub mod push;
