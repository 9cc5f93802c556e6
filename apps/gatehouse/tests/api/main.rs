//! The server over HTTP, route by route: the modules mirror the tree of URLs.
//!
//! `conventions` holds what is the same on every route, `authorization` and `headers` are tables of requests, `faults` what happens when clients or the machine
//! misbehave, `database` the same facts on the other database, `oauth_races` what happens when several do the same at
//! once, and `revocation` what a revocation ends.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic in a test is the failure to show"
)]

#[path = "../support/mod.rs"]
mod support;

mod api_help;
mod applications;
mod authorization;
mod conventions;
mod database;
mod error_tracking;
mod faults;
mod fields;
mod groups;
mod headers;
mod health;
mod intake;
mod markdown;
mod oauth;
mod oauth_races;
mod pages;
mod personal_access_tokens;
mod pipelines;
mod projects;
mod releases;
mod revocation;
mod snapshot;
mod spam;
mod user;
mod users;
mod version;
