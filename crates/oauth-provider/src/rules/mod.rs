//! Pure rules: no store, no clock.

pub mod name;
pub mod pkce;
pub mod redirect_uri;
pub mod rotation;
pub mod scope;
pub mod successor;
