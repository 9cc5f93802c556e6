//! Use cases of error tracking on the reference adapter: what requests leave behind, however they share commits, and what people
//! and settings change of it.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that fails ends the test that called it"
)]

mod answer;
mod change;
mod collect;
mod company;
mod grouping;
mod lives;
mod moved;
mod settings;
mod support;
mod thinning;
