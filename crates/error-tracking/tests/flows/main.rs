//! Use cases of error tracking on the reference adapter: effects of requests, however they share commits, and of edits
//! and settings.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that fails ends the test that called it"
)]

mod answer;
mod attachments_and_comments;
mod change;
mod collect;
mod grouping;
mod lives;
mod moved;
mod settings;
mod support;
mod thinning;
