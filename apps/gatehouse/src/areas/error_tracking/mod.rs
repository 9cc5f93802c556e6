//! Error tracking: where programs report, and where their errors are read and worked on.

mod change;
mod client_keys;
mod collector;
mod errors;
mod events;
mod external;
mod named;
mod pages;
mod settings;
mod stats;
mod web_api;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        collector::operations(),
        settings::operations(),
        client_keys::operations(),
        external::operations(),
        errors::operations(),
        change::operations(),
        events::operations(),
        stats::operations(),
        pages::operations(),
        web_api::operations(),
    ]
    .concat()
}

/// What the operations are listed under in documents.
const TAG: &str = "error tracking";
