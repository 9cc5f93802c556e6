//! Tests of the provider's use cases on the reference adapter: authorization requests, codes, refresh tokens and
//! revocation.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that fails ends the test that called it"
)]

mod applications;
mod authorize;
mod client_credentials;
mod consent;
mod end_session;
mod exchange;
mod options;
mod outcomes;
mod refresh;
mod scopes;
mod support;
mod together;
mod token;
mod tokens;
