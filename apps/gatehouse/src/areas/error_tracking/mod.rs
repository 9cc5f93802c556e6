//! Error tracking: the collector for SDKs, and the API and pages for the errors of a project.

mod change;
mod client_keys;
mod collector;
mod errors;
mod events;
mod external;
mod lookup;
mod monitors;
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
        monitors::operations(),
        pages::operations(),
        web_api::operations(),
    ]
    .concat()
}

/// Tag of the operations in API documents.
const TAG: &str = "error tracking";
