//! Groups.

mod api;
mod deletion;
mod lists;
mod pages;
mod parameters;

use web_conventions::operations::Operation;

/// The operations.
pub fn operations() -> Vec<Operation> {
    [
        lists::operations(),
        api::operations(),
        deletion::operations(),
        pages::operations(),
    ]
    .concat()
}
