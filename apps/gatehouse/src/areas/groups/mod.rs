//! Groups.

mod api;
mod deletion;
mod lists;
mod of_group;
mod pages;
mod parameters;
mod take_project;

use web_conventions::operations::Operation;

/// The operations.
pub fn operations() -> Vec<Operation> {
    [
        lists::operations(),
        api::operations(),
        deletion::operations(),
        pages::operations(),
        take_project::operations(),
    ]
    .concat()
}
