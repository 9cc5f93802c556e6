//! The published schedule: what goes with which release, as JSON, as pages, as a feed and as a calendar (`DEPR-01`,
//! `DEPR-02`).

mod api;
mod feeds;
mod filter;
mod pages;
mod uses;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [api::operations(), pages::operations(), feeds::operations()].concat()
}
