//! Markdown, rendered for clients.

mod api;

pub use self::api::operations;
