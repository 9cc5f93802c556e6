//! Rules of the feed, without a store.

pub mod push;
