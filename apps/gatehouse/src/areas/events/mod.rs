//! The activity feed.

mod api;
mod page;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [api::operations(), page::operations()].concat()
}
