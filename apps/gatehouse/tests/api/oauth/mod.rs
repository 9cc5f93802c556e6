//! `/oauth`, endpoint by endpoint, and the rights of applications' tokens on the API.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a panic in a test is the failure to show"
)]

mod advertised;
mod api_access;
mod authorize;
mod consent;
mod end_session;
mod hint;
mod introspect;
mod issuer;
mod keys;
mod metadata;
mod nesting;
mod options;
mod revoke;
mod secrets;
mod silent;
mod support;
mod token;
mod token_info;
mod userinfo;
