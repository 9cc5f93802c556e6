//! The suites of the storage contract.
#![doc = ""]
// The example in the README needs the suite of one crate.
#![cfg_attr(feature = "events", doc = include_str!("../README.md"))]
//!
//! # For the author of an adapter
//! 1. Implement [`Harness`]: how to create an empty store, and how to close and reopen one.
//! 2. In a test file, call the macro of each suite whose traits the adapter implements. Put each call in a module of
//!    its own, because every suite ends with a test of the same name.
//! 3. A failing test has the name of the broken clause of the contract.
//!
//! The cases are also available as lists ([`store::cases`] and its siblings), so that a test can run them on a store
//! with a known fault and check that the fault is caught.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a suite reports a broken promise by a panic"
)]
// The suites of the store and of the feed alone need no such allowance.
#![cfg_attr(
    any(
        feature = "accounts",
        feature = "alert-intake",
        feature = "error-tracking",
        feature = "oauth-provider",
        feature = "projects"
    ),
    expect(
        clippy::expect_used,
        reason = "a suite reports a broken promise by a panic"
    )
)]

#[cfg(feature = "accounts")]
pub mod accounts;
#[cfg(feature = "alert-intake")]
pub mod alerts;
pub mod areas;
mod broken_promise;
mod case;
#[cfg(all(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events",
    feature = "oauth-provider",
    feature = "deprecations",
    feature = "pipelines",
    feature = "notifications"
))]
pub mod complete;
#[cfg(all(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events",
    feature = "oauth-provider",
    feature = "deprecations",
    feature = "pipelines",
    feature = "notifications"
))]
pub mod cross;
#[cfg(feature = "deprecations")]
pub mod deprecations;
pub mod entity;
#[cfg(feature = "error-tracking")]
pub mod errors;
#[cfg(feature = "events")]
pub mod events;
mod harness;
#[cfg(feature = "alert-intake")]
pub mod incidents;
#[cfg(feature = "notifications")]
pub mod notifications;
#[cfg(feature = "oauth-provider")]
pub mod oauth;
#[cfg(feature = "notifications")]
pub mod on_call;
#[cfg(feature = "pipelines")]
pub mod pipelines;
pub mod probe_rows;
#[cfg(feature = "projects")]
pub mod projects;
mod samples;
#[cfg(feature = "accounts")]
pub mod sign_in;
#[cfg(feature = "alert-intake")]
pub mod silences;
pub mod store;
mod suite;

pub use broken_promise::{BrokenPromise, IntoVerdict, Verdict};
pub use case::{CaseNeeds, ConformanceCase, check_skips, run, run_of};
pub use harness::Harness;

/// The guide for authors of adapters, included here so that its code blocks are compiled.
#[cfg(all(doctest, feature = "events"))]
#[doc = include_str!("../../../docs/writing-an-adapter.md")]
#[derive(Debug)]
pub struct WritingAnAdapter;
