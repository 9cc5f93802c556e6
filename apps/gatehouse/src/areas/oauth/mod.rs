//! The OAuth 2.0 and OpenID Connect provider.

mod endpoints;
mod form;
mod pages;
pub mod protocol;

pub use self::endpoints::operations;
