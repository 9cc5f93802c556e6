//! Use cases of alert intake on the reference adapter: the effects of deliveries, whatever their order, grouping and
//! repeats.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper that fails ends the test that called it"
)]

mod authorize;
mod endpoints;
mod generic;
mod grouping;
mod integrations;
mod newest;
mod notes;
mod posted;
mod receive;
mod redelivery;
mod refusals;
mod retries;
mod senders;
mod set_status;
mod silences;
mod support;
mod work;
