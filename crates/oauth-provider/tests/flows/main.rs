//! Use cases of the provider on the reference adapter: what a request may ask, what a code and a refresh token give,
//! and what ends them.
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
