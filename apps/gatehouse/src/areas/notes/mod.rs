//! Notes on issues and alerts.

mod alerts;
mod issues;
mod shared;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [issues::operations(), alerts::operations()].concat()
}
