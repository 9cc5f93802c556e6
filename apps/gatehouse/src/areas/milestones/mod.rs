//! Milestones of projects.

mod api;
mod pages;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [api::operations(), pages::operations()].concat()
}
