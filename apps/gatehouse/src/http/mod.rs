//! The edge: how requests are read, refused, answered and logged. No rule of any domain is here.

pub mod answer;
pub mod body;
pub mod connection;
pub mod cookie;
pub mod cors;
pub mod early_response;
pub mod endpoint;
pub mod failure;
pub mod form_data;
pub mod media_type;
pub mod mount;
pub mod oauth;
pub mod observe;
