//! The server over HTTP, route by route: the modules mirror the tree of URLs.
//!
//! `conventions` holds tests of conventions on every route, `authorization` and `headers` are tables of requests,
//! `faults` tests misbehaving clients and machines, `database` the same behaviour on PostgreSQL, `oauth_races`
//! concurrent requests, and `revocation` the effects of revocations.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic in a test is the failure to show"
)]

#[path = "../support/mod.rs"]
mod support;

mod account_mail;
mod api_help;
mod applications;
mod audit_events;
mod authorization;
mod conventions;
mod database;
mod deploy_tokens;
mod error_tracking;
mod faults;
mod fields;
mod git_access;
mod glab_requests;
mod groups;
mod headers;
mod health;
mod impersonation_tokens;
mod intake;
mod limits;
mod markdown;
mod metrics;
mod notifications;
mod oauth;
mod oauth_races;
mod pages;
mod personal_access_tokens;
mod pipelines;
mod place_tokens;
mod projects;
mod push_events;
mod registry;
mod registry_images;
mod releases;
mod revocation;
mod runners;
mod snapshot;
mod snippets;
mod spam;
mod token_checksums;
mod token_prefix;
mod upgrades;
mod user;
mod users;
mod version;
