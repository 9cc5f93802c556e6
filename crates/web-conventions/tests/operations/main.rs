//! Tests of operations in a host.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod admission;
mod document;
mod releases;
mod router;
mod support;
mod validation;
