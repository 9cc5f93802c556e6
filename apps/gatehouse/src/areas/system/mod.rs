//! The server itself: its health, its metrics, its state and its version.

mod health;
mod metrics;
mod page;
mod version;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        health::operations(),
        metrics::operations(),
        page::operations(),
        version::operations(),
    ]
    .concat()
}
