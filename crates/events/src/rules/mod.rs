//! Rules of the feed, without a store.

pub mod contributions;
pub mod push;
