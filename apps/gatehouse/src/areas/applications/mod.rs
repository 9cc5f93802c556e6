//! OAuth applications: registration, and the authorizations that users granted.

mod api;
mod authorized;
mod pages;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        api::operations(),
        pages::operations(),
        authorized::operations(),
    ]
    .concat()
}
