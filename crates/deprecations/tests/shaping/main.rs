//! What editions before and after each change answer and take of what this server does not have: releases of v4, and v5.
#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails ends the test that called it"
)]

mod contacts;
mod editions;
mod graphql;
mod merge_request;
mod properties;
mod release;
mod rest;
mod runner;
mod runner_requests;
