//! Use cases of projects on the reference adapter: names, paths and visibility.
#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails ends the test that called it"
)]

mod groups;
mod hook_events;
mod issues;
mod namespaces;
mod projects;
mod records;
mod support;
mod visibility;
mod wire;
