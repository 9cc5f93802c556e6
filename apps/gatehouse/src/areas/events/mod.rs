//! The activity feed.

mod api;

pub use self::api::operations;
