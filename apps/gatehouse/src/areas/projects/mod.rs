//! Projects.

mod api;
mod filter;
pub mod web_url;

pub use self::api::operations;
